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

// Main runs the process that keeps CPUs awake, and does not return, if this process was
// started as one. Programs that keep CPUs awake must call it first in main and TestMain,
// after launch.GuardMain.
func Main() {
	if len(os.Args) == 2 && os.Args[1] == processName {
		if err := serve(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		select {} // until its guard ends it
	}
}

// serve starts a thread on each CPU and reports them. It turns garbage collection off: a
// collection would wait for the busy threads.
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

// idleOn binds this thread to a CPU at idle priority. With SCHED_IDLE the nice value has
// one effect only: the thread's time is counted as nice.
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

// quotient keeps the compiler from optimising the loop away.
var quotient atomic.Uint64

// stayAwake divides in an endless loop. Each division depends on the previous one, so that
// the loop takes as little as possible from a sibling CPU of the same core.
func stayAwake() {
	for x := uint64(3); ; quotient.Store(x) {
		for range 1 << 16 {
			x = 0xfedc_ba98_7654_3210/(x|1) + 3
		}
	}
}
