//go:build !linux

package watch

import (
	"errors"
	"time"
)

// errLinux is the error of every function that needs Linux: elsewhere plinth only reads and
// reports records.
var errLinux = errors.New("plinth runs servers on Linux only")

// Watch reads nothing on this system.
type Watch struct{}

// New returns a watch that reads nothing: plinth runs servers on Linux only.
func New(int, time.Duration, ...IdleThread) *Watch { return &Watch{} }

// Stop does nothing on this system.
func (*Watch) Stop() {}

// Between returns an error: plinth runs servers on Linux only.
func (*Watch) Between(time.Time, time.Time) (Usage, error) { return Usage{}, errLinux }

// Processes is never returned on this system.
type Processes struct{}

// ReadProcesses returns an error: plinth runs servers on Linux only.
func ReadProcesses() (*Processes, error) { return nil, errLinux }

// Tree is always empty on this system.
func (*Processes) Tree(int) Tree { return Tree{IO: -1} }

// Rest is always empty on this system.
func (*Processes) Rest(*Processes, ...int) Tree { return Tree{IO: -1} }
