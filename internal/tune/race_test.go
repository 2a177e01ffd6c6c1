//go:build race

package tune

// machines are how many the property test tries: each takes ten times as long with the
// race detector.
const machines = "400"
