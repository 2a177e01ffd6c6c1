//go:build !linux

package launch

import "errors"

var errLinux = errors.New("plinth runs servers on Linux only")

// GuardMain does nothing here: no guard is ever started.
func GuardMain() {}

// Local is the launcher of this machine, which can't start anything here.
type Local struct{}

// NewLocal returns the launcher of this machine.
func NewLocal() *Local { return &Local{} }

// Start returns an error: plinth runs servers on Linux only.
func (*Local) Start(Command) (Process, error) { return nil, errLinux }

// ServerUser returns an error: plinth runs servers on Linux only.
func ServerUser() (*User, error) { return nil, errLinux }

// CanEnter always returns false.
func (u *User) CanEnter(dir string) (bool, string) { return false, dir }
