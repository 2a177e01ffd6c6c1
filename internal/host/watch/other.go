//go:build !linux

package watch

import (
	"errors"
	"time"
)

// errLinux is what everything says that needs Linux: elsewhere plinth reads and
// reports records.
var errLinux = errors.New("plinth runs servers on Linux only")

// Watch can't read anything here.
type Watch struct{}

// New returns a watch that reads nothing: plinth runs servers on Linux only.
func New(int, time.Duration, ...IdleThread) *Watch { return &Watch{} }

// Stop does nothing here.
func (*Watch) Stop() {}

// Between returns an error: plinth runs servers on Linux only.
func (*Watch) Between(time.Time, time.Time) (Usage, error) { return Usage{}, errLinux }

// Processes is never read here.
type Processes struct{}

// ReadProcesses returns an error: plinth runs servers on Linux only.
func ReadProcesses() (*Processes, error) { return nil, errLinux }

// Tree is always empty here.
func (*Processes) Tree(int) Tree { return Tree{IO: -1} }

// Rest is always empty here.
func (*Processes) Rest(*Processes, ...int) Tree { return Tree{IO: -1} }
