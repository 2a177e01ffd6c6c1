//go:build !linux

package leftover

import "context"

// clearSharedMemory does nothing: plinth runs servers on Linux only.
func clearSharedMemory(context.Context, string, Lock) error { return nil }

// MemoryOf returns nothing on this system.
func MemoryOf(int) (files []string, segment int) { return nil, -1 }

// RemoveMemory does nothing.
func RemoveMemory(int, []string) error { return nil }
