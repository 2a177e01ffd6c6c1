//go:build !linux

package volume

import (
	"errors"
	"os"
)

var errLinux = errors.New("plinth runs servers on Linux only")

func mountBind(*os.Root, string) error { return errLinux }
func unmount(string) error             { return errLinux }
func detach(string) error              { return errLinux }
func isBusy(error) bool                { return false }
