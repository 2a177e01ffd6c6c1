package life

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plinth/internal/host"
)

// Time limits of the wait for processes that were sent SIGKILL.
const (
	killLimit = time.Minute     // a busy machine may take long to end them
	hangLimit = 3 * time.Second // for processes that are blocked on a disk
)

// KillAll sends SIGKILL to all processes that processes returns until none is left. It kills
// first before the others, so that it cannot restart them. If left is not empty and err is nil,
// the processes left are blocked on a disk.
func KillAll(ctx context.Context, first int, processes func() []int) (left []int, err error) {
	begun := time.Now()
	err = Poll(ctx, killLimit, func() bool {
		left = processes()
		if i := slices.Index(left, first); i > 0 {
			left[0], left[i] = left[i], left[0]
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may just have exited
		}
		return len(left) == 0 || time.Since(begun) > hangLimit && notWaiting(left) == 0
	})
	if notWaiting(left) == 0 {
		err = nil
	}
	return left, err
}

// ErrPaused reports that a server was stopped by a signal. It still exists, but does not answer.
var ErrPaused = errors.New("the server was stopped by a signal (SIGSTOP)")

// stoppedState is the state of a process that was stopped by a signal: proc_pid_stat(5).
const stoppedState = "T"

// Paused returns ErrPaused if the server with this PID was stopped by a signal, and another error
// if one of its processes was: a backend that a client waits for, for example.
func Paused(server int) error {
	if State(server) == stoppedState {
		return ErrPaused
	}
	// Servers fork in their first thread. A kernel without CONFIG_PROC_CHILDREN has no such file,
	// and listing all of /proc on every check would cost too much: a run then ends later.
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", server))
	for field := range strings.FieldsSeq(string(children)) {
		if pid, err := strconv.Atoi(field); err == nil && State(pid) == stoppedState {
			return fmt.Errorf("process %d of the server was stopped by a signal (SIGSTOP)", pid)
		}
	}
	return nil
}

// Continue continues the processes that were stopped by a signal. Until then they do not even
// exit, except by SIGKILL.
func Continue(pids []int) {
	for _, pid := range pids {
		if State(pid) == stoppedState {
			_ = syscall.Kill(pid, syscall.SIGCONT) // it may just have exited
		}
	}
}

// notWaiting returns one of the processes that exists and is not blocked on a disk; 0 if none
// does.
func notWaiting(pids []int) int {
	for _, pid := range pids {
		if state := State(pid); state != "D" && state != "" {
			return pid
		}
	}
	return 0
}

// State returns the state letter of proc_pid_stat(5): D is an uninterruptible disk wait. It
// returns "" for a process that no longer exists.
func State(pid int) string {
	process, err := host.ReadProcess(pid)
	if err != nil {
		return ""
	}
	return string(process.State)
}

// ProcessesAt returns the PIDs of the processes whose working directory is place, a path without
// symbolic links, and for which belongs returns true. It does not access the directory itself,
// which may be on a disk that no longer responds. Processes of other users cannot be inspected,
// and are not plinth's.
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
