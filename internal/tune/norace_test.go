//go:build !race

package tune

// machines are how many the property test tries.
const machines = "3000"
