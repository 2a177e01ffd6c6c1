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

// exclusive claims a block device.
const exclusive = 0

func newFile(string, int64) (*os.File, string, error) { return nil, "", errLinux }
func giveName(*os.File, string) error                 { return errLinux }
func identify(*os.Root, string) (string, error)       { return "", errLinux }
func freeLoop() (string, error)                       { return "", errLinux }
func configureLoop(string, string, string) error      { return errLinux }
func deviceNumber(string) (string, error)             { return "", errLinux }
func fileID(string) (string, error)                   { return "", errLinux }
func loopFileID(string) (string, error)               { return "", errLinux }
func detachLoop(string) error                         { return errLinux }
