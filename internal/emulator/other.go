//go:build !linux

package emulator

import (
	"context"
	"errors"

	"plinth/internal/device"
)

// errLinux is what everything says that needs Linux.
var errLinux = errors.New("plinth emulates devices on Linux only")

// processName is what tells an emulator's process.
const processName = "plinth-emulator"

// Main does nothing here: no emulator is ever started.
func Main() {}

// Available returns an error: plinth emulates devices on Linux only.
func Available() error { return errLinux }

// Unmount returns an error: plinth emulates devices on Linux only.
func Unmount(context.Context, string) error { return errLinux }

// MeasurePath returns an error: plinth emulates devices on Linux only.
func MeasurePath(context.Context, string, int64) (PathCost, error) { return PathCost{}, errLinux }

// Prove returns an error: plinth emulates devices on Linux only.
func Prove(context.Context, string, string, device.Device, ...*Emulator) (Proof, error) {
	return Proof{}, errLinux
}

// Fit returns an error: plinth emulates devices on Linux only.
func (*Emulator) Fit(context.Context, string, int64) (Path, error) { return Path{}, errLinux }
