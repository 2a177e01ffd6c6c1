//go:build race

package tune

// machines is the number of machines that the property test tries: the race detector makes each
// ten times slower.
const machines = "400"
