package perf

import (
	"errors"
	"fmt"
	"syscall"
)

// Error is the reason why an event cannot be counted.
type Error struct {
	Event string // its name, or "events of the processor" for all
	CPU   int
	Err   error // of the system call
}

// Error returns the reason as a sentence.
func (e *Error) Error() string { return "cannot count " + e.Event + ": " + e.Reason() }

// Unwrap returns the error of the system call.
func (e *Error) Unwrap() error { return e.Err }

// The reasons, by the errors of perf_event_open(2).
const (
	noCounter = "there is no such counter on this machine; in a virtual machine, the hypervisor decides which ones exist"
	noRight   = "counting the events of other processes requires root, CAP_PERFMON, or a kernel.perf_event_paranoid of 0 or less"
	forbidden = "the kernel does not permit it; the seccomp profile of a container may forbid perf_event_open"
	notBuilt  = "this kernel has no performance events (CONFIG_PERF_EVENTS), or a container's seccomp profile hides them"
	exclusive = "another program uses the counters of the processor exclusively"
)

// Reason returns why the system call failed. The kernel rejects events that a processor lacks with
// different errors: those of tables with ENOENT or EINVAL, others with EOPNOTSUPP or ENODEV.
func (e *Error) Reason() string {
	var number syscall.Errno
	if !errors.As(e.Err, &number) {
		return e.Err.Error()
	}
	switch number {
	case syscall.ENOENT, syscall.EINVAL, syscall.EOPNOTSUPP, syscall.ENODEV:
		return fmt.Sprintf("%s (%v)", noCounter, number)
	case syscall.EACCES:
		return noRight
	case syscall.EPERM:
		return forbidden
	case syscall.ENOSYS:
		return notBuilt
	case syscall.EBUSY:
		return exclusive
	}
	return fmt.Sprintf("perf_event_open on CPU %d: %v", e.CPU, number)
}
