// Package neighbour runs a background load alongside a server: other work on the same disk,
// memory and CPUs. It runs in a separate process, so that its CPU time is accounted
// separately from the server's.
//
// On a disk it reads and writes blocks of 64 KiB in its own file with direct I/O, at the
// configured rate and never above it. On a filesystem without direct I/O, each write is
// followed by fdatasync, and data is dropped from the page cache before it is read, so that
// the I/O still reaches the disk.
//
// Start writes the whole file once, because reads of unwritten blocks would not reach the
// disk. The file is limited in size and is unlinked, so it disappears however the process
// ends. The blocks are chosen at random, so that neither read-ahead nor a disk's cache
// reduces the work.
//
// Start also fills memory, with data that zswap cannot compress. The process then writes to
// each page every half minute, so that the kernel considers the pages in use and may swap
// out the server's memory instead. When memory runs out, the kernel kills the load and not
// the server (oom_score_adj 1000).
//
// To load CPUs, the process runs threads that never wait.
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

// Options set the place and the amount of the load.
type Options struct {
	// Directory is the directory of its file, if it writes or reads. plinth's own user
	// must be able to write to it. It must not be the server's data directory.
	Directory string
	// Write and Read are in bytes a second; 0 for none.
	Write, Read unit.Rate
	// Memory is the amount to fill; 0 for none. The load fills less if memory and swap
	// would run out.
	Memory unit.Size
	// CPU is the number of threads that each keep a CPU busy; 0 for none. On fewer CPUs
	// they wait for each other.
	CPU int
	// Groups are directories of control groups that the process joins before it begins.
	Groups []string `json:"-"`
}

// Load is a load that runs until it is stopped or plinth ends.
type Load struct {
	process launch.Process
	output  *output
	memory  unit.Size // the configured amount
	last    progress  // at the last reading
	stopped bool
}

// selfPath is the path of this program, resolved in the process that opens it.
const selfPath = "/proc/self/exe"

// Start starts the load. When it returns without an error, the file is written, the memory
// is filled, and the load runs. It returns an error if, for example, space or the directory
// is missing, and ErrKilled if memory ran out while it was filled. ctx bounds only the wait
// for the start.
func Start(ctx context.Context, l launch.Launcher, o Options) (*Load, error) {
	load, err := start(ctx, l, o)
	if err != nil {
		return nil, fmt.Errorf("cannot start the background load: %w", err)
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

// disk reports whether the load uses a disk.
func (o Options) disk() bool { return o.Write > 0 || o.Read > 0 }

// PID returns the process id of the load.
func (l *Load) PID() int { return l.process.PID() }

// Size returns the size of its file, in bytes.
func (l *Load) Size() int64 { return l.output.latest().Size }

// Reached is the load that was achieved, averaged over a period.
type Reached struct {
	Write, Read     float64   // bytes a second
	Memory, Swapped unit.Size // resident, and swapped out
	CPU, Waiting    float64   // CPUs that its threads used, and that they waited for
}

// Reached returns the averages since the last call, or since the start; the data is less
// than 200 ms old. It returns zeros if there is no new report. It is not safe for concurrent
// use.
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

// Done is closed when the load has ended, for any reason.
func (l *Load) Done() <-chan struct{} { return l.process.Done() }

// ErrKilled means that the load was killed with SIGKILL, for example by the kernel because
// memory ran out.
var ErrKilled = errors.New("the background load was killed")

// Err returns the reason why the load ended unexpectedly, such as a disk error or ErrKilled;
// nil while it runs and after Stop.
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
		return fmt.Errorf("the background load was terminated by a signal (%v)", status.Signal)
	}
	return l.output.failure()
}

// Stop ends the load and removes its file. It may be called twice.
func (l *Load) Stop() error {
	if l.Err() == nil {
		l.stopped = true
	}
	return l.process.Stop()
}

// processName is the first argument of a load's process, which identifies it.
const processName = "plinth-neighbour"

// blockSize is the size of a read or write.
const blockSize = 64 * unit.KiB
