package hosttest

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// ComeFirst lets this process, and what it starts from now on, have a CPU before the
// other tests of a busy machine: where the test is about the use of a device,
// in time. Without root it does nothing.
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
