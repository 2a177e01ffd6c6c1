//go:build !linux

package awake

// Main does nothing here: nothing is ever kept awake.
func Main() {}
