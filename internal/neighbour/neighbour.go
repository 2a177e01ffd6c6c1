// Package neighbour is a load of plinth's own beside a server: the other work that a
// disk, memory and CPUs are shared with, in a process of its own, so that its CPU time
// is told apart from the server's.
//
// On a disk it reads and writes blocks of 64 KiB of a file of its own, past the page
// cache, at a rate that is asked for and never above it. Where the filesystem cannot do that, each write is followed by fdatasync, and what
// is read is dropped from the page cache before: as far as a neighbour can be told
// from that, it reaches the disk.
//
// The file is bounded in size, has been written once before the load begins (blocks
// that were never written are not read from a disk), and has no name: it is gone with
// the process, however that ends. The blocks are drawn at random, so that neither
// read-ahead nor a disk's cache makes the work less than it is.
//
// Memory is filled before the load begins, with what no zswap can make smaller, and
// each page is written to every half a minute: as memory that is in use, it is not the
// first that the kernel swaps out, and the server's may be. Where memory ends, the
// kernel kills the load and not the server (oom_score_adj 1000). CPUs are kept busy by
// threads that never wait.
package neighbour

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"syscall"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// Options say where the load is, and how much.
type Options struct {
	// Directory is where its file is made, where it writes or reads. plinth's own user
	// must be allowed to write there; the server's directory itself is no place for it.
	Directory string
	// Write and Read are bytes in a second; 0 for none.
	Write, Read unit.Rate
	// Memory is how much it fills; 0 for none. It stops short of it where memory and
	// swap would end.
	Memory unit.Size
	// CPU is how many threads keep a CPU busy each; 0 for none. On fewer CPUs they wait
	// for each other.
	CPU int
	// Groups are directories of control groups that it joins before it begins.
	Groups []string `json:"-"`
}

// Load is a load that goes on until it is stopped, or plinth ends.
type Load struct {
	process launch.Process
	output  *output
	memory  unit.Size // that it was asked to fill
	last    progress  // at the last reading
	stopped bool
}

// selfPath is this program, in the process that looks at it.
const selfPath = "/proc/self/exe"

// Start starts the load. When it returns without an error its file has been written,
// its memory is filled, and the load goes on. The error says why not: no room, a
// directory that is not there, a file that cannot be written; ErrKilled where memory
// ended before it was filled. ctx bounds the wait for that only.
func Start(ctx context.Context, l launch.Launcher, o Options) (*Load, error) {
	load, err := start(ctx, l, o)
	if err != nil {
		return nil, fmt.Errorf("cannot start the neighbour's load: %w", err)
	}
	return load, nil
}

func start(ctx context.Context, l launch.Launcher, o Options) (*Load, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	config, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	out := newOutput()
	p, err := l.Start(launch.Command{Path: selfPath, Args: []string{processName, string(config)},
		Dir: "/", Groups: o.Groups, Stdout: out, Stderr: &out.complaint})
	if err != nil {
		return nil, err
	}
	load := &Load{process: p, output: out, memory: o.Memory}
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
	switch {
	case o.Memory < 0:
		return fmt.Errorf("%d is not an amount of memory", o.Memory)
	case o.CPU < 0:
		return fmt.Errorf("%d is not a number of CPUs", o.CPU)
	case !o.disk() && o.Memory == 0 && o.CPU == 0:
		return hint.Errorf("set write: 50MiB/s, read, memory or cpu", "it has no load configured")
	}
	return nil
}

// disk says whether it has work on a disk.
func (o Options) disk() bool { return o.Write > 0 || o.Read > 0 }

// PID is the process id of the load.
func (l *Load) PID() int { return l.process.PID() }

// Size is that of its file, in bytes.
func (l *Load) Size() int64 { return l.output.latest().Size }

// Reached is what a load came to, on average over a time.
type Reached struct {
	Write, Read     float64   // bytes in a second
	Memory, Swapped unit.Size // that it holds in memory, and that was swapped out
	CPU, Waiting    float64   // CPUs that its threads ran on, and that they waited for while others had them
}

// Reached is what it came to since the last call, or since the beginning; what it
// tells is less than 200 ms old. All zero when there is no news. It is not for
// concurrent use.
func (l *Load) Reached() Reached {
	now, last := l.output.latest(), l.last
	if now.At <= last.At {
		return Reached{}
	}
	l.last = now
	seconds := (now.At - last.At).Seconds()
	return Reached{
		Write:   float64(now.Written-last.Written) / seconds,
		Read:    float64(now.Read-last.Read) / seconds,
		Memory:  unit.Size((now.memory - last.memory) / seconds),
		Swapped: unit.Size((now.swapped - last.swapped) / seconds),
		CPU:     (now.Ran - last.Ran).Seconds() / seconds,
		Waiting: (now.Waited - last.Waited).Seconds() / seconds,
	}
}

// Done is closed when it has ended, whoever ended it.
func (l *Load) Done() <-chan struct{} { return l.process.Done() }

// ErrKilled is the end of a load that somebody killed: the kernel, when memory ended.
var ErrKilled = errors.New("the neighbour's load was killed")

// Err is why it has ended by itself: the disk failed, it was killed (ErrKilled); nil
// while it goes on and after Stop.
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
	case status.Signal == syscall.SIGKILL:
		if l.memory == 0 {
			return ErrKilled
		}
		// It filled memory: most likely the kernel killed it.
		return hint.Errorf("request less memory", "%w, at %v of %v of memory", ErrKilled, unit.Size(l.output.latest().Held), l.memory)
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

// processName is the first argument of a load's process, and what tells it.
const processName = "plinth-neighbour"

// blockSize is what is read or written at once.
const blockSize = 64 * unit.KiB
