package neighbour

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"plinth/internal/host/proc"

	"golang.org/x/sys/unix"
)

// busy holds the ids of the threads that keep CPUs busy.
type busy []int

// begin starts threads that never wait. It raises GOMAXPROCS, so that the rest of this
// process does not have to wait for them.
func (b *busy) begin(threads int) {
	if threads == 0 {
		return
	}
	runtime.GOMAXPROCS(runtime.NumCPU() + threads)
	ids := make(chan int)
	for range threads {
		go func() {
			runtime.LockOSThread()
			ids <- unix.Gettid()
			spin()
		}()
	}
	for range threads {
		*b = append(*b, <-ids)
	}
}

// spun keeps the compiler from optimising the loop away.
var spun atomic.Uint64

// spin calculates in an endless loop, only in registers (xorshift): it uses a CPU but no
// memory bandwidth.
func spin() {
	for x := uint64(88172645463325252); ; spun.Store(x) {
		for range 1 << 16 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
	}
}

// enter adds to r how long the threads ran and how long they waited for a CPU
// (/proc/PID/task/TID/schedstat, Documentation/scheduler/sched-stats.rst).
func (b busy) enter(r *report) {
	for _, id := range b {
		text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", id))
		if err != nil {
			continue // a kernel without CONFIG_SCHED_INFO: counts as zero
		}
		s, _ := proc.ParseSchedstat(text)
		r.Ran, r.Waited = r.Ran+time.Duration(s.Running), r.Waited+time.Duration(s.Waiting)
	}
}
