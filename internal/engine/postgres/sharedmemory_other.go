//go:build !linux

package postgres

import "context"

// clearSharedMemory has nothing to clear: plinth runs servers on Linux only.
func clearSharedMemory(context.Context, string, lockFile) error { return nil }

func sharedMemoryOf(int) (files []string, segment int) { return nil, -1 }

func removeMemory(int, []string) error { return nil }
