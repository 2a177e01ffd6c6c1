//go:build !linux

package probe

import (
	"context"
	"time"

	"plinth/internal/unit"
)

// ProbeMemory returns an error: plinth measures memory on Linux only.
func ProbeMemory(context.Context, unit.Size, uint64, func(string, string, time.Duration)) (*Memory, error) {
	return nil, errLinux
}
