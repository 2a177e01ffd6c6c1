// Package launch starts programs. Each program has a guard: a parent process that ends it when
// plinth ends. The caller can pass FIFOs to a program, and choose the user, the control groups,
// and the CPUs and memory nodes with which it runs.
package launch

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// Command is a program to run, without a shell.
type Command struct {
	Path string   // the program, absolute
	Args []string // its arguments, without the program's own name
	Env  []string // the complete environment; nil inherits plinth's
	Dir  string   // working directory; empty inherits plinth's
	User *User    // runs the program as this user; nil for plinth's own

	// Stdin is the program's standard input; nil is empty. The program is given the file itself,
	// usually the reading end of an os.Pipe: no goroutine copies data, so nothing waits for a
	// reader or a writer after the program has ended. The caller closes its own copy after Start.
	Stdin *os.File

	Stdout, Stderr io.Writer // nil discards; the program is given an *os.File itself

	// Pipes are paths of FIFOs that are created before the program starts. "%p" in a
	// path is replaced by the program's process id (as in pgbench's log names).
	Pipes []string

	// Groups are directories of control groups that the program joins before it runs;
	// its guard stays outside. plinth must be able to write their cgroup.procs; the
	// program's user need not.
	Groups []string

	Placement *Placement // CPUs and memory nodes; nil for plinth's

	// Stop is the signal that the guard sends when plinth ends or Stop is called (default
	// SIGTERM); SIGKILL follows after Grace (default 5 s).
	Stop  os.Signal
	Grace time.Duration
}

// User is an account that a program can be run as.
type User struct {
	Name     string
	UID, GID int
	Groups   []int
	Home     string
}

// ExitStatus is how a program ended.
type ExitStatus struct {
	Code   int       // exit code; -1 when a signal ended it
	Signal os.Signal // nil unless a signal ended it
}

// Process is a program that runs under a guard, which ends it when plinth ends for any
// reason.
type Process interface {
	// PID returns the program's process id (not the guard's).
	PID() int
	// Signal sends sig to the program. It returns an error if the program has ended.
	Signal(sig os.Signal) error
	// Pipe opens the reading end of Command.Pipes[i].
	Pipe(i int) (io.ReadCloser, error)
	// Done is closed when the program has ended and its output has been read.
	Done() <-chan struct{}
	// Wait waits for the end of the program. The error concerns the guard or the output,
	// never the program's own exit code.
	Wait() (ExitStatus, error)
	// Stop ends the program: the stop signal, then SIGKILL after the grace time. An error means that it may still run.
	Stop() error
}

// Launcher starts programs on this machine. On another machine, an agent there has its own. Drivers
// and engines use it, so that tests can replace it.
type Launcher interface {
	Start(Command) (Process, error)
}

// Run runs a program to its end and returns its exit status: a non-zero exit code is not an
// error, as only the caller knows its meaning. When ctx is done, Run stops the program and
// returns ctx's cause.
func Run(ctx context.Context, l Launcher, c Command) (ExitStatus, error) {
	if ctx.Err() != nil {
		return ExitStatus{}, context.Cause(ctx)
	}
	p, err := l.Start(c)
	if err != nil {
		return ExitStatus{}, err
	}
	select {
	case <-p.Done():
		return p.Wait()
	case <-ctx.Done():
		return ExitStatus{}, errors.Join(context.Cause(ctx), p.Stop())
	}
}
