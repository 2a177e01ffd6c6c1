//go:build !linux

package emulator

// Abort returns an error: plinth emulates devices on Linux only.
func Abort(string) error { return errLinux }
