package emulator

import (
	"os"
	"runtime"
	"strconv"
	"syscall"

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
// the old program is lost; so the new one is told its parent, and looks (orphaned).
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

// orphaned says whether the guard that started this process is gone.
func orphaned(guard string) bool { return strconv.Itoa(os.Getppid()) != guard }

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
