package hosttest

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// ComeFirst raises the CPU priority of this process, and of what it starts from now on, above
// the other tests of a busy machine, for tests of a device's timing. Without root it has no
// effect.
func ComeFirst(t testing.TB) {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks { // each thread has a nice value of its own
		if id, err := strconv.Atoi(task.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, -20) // it may have ended; a container may forbid it
		}
	}
}
