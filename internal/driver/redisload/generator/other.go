//go:build !linux

package generator

// Main does nothing: servers are driven on Linux.
func Main() {}
