//go:build !race

package tune

// machines is the number of machines that the property test tries.
const machines = "3000"
