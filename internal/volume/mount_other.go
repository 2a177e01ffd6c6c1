//go:build !linux

package volume

import "errors"

var errLinux = errors.New("plinth runs servers on Linux only")

func mountBind(string, string) error { return errLinux }
func unmount(string) error           { return errLinux }
func detach(string) error            { return errLinux }
func isBusy(error) bool              { return false }
