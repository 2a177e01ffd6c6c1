// Package life contains the code that the servers created by plinth share, whatever their engine:
// it starts the server's process, waits until the server is ready, follows its log, and kills and
// recovers it. A Witness writes numbers to the server, to find out which acknowledged writes
// survive. Each engine supplies what is specific to it: when a server is ready, what a line of its
// log means, and which processes and files belong to it.
package life

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// LogDelay is how long after a broken connection a process may take to exit, and to log the
// reason.
const LogDelay = 500 * time.Millisecond

// Process is the first process of a server that plinth starts.
type Process struct {
	launch.Process // nil while it is not started

	Title string // the server's name, as shown to users
	Dir   string // its data directory
	Mark  string // name of the file in Dir that marks a complete server
	Place string // Dir without symbolic links, once the server was started
}

// Started reports whether the server was started, and neither stopped nor killed since. It may
// have exited on its own.
func (p *Process) Started() bool { return p.Process != nil }

// Running reports whether the server was started and has not exited.
func (p *Process) Running() bool { return p.Started() && !Ended(p) }

// Ended reports whether a process has exited.
func Ended(p launch.Process) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// Made reports whether the data directory holds a complete server. A directory with any other
// content is an error.
func (p *Process) Made() (bool, error) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return false, fmt.Errorf("cannot create a %s server: %w", p.Title, err)
	}
	made := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == p.Mark })
	if !made && len(entries) > 0 {
		return false, hint.Errorf("give an empty directory: plinth creates servers only in empty directories",
			"cannot create a %s server: %s is not empty", p.Title, p.Dir)
	}
	return made, nil
}

// Launch starts the server's program in the data directory.
func (p *Process) Launch(launcher launch.Launcher, c launch.Command) error {
	place, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return err
	}
	p.Place, c.Dir = place, p.Dir
	process, err := launcher.Start(c)
	if err == nil {
		p.Process = process
	}
	return err
}

// AwaitReady calls ready until it returns true. It also returns when ready fails, with its error;
// when the server has exited, with the error of whyEnded; and when the limit is exceeded. The ctx
// passed to both is done then.
func (p *Process) AwaitReady(outer context.Context, limit time.Duration,
	ready func(ctx context.Context) (bool, error), whyEnded func(ctx context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(outer, limit)
	defer cancel()
	var failed error
	late := Poll(ctx, limit, func() (done bool) {
		if Ended(p) {
			failed = whyEnded(ctx)
			return true
		}
		done, failed = ready(ctx)
		return done || failed != nil
	})
	if late != nil {
		if outer.Err() == nil {
			return fmt.Errorf("it was not ready within %v", limit)
		}
		return fmt.Errorf("it did not become ready: %w", late)
	}
	return failed
}

// AwaitEnd waits until a started server exits. The error is that of ctx, or of the exceeded
// limit.
func (p *Process) AwaitEnd(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-p.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Kill stops a started server as a power cut would: it sends SIGKILL to all processes that
// processes returns until none is left, and then calls clearUp to remove what they leave outside
// of the data directory. A process blocked on a disk that no longer responds cannot exit until
// the disk fails: it is left, and stuck is true.
func (p *Process) Kill(ctx context.Context, processes func() []int, clearUp func() error) (stuck bool, err error) {
	left, err := KillAll(ctx, p.PID(), processes)
	if err != nil {
		return false, fmt.Errorf("cannot kill process %d of the server in %s: %w", notWaiting(left), p.Place, err)
	}
	if err := clearUp(); err != nil {
		return false, fmt.Errorf("cannot clean up after the killed server: %w", err)
	}
	if len(left) == 0 {
		select { // its guard reads its last output
		case <-p.Done():
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	p.Process = nil
	return len(left) > 0, nil
}

// Recover starts a killed server and returns how long that took.
func (p *Process) Recover(ctx context.Context, start func(context.Context) error) (took time.Duration, err error) {
	if p.Running() {
		return 0, fmt.Errorf("cannot recover %s: it was not killed", p.Title)
	}
	switch made, err := p.Made(); {
	case err != nil:
		return 0, fmt.Errorf("cannot recover %s: %w", p.Title, err)
	case !made: // start would create another server in it
		return 0, fmt.Errorf("cannot recover %s: %s is empty", p.Title, p.Dir)
	}
	begun := time.Now()
	err = start(ctx)
	return time.Since(begun), err
}

// longestSocket is the maximum length of a Unix socket's path, in bytes: unix(7).
const longestSocket = 107

// CheckSocket returns an error if the path of a socket is too long.
func CheckSocket(path string) error {
	if len(path) > longestSocket {
		return fmt.Errorf("cannot use %s for a socket: the path has %d bytes, but %d is the maximum", path, len(path), longestSocket)
	}
	return nil
}

// RemoveFiles removes files; a file that does not exist is not an error.
func RemoveFiles(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Poll calls done at growing intervals until it returns true, the limit is exceeded or ctx is
// done.
func Poll(ctx context.Context, limit time.Duration, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(wait*2, 50*time.Millisecond) {
		if done() {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
