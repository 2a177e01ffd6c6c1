package awake

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"plinth/internal/host/watch"
)

// Main turns this process into one that keeps CPUs awake, and then never returns, when
// it was started as one. It must be called first in main and in TestMain of a program
// that keeps CPUs awake, after launch.GuardMain.
func Main() {
	if len(os.Args) == 2 && os.Args[1] == processName {
		if err := serve(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		select {} // until it is ended by its guard
	}
}

// serve starts a thread on each CPU and tells of them. Nothing is collected from here
// on: a collection would wait for threads that never come back.
func serve(to io.Writer) error {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return fmt.Errorf("cannot list the CPUs: %w", err)
	}
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(runtime.NumCPU() + set.Count())
	type started struct {
		thread watch.IdleThread
		err    error
	}
	ready, rested := make(chan started), make(chan struct{})
	var threads []watch.IdleThread
	for cpu := 0; len(threads) < set.Count(); cpu++ {
		if !set.IsSet(cpu) {
			continue
		}
		go func() {
			runtime.LockOSThread()
			err := idleOn(cpu)
			ready <- started{watch.IdleThread{CPU: cpu, Thread: unix.Gettid()}, err}
			<-rested
			stayAwake()
		}()
		s := <-ready
		if s.err != nil {
			return fmt.Errorf("cannot run on CPU %d at idle priority: %w", cpu, s.err)
		}
		threads = append(threads, s.thread)
	}
	err := json.NewEncoder(to).Encode(threads)
	close(rested)
	return err
}

// idleOn binds this thread to a CPU, where it gets what nobody else wants. The nice
// value has no meaning beside SCHED_IDLE but one: its time is then counted as nice.
func idleOn(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return err
	}
	if err := unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 19); err != nil {
		return err
	}
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}
	return unix.SchedSetAttr(0, &attr, 0)
}

// quotient keeps the compiler from leaving out the work.
var quotient atomic.Uint64

// stayAwake divides for ever: each division waits for the one before, so that it takes
// as little as work can of a core that it shares with another CPU.
func stayAwake() {
	for x := uint64(3); ; quotient.Store(x) {
		for range 1 << 16 {
			x = 0xfedc_ba98_7654_3210/(x|1) + 3
		}
	}
}
