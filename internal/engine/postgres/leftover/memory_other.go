//go:build !linux

package leftover

import "context"

// clearSharedMemory has nothing to clear: plinth runs servers on Linux only.
func clearSharedMemory(context.Context, string, Lock) error { return nil }

// MemoryOf is never known here.
func MemoryOf(int) (files []string, segment int) { return nil, -1 }

// RemoveMemory has nothing to remove.
func RemoveMemory(int, []string) error { return nil }
