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

// How the threads of an emulator are scheduled, best first. A device is not slower
// because the server is busy.
const (
	priorityFIFO   = "fifo"   // before all that is not real-time
	priorityNice   = "nice"   // the largest share
	priorityNormal = "normal" // as everybody
)

// prSetIOFlusher says that others wait for this thread to get memory free
// (prctl(2), since Linux 5.6): it is never made to wait for pages to be written
// that only it could write.
const prSetIOFlusher = 57

// restartTimely makes all threads of this process answer in time. All of it is said
// thread by thread, and Go has made some already, from which it makes others; so
// one thread says it and starts the program again, with an argument more: the only
// thread of the new one has it, and all others have it from that one. What is not
// allowed is done without.
//
// The signal that ends it with its guard belongs to a thread as well: the first one
// had it, which need not be this one. And what was sent to a thread that ended with
// the old program is lost; so the new one is told its parent, and looks (Main).
func restartTimely() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	parent := strconv.Itoa(os.Getppid())
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(stopSignal), 0, 0, 0)
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // timers are rounded up by 1 ns, not 50 µs
	_ = unix.Prctl(prSetIOFlusher, 1, 0, 0, 0)
	fifo := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
	if unix.SchedSetAttr(0, &fifo, 0) != nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), -20)
	}
	_ = syscall.Exec(selfPath, append(os.Args, parent), os.Environ())
}

// priority is how this process is scheduled.
func priority() string {
	attr, err := unix.SchedGetAttr(0, 0)
	switch {
	case err == nil && attr.Policy == unix.SCHED_FIFO:
		return priorityFIFO
	case err == nil && attr.Nice < 0:
		return priorityNice
	}
	return priorityNormal
}

// nap is how a thread that must not be late sleeps: it is woken earlier by as much
// as it usually wakes up late, and it keeps Go's runtime quiet.
//
// The runtime watches for code that does not come back to it for 10 ms. It then
// looks every 20 µs, which costs 6 % of a CPU, and takes the thread's right to run Go
// code away. So for a while after work a sleep is shorter than that, and the
// runtime is visited once in that time.
type nap struct {
	oversleep time.Duration // by how much it wakes up late: a moving average
	idle      int           // sleeps without work
	visited   time.Time     // when it was last in Go's scheduler
}

const (
	// mostEarly bounds what is spent awake before an answer is due.
	mostEarly = 60 * time.Microsecond
	// longNap is the longest sleep after work.
	longNap = 4 * time.Millisecond
	// activeNaps is how many of them come after work before sleep may be long.
	activeNaps = 50
	// night is the longest sleep of all.
	night = time.Hour
)

// restedNap is that of a thread that has no work yet.
func restedNap() nap { return nap{idle: activeNaps} }

// early is how long before its time it has to be woken.
func (n *nap) early() time.Duration { return n.oversleep }

// longest is how long it may sleep when nothing is due.
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

// visit goes through Go's scheduler, now and then: it wakes a thread to look for
// work each time.
func (n *nap) visit() {
	if now := time.Now(); now.Sub(n.visited) > longNap {
		n.visited = now
		runtime.Gosched()
	}
}

// overslept learns from a sleep that ended late.
func (n *nap) overslept(late time.Duration) {
	n.oversleep += (min(late, mostEarly) - n.oversleep) / 16
}

// From linux/futex.h: a futex of one process alone.
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

// bell wakes a thread. Go's own means would do it with two threads more, as ours
// are bound to their goroutines.
type bell struct{ rung atomic.Uint32 }

// wait sleeps until it is rung, if it was not since rung had this value; not longer
// than most. It may return for no reason.
func (b *bell) wait(value uint32, most time.Duration) {
	limit := unix.NsecToTimespec(int64(most))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rung)), futexWait, uintptr(value),
		uintptr(unsafe.Pointer(&limit)), 0, 0)
}

func (b *bell) ring() {
	b.rung.Add(1)
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rung)), futexWake, 1, 0, 0, 0)
}
