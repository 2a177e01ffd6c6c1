package life

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"plinth/internal/host"
)

// How long processes are waited for that were sent SIGKILL.
const (
	killLimit = time.Minute     // a busy machine takes its time to end them
	hangLimit = 3 * time.Second // of those that wait for a disk
)

// KillAll sends SIGKILL to all that processes finds until nothing is left. Of these first
// goes before the others, so that it starts none of them anew. Left without an error are
// processes that wait for a disk.
func KillAll(ctx context.Context, first int, processes func() []int) (left []int, err error) {
	begun := time.Now()
	err = Poll(ctx, killLimit, func() bool {
		left = processes()
		if i := slices.Index(left, first); i > 0 {
			left[0], left[i] = left[i], left[0]
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may just have ended
		}
		return len(left) == 0 || time.Since(begun) > hangLimit && notWaiting(left) == 0
	})
	if notWaiting(left) == 0 {
		err = nil
	}
	return left, err
}

// notWaiting is one of some processes that is there and does not wait for a disk; 0 where
// all others do.
func notWaiting(pids []int) int {
	for _, pid := range pids {
		if state := State(pid); state != "D" && state != "" {
			return pid
		}
	}
	return 0
}

// State is the letter of proc_pid_stat(5): D waits for a disk and cannot be interrupted.
// "" for a process that has gone.
func State(pid int) string {
	process, err := host.ReadProcess(pid)
	if err != nil {
		return ""
	}
	return string(process.State)
}

// ProcessesAt are the numbers of the processes that work in a directory, whose name holds
// no symbolic links, and belong to its server. The directory itself, which may be on a
// disk that answers no more, is asked nothing. Processes of other users can't be seen
// into, and are not plinth's.
func ProcessesAt(place string, belongs func(pid int) bool) []int {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	var pids []int
	for _, proc := range entries {
		if cwd, err := os.Readlink(proc + "/cwd"); err != nil || cwd != place {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil && belongs(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
