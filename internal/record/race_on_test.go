//go:build race

package record_test

// raceFactor is how much slower the race detector makes things.
const raceFactor = 10
