package launch

import (
	"io/fs"
	"syscall"
	"time"
)

// plinth, a guard and the launch stage exchange gob values over pipes: not JSON, because paths
// and environment variables need not be UTF-8.

// order is the first message to a guard and its stage: what to run, and how
// to end it.
type order struct {
	Path  string
	Args  []string
	Env   []string
	Dir   string
	User  *User
	Pipes []string
	Stdin bool // stdinFD of the guard is the program's standard input

	Groups    []string
	Placement *Placement
	Stop      syscall.Signal
	Grace     time.Duration
	Guard     int // the guard's process id, which it fills in for the stage
}

// request is a later message to a guard.
type request struct {
	Stop   bool // the stop signal, then SIGKILL after the grace time
	Signal syscall.Signal
}

// report is a message from a guard: first that the program runs or why it does not, later how
// it ended.
type report struct {
	PID     int
	Failure *failure
	Code    int
	Signal  syscall.Signal
}

// failure says why a program could not be started; Errno lets the receiver compare the error.
type failure struct {
	Op, Path string
	Errno    syscall.Errno
}

func (f *failure) err() error {
	return &fs.PathError{Op: f.Op, Path: f.Path, Err: f.Errno}
}
