// Package awake keeps the CPUs of a virtual machine from halting.
//
// An idle virtual CPU halts, and must wait at each wake-up until the hypervisor schedules
// it again. The guest counts this delay as steal. On a machine with two CPUs and two
// emulated disks, a database that often slept briefly lost a third of all CPU time to
// steal, but only a twentieth when the CPUs did not halt.
//
// One busy thread per CPU keeps that CPU awake. The thread has the lowest priority (SCHED_IDLE,
// sched(7)): it runs only when no other thread is runnable. Code that reads CPU time counts the
// time of this thread as idle (watch.IdleThread).
//
// Two alternatives were rejected: guest halt polling
// (Documentation/virt/guest-halt-polling.rst) cannot be switched on at run time, and
// /dev/cpu_dma_latency works only with a driver for idle states.
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

// selfPath is the path of this program, resolved in the process that opens it.
const selfPath = "/proc/self/exe"

// Keeper keeps CPUs awake until it is stopped or plinth ends.
type Keeper struct {
	process launch.Process
	threads []watch.IdleThread
}

// Start keeps all CPUs awake that plinth may run on. The groups are directories of an idle
// control group (limit.MakeIdle): the scheduler weighs groups against each other before
// the threads in them. ctx bounds the wait for the threads.
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
	// Without asyncpreemptoff, Go would preempt the busy loops with a signal every 10 ms.
	p, err := l.Start(launch.Command{Path: selfPath, Args: []string{processName}, Dir: "/", Groups: groups,
		Env: append(os.Environ(), "GODEBUG=asyncpreemptoff=1"), Stdout: out, Stderr: &complaint})
	if err != nil {
		return nil, err
	}
	select {
	case <-out.ready:
	case <-p.Done():
		status, err := p.Wait()
		if said := strings.TrimSpace(complaint.String()); said != "" {
			err = errors.New(said)
		}
		if err == nil {
			err = fmt.Errorf("its process ended with code %d, signal %v", status.Code, status.Signal)
		}
		return nil, err
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), p.Stop())
	}
	k := &Keeper{process: p, threads: out.threads}
	for i := range k.threads {
		k.threads[i].Process = p.PID()
	}
	return k, nil
}

// Threads returns the threads that keep CPUs awake.
func (k *Keeper) Threads() []watch.IdleThread { return k.threads }

// Stop ends the threads.
func (k *Keeper) Stop() error { return k.process.Stop() }

// output receives the one line that the process prints: its threads.
type output struct {
	mu      sync.Mutex
	text    []byte
	ready   chan struct{} // closed when threads is set
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
