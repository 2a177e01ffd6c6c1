//go:build !linux

package neighbour

// Main does nothing on this system, where loads cannot be started.
func Main() {}
