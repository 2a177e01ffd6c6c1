package emulator

import (
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Scheduling of an emulator's threads, best first. A device must not become slower because the
// server is busy.
const (
	priorityRealTime = "rr"     // round-robin, ahead of everything that is not real-time
	priorityNice     = "nice"   // the largest CPU share
	priorityNormal   = "normal" // like any other process
)

// prSetIOFlusher is PR_SET_IO_FLUSHER (prctl(2), since Linux 5.6). It says that memory reclaim
// depends on this thread: the kernel then never makes it wait for write-back that only it could
// complete.
const prSetIOFlusher = 57

// restartTimely makes all threads of this process run with low latency. The settings are per
// thread and inherited, and Go has already created threads; so one thread applies them and
// executes the program again, with one more argument. The new process starts with that thread
// alone, and all its threads inherit the settings. Settings that are not permitted are skipped.
//
// Threads of equal priority must take turns (SCHED_RR). With SCHED_FIFO, a thread runs until it sleeps, and
// threads of Go's runtime may spin for one that is ready: its sweeper, without a system call, for one that has not
// finished sweeping (runtime.bgsweep). If both were on one CPU, and another emulator had the other CPU, both
// emulators spun for ever. Without collections while packages are initialised, the sweeper has nothing to do.
//
// The signal sent at the guard's death is per thread, too: it was set for the first thread, which
// need not be this one. A signal sent to a thread that ends in exec is lost, so the new program
// gets its parent's PID as the argument, and Main checks it.
func restartTimely() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	parent := strconv.Itoa(os.Getppid())
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(stopSignal), 0, 0, 0)
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // timers are rounded up by 1 ns, not 50 µs
	_ = unix.Prctl(prSetIOFlusher, 1, 0, 0, 0)
	turns := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
	if unix.SchedSetAttr(0, &turns, 0) != nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), -20)
	}
	_ = os.Setenv("GOGC", "off")
	_ = syscall.Exec(selfPath, append(os.Args, parent), os.Environ())
}

// priority returns how this process is scheduled.
func priority() string {
	attr, err := unix.SchedGetAttr(0, 0)
	switch {
	case err == nil && attr.Policy == unix.SCHED_RR:
		return priorityRealTime
	case err == nil && attr.Nice < 0:
		return priorityNice
	}
	return priorityNormal
}

// nap controls how a thread that must not be late sleeps: it wakes up early by as much as it
// usually oversleeps, and it keeps Go's runtime quiet.
//
// The runtime watches for threads that do not return to it for 10 ms. It then polls every 20 µs,
// which costs 6 % of a CPU, and revokes the thread's right to run Go code. So for a while after
// work the thread sleeps for less than that, and visits the scheduler once in that time.
type nap struct {
	oversleep time.Duration // how late it wakes up: a moving average
	idle      int           // sleeps without work
	visited   time.Time     // last visit to Go's scheduler
}

const (
	// mostEarly bounds the time spent awake before an answer is due.
	mostEarly = 60 * time.Microsecond
	// longNap is the longest sleep after work.
	longNap = 4 * time.Millisecond
	// activeNaps is the number of short sleeps after work before sleeps may be long.
	activeNaps = 50
	// night is the longest possible sleep.
	night = time.Hour
)

// restedNap returns the nap of a thread that has no work yet.
func restedNap() nap { return nap{idle: activeNaps} }

// early returns how long before the due time to wake up.
func (n *nap) early() time.Duration { return n.oversleep }

// longest returns how long the thread may sleep when nothing is due.
func (n *nap) longest() time.Duration {
	if n.idle < activeNaps {
		return longNap
	}
	return night
}

func (n *nap) idled() {
	n.idle++
	n.visit()
}

func (n *nap) worked() {
	n.idle = 0
	n.visit()
}

// visit calls Go's scheduler occasionally: each call wakes a thread that searches for work.
func (n *nap) visit() {
	if now := time.Now(); now.Sub(n.visited) > longNap {
		n.visited = now
		runtime.Gosched()
	}
}

// overslept updates the moving average after a late wake-up.
func (n *nap) overslept(late time.Duration) {
	n.oversleep += (min(late, mostEarly) - n.oversleep) / 16
}

// From linux/futex.h: private futexes.
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

// bell wakes a thread by futex, without waking further threads as Go's own primitives would.
type bell struct{ rung atomic.Uint32 }

// wait sleeps until the bell rings, at most for the duration most. It returns at once if the bell
// has rung since it had this value, and may wake up spuriously.
func (b *bell) wait(value uint32, most time.Duration) {
	limit := unix.NsecToTimespec(int64(most))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rung)), futexWait, uintptr(value),
		uintptr(unsafe.Pointer(&limit)), 0, 0)
}

func (b *bell) ring() {
	b.rung.Add(1)
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rung)), futexWake, 1, 0, 0, 0)
}
