// Package launch starts programs, each under a guard that ends it when plinth ends: with
// FIFOs, as another user, in control groups, on chosen CPUs and memory nodes.
package launch

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// Command is a program to be run. There is no shell between plinth and it.
type Command struct {
	Path string   // the program, absolute
	Args []string // its arguments, without the program's own name
	Env  []string // the complete environment; nil inherits plinth's
	Dir  string   // working directory; empty inherits plinth's
	User *User    // who runs it; nil for plinth's own user

	Stdout, Stderr io.Writer // nil discards

	// Pipes are paths of FIFOs that are made before the program starts; "%p" in
	// one stands for the program's process id (pgbench names its log that way).
	Pipes []string

	// Groups are directories of control groups that the program joins before it runs;
	// its guard stays outside. plinth itself must be allowed to write their
	// cgroup.procs, the program's user need not be.
	Groups []string

	Placement *Placement // where it may run; nil for where plinth may

	// Stop is what a guard sends first when plinth goes away or Stop is called
	// (SIGTERM unless said); SIGKILL follows after Grace (5 s unless said).
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

// Process is a program that runs under a guard: whatever happens to plinth, the
// program is ended with it.
type Process interface {
	// PID is the program's process id (not the guard's).
	PID() int
	// Signal sends sig to the program; an error once it has ended.
	Signal(sig os.Signal) error
	// Pipe opens the reading end of Command.Pipes[i].
	Pipe(i int) (io.ReadCloser, error)
	// Done is closed when the program has ended and its output has been read.
	Done() <-chan struct{}
	// Wait waits for the end of the program. The error is about the guard, never
	// about the program's own exit code.
	Wait() (ExitStatus, error)
	// Stop ends the program: the stop signal, then SIGKILL after the grace time.
	Stop() error
}

// Launcher starts programs in one place: this machine, later a pod or a host
// over ssh. Drivers and engines are handed one and never know where they run.
type Launcher interface {
	Start(Command) (Process, error)
}

// Run runs a program to its end and tells how that was: an exit code other than 0 is
// no error here, as only the caller knows what it means. When ctx is done the program
// is stopped, and the error says ctx's cause.
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
