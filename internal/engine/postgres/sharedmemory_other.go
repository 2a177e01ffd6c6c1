//go:build !linux

package postgres

import "context"

// clearSharedMemory has nothing to clear: plinth runs servers on Linux only.
func clearSharedMemory(context.Context, string, lockFile) error { return nil }
