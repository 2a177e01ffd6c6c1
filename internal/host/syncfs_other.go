//go:build !linux

package host

import "errors"

// SyncFilesystem needs syncfs(2), which Linux has.
func SyncFilesystem(string) error { return errors.ErrUnsupported }
