// Package awake keeps the CPUs of a virtual machine from halting.
//
// A virtual CPU that has nothing to do halts, and the hypervisor has to be asked to run
// it again: a wait at each wake-up, which the guest counts as stolen. On a machine of two
// CPUs a database of many short sleeps, with two emulated disks, lost a third of all CPU
// time that way, and a twentieth when the CPUs did not halt.
//
// A thread for each CPU that never waits keeps it awake, at the lowest priority that
// there is (SCHED_IDLE, sched(7)): it runs where nobody else would. Its time is no use of
// the machine, and readers of CPU time take it for idle (watch.IdleThread).
//
// What a hypervisor's administrator would do instead is the guest's haltpoll
// (Documentation/virt/guest-halt-polling.rst), which cannot be switched on at run time,
// and /dev/cpu_dma_latency acts only where there is a driver for idle states.
package awake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
)

// processName is the first argument of the process that keeps CPUs awake, and its name.
const processName = "plinth-awake"

// selfPath is this program, in the process that looks at it.
const selfPath = "/proc/self/exe"

// Keeper keeps CPUs awake until it is stopped, or plinth ends.
type Keeper struct {
	process launch.Process
	threads []watch.IdleThread
}

// Start keeps all CPUs that plinth may run on awake. The groups are directories of a
// control group that counts for nothing beside others (limit.MakeIdle): the scheduler
// weighs groups against each other before it looks at the threads in them. ctx bounds the
// wait for the threads.
func Start(ctx context.Context, l launch.Launcher, groups []string) (*Keeper, error) {
	k, err := start(ctx, l, groups)
	if err != nil {
		return nil, fmt.Errorf("cannot keep the CPUs awake: %w", err)
	}
	return k, nil
}

func start(ctx context.Context, l launch.Launcher, groups []string) (*Keeper, error) {
	out := &output{ready: make(chan struct{})}
	var complaint strings.Builder
	// What preempts Go code that does not come back would be a signal each 10 ms.
	p, err := l.Start(launch.Command{Path: selfPath, Args: []string{processName}, Dir: "/", Groups: groups,
		Env: append(os.Environ(), "GODEBUG=asyncpreemptoff=1"), Stdout: out, Stderr: &complaint})
	if err != nil {
		return nil, err
	}
	select {
	case <-out.ready:
	case <-p.Done():
		return nil, errors.New(strings.TrimSpace(complaint.String()))
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), p.Stop())
	}
	k := &Keeper{process: p, threads: out.threads}
	for i := range k.threads {
		k.threads[i].Process = p.PID()
	}
	return k, nil
}

// Threads are the threads that keep CPUs awake.
func (k *Keeper) Threads() []watch.IdleThread { return k.threads }

// Stop lets the CPUs sleep.
func (k *Keeper) Stop() error { return k.process.Stop() }

// output takes the one line that the process prints: its threads.
type output struct {
	mu      sync.Mutex
	text    []byte
	ready   chan struct{} // closed when threads are there
	threads []watch.IdleThread
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.threads == nil {
		o.text = append(o.text, text...)
		if json.Unmarshal(o.text, &o.threads) == nil {
			close(o.ready)
		}
	}
	return len(text), nil
}
