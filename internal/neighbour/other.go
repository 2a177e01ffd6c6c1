//go:build !linux

package neighbour

// Main does nothing here: no load is ever started.
func Main() {}
