//go:build !linux

package probe

import (
	"errors"
	"io"
	"io/fs"
)

var errLinux = errors.New("plinth measures disks on Linux only")

func lookAtDevice(string, fs.FileInfo, Options) (Target, error) { return Target{}, errLinux }

func claim(string) (io.Closer, error) { return nil, errLinux }

func takesDirect(string) bool { return false }
