//go:build !linux

package tune

import "errors"

// Remount returns an error: plinth changes machines on Linux only.
func (k Kernel) Remount(string, []string, []string) error {
	return errors.New("plinth changes machines on Linux only")
}
