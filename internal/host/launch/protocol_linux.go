package launch

import (
	"io/fs"
	"syscall"
	"time"
)

// How plinth, a guard and the launch stage talk: gob values over pipes. Not
// JSON, because paths and environment variables need not be UTF-8.

// order is the first message to a guard and its stage: what to run, and how
// to end it.
type order struct {
	Path  string
	Args  []string
	Env   []string
	Dir   string
	User  *User
	Pipes []string

	Groups    []string
	Placement *Placement
	Stop      syscall.Signal
	Grace     time.Duration
	Guard     int // the guard's process id, which it fills in for the stage
}

// request holds what plinth may ask of a guard afterwards.
type request struct {
	Stop   bool // the stop signal, then SIGKILL after the grace time
	Signal syscall.Signal
}

// report holds what a guard reports: first that the program runs or why it does not,
// later how it ended.
type report struct {
	PID     int
	Failure *failure
	Code    int
	Signal  syscall.Signal
}

// failure is why a program could not be started; Errno lets the error be
// compared on the other side.
type failure struct {
	Op, Path string
	Errno    syscall.Errno
}

func (f *failure) err() error {
	return &fs.PathError{Op: f.Op, Path: f.Path, Err: f.Errno}
}
