//go:build !linux

package host

import "errors"

// SyncFilesystem needs syncfs(2), which Linux has.
func SyncFilesystem(string) error { return errors.ErrUnsupported }

// DropCaches needs Linux's drop_caches.
func DropCaches() error { return errors.ErrUnsupported }

// Sync needs Linux's sync(2), which waits.
func Sync() {}
