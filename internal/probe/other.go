//go:build !linux

package probe

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"plinth/internal/unit"
)

var errLinux = errors.New("plinth can measure disks only on Linux")

func lookAtDevice(string, fs.FileInfo, Options) (Target, error) { return Target{}, errLinux }

func claim(string) (io.Closer, error) { return nil, errLinux }

func takesDirect(string) bool { return false }

// ProbeMemory returns an error: plinth measures memory on Linux only.
func ProbeMemory(context.Context, unit.Size, uint64, func(string, string, time.Duration)) (*Memory, error) {
	return nil, errLinux
}
