// Package life is what the servers that plinth itself starts have in common, whatever
// their engine: how the process of one is started, awaited, followed by its log, killed
// and recovered, and how numbered writes bear witness to what it keeps. What an engine
// alone knows it hands in: whether a server is ready, what a line of its log means,
// which processes and files are its own.
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

// LogDelay is how much later than a broken connection a process may end, and its log
// tell why.
const LogDelay = 500 * time.Millisecond

// Process is the first process of a server that plinth starts.
type Process struct {
	launch.Process // nil while it is not started

	Title string // the server's name, as people write it
	Dir   string // its data directory
	Mark  string // the name of the file there that says that the server is made
	Place string // Dir without symbolic links, once the server was started
}

// Started says whether the server was started, and neither stopped nor killed since. It
// may have ended by itself.
func (p *Process) Started() bool { return p.Process != nil }

// Running says whether the server was started and has not ended.
func (p *Process) Running() bool { return p.Started() && !Ended(p) }

// Ended says whether a process has ended.
func Ended(p launch.Process) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// Made says whether the data directory holds a finished server. One that holds anything
// else is refused.
func (p *Process) Made() (bool, error) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return false, fmt.Errorf("cannot make a %s server: %w", p.Title, err)
	}
	made := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == p.Mark })
	if !made && len(entries) > 0 {
		return false, hint.Errorf("plinth makes servers in empty directories only",
			"cannot make a %s server: %s is not empty", p.Title, p.Dir)
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

// AwaitReady calls ready until it is true. It ends as well with the error of ready, with
// that of whyEnded when the server has ended, or when the time is over: then ctx, which
// both are given, is done.
func (p *Process) AwaitReady(ctx context.Context, limit time.Duration,
	ready func(ctx context.Context) (bool, error), whyEnded func(ctx context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
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
		return fmt.Errorf("it is not ready: %w", late)
	}
	return failed
}

// AwaitEnd waits for the end of a started server. The error is that of ctx, or that the
// time is over.
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

// Kill ends a started server as a power cut would: all that processes finds is sent
// SIGKILL until nothing is left, and then clearUp removes what they leave outside of the
// data directory. A process that waits for a disk that no longer answers cannot end until
// the disk fails: it is left, and stuck is true.
func (p *Process) Kill(ctx context.Context, processes func() []int, clearUp func() error) (stuck bool, err error) {
	left, err := KillAll(ctx, p.PID(), processes)
	if err != nil {
		return false, fmt.Errorf("cannot kill process %d of the server in %s: %w", notWaiting(left), p.Place, err)
	}
	if err := clearUp(); err != nil {
		return false, fmt.Errorf("cannot clear up after the killed server: %w", err)
	}
	if len(left) == 0 {
		select { // its guard reads what it said last
		case <-p.Done():
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	p.Process = nil
	return len(left) > 0, nil
}

// Recover starts a killed server and says how long that took.
func (p *Process) Recover(ctx context.Context, start func(context.Context) error) (took time.Duration, err error) {
	if p.Running() {
		return 0, fmt.Errorf("cannot recover %s: it was not killed", p.Title)
	}
	switch made, err := p.Made(); {
	case err != nil:
		return 0, fmt.Errorf("cannot recover %s: %w", p.Title, err)
	case !made: // start would make another server there
		return 0, fmt.Errorf("cannot recover %s: %s is empty", p.Title, p.Dir)
	}
	begun := time.Now()
	err = start(ctx)
	return time.Since(begun), err
}

// longestSocket is the longest path of a Unix socket, unix(7).
const longestSocket = 107

// CheckSocket refuses the path of a socket that is too long.
func CheckSocket(path string) error {
	if len(path) > longestSocket {
		return fmt.Errorf("cannot use %s for a socket: %d bytes, and %d is the most", path, len(path), longestSocket)
	}
	return nil
}

// RemoveFiles removes files, of which some may be gone already.
func RemoveFiles(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Poll calls done, at growing intervals, until it is true, the time is over or ctx is
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
