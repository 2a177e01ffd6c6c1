package emulator

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

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
