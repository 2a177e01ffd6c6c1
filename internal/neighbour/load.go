// Package neighbour is a load of plinth's own on the disk of a server: the other
// work that a disk is shared with. It reads and writes blocks of 64 KiB of a file of
// its own, past the page cache, at a rate that is asked for and never above it, in a
// process of its own, so that its CPU time is told apart from the server's.
//
// Where the filesystem cannot do that, each write is followed by fdatasync, and what
// is read is dropped from the page cache before: as far as a neighbour can be told
// from that, it reaches the disk.
//
// The file is bounded in size, has been written once before the load begins (blocks
// that were never written are not read from a disk), and has no name: it is gone with
// the process, however that ends. The blocks are drawn at random, so that neither
// read-ahead nor a disk's cache makes the work less than it is.
package neighbour

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// Options say where the load is, and how much.
type Options struct {
	// Directory is where its file is made. plinth's own user must be allowed to write
	// there; the server's directory itself is no place for it.
	Directory string
	// Write and Read are bytes in a second; 0 for none, but not both.
	Write, Read unit.Rate
}

// Load is a load that goes on until it is stopped, or plinth ends.
type Load struct {
	process host.Process
	output  *output
	last    progress // at the last reading
	stopped bool
}

// selfPath is this program, in the process that looks at it.
const selfPath = "/proc/self/exe"

// Start starts the load. When it returns without an error its file has been written
// and the load goes on at its rate. The error says why not: no room, a directory that
// is not there, a file that cannot be written. ctx bounds the wait for that only.
func Start(ctx context.Context, l host.Launcher, o Options) (*Load, error) {
	load, err := start(ctx, l, o)
	if err != nil {
		return nil, fmt.Errorf("cannot start the neighbour's load: %w", err)
	}
	return load, nil
}

func start(ctx context.Context, l host.Launcher, o Options) (*Load, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	config, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	out := newOutput()
	p, err := l.Start(host.Command{Path: selfPath, Args: []string{processName, string(config)},
		Dir: "/", Stdout: out, Stderr: &out.complaint})
	if err != nil {
		return nil, err
	}
	load := &Load{process: p, output: out}
	select {
	case <-out.ready:
		load.last = out.latest()
		return load, nil
	case <-p.Done():
		return nil, load.Err()
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), load.Stop())
	}
}

func (o Options) check() error {
	for _, rate := range []unit.Rate{o.Write, o.Read} {
		if !(rate >= 0) || math.IsInf(float64(rate), 0) {
			return fmt.Errorf("%v is not a rate", float64(rate))
		}
	}
	if o.Write == 0 && o.Read == 0 {
		return hint.Errorf("give it write: 50MiB/s, or read", "it neither writes nor reads")
	}
	return nil
}

// PID is the process id of the load.
func (l *Load) PID() int { return l.process.PID() }

// Size is that of its file, in bytes.
func (l *Load) Size() int64 { return l.output.latest().size }

// Reached is what it wrote and read in a second since the last call, or since the
// beginning, in bytes; what it tells is less than 200 ms old. 0, 0 when there is no
// news. It is not for concurrent use.
func (l *Load) Reached() (write, read float64) {
	now, last := l.output.latest(), l.last
	if now.at <= last.at {
		return 0, 0
	}
	l.last = now
	seconds := (now.at - last.at).Seconds()
	return float64(now.written-last.written) / seconds, float64(now.read-last.read) / seconds
}

// Done is closed when it has ended, whoever ended it.
func (l *Load) Done() <-chan struct{} { return l.process.Done() }

// Err is why it has ended by itself: the disk failed, it was killed; nil while it
// goes on and after Stop.
func (l *Load) Err() error {
	select {
	case <-l.process.Done():
	default:
		return nil
	}
	if l.stopped {
		return nil
	}
	status, err := l.process.Wait()
	switch {
	case err != nil:
		return err
	case status.Signal != nil:
		return fmt.Errorf("the neighbour's load was ended by the signal %v", status.Signal)
	}
	return l.output.failure()
}

// Stop ends it, and its file with it. It may be called twice.
func (l *Load) Stop() error {
	if l.Err() == nil {
		l.stopped = true
	}
	return l.process.Stop()
}
