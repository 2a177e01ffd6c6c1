//go:build !linux

package host

// Mounts returns an error: plinth runs servers on Linux only.
func Mounts() ([]Filesystem, error) { return nil, errLinux }
