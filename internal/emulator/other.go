//go:build !linux

package emulator

import (
	"context"
	"errors"

	"plinth/internal/device"
	"plinth/internal/host/launch"
)

// errLinux is returned by everything that requires Linux.
var errLinux = errors.New("plinth emulates devices on Linux only")

// processName is the name of an emulator's process.
const processName = "plinth-emulator"

// Main does nothing: no emulator is ever started.
func Main() {}

// Available returns an error: plinth emulates devices on Linux only.
func Available(Form) error { return errLinux }

func makeAvailable(context.Context, launch.Launcher, Form) error { return errLinux }

// BestForm returns an error: plinth emulates devices on Linux only.
func BestForm(context.Context, launch.Launcher, int) (Form, error) { return "", errLinux }

// LikelyForm returns FUSE, although that is not available either.
func LikelyForm() Form { return FUSE }

// Abort returns an error: plinth emulates devices on Linux only.
func Abort(string) error { return errLinux }

// End returns an error: plinth emulates devices on Linux only.
func End(context.Context, string) error { return errLinux }

// Ping returns an error: plinth emulates devices on Linux only.
func Ping(string) error { return errLinux }

// MeasurePath returns an error: plinth emulates devices on Linux only.
func MeasurePath(context.Context, string, int64) (PathCost, error) { return PathCost{}, errLinux }

// Calibrate returns an error: plinth emulates devices on Linux only.
func Calibrate(context.Context, string, string, device.Device, ...*Emulator) (Calibration, error) {
	return Calibration{}, errLinux
}

// Fit returns an error: plinth emulates devices on Linux only.
func (*Emulator) Fit(context.Context, string, int64, device.Device) (Path, error) {
	return Path{}, errLinux
}
