package emulator

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host/proc"
)

// whereThreads says where the threads of a process wait in the kernel, and in which states (proc_pid_stat(5),
// proc_pid_wchan(5)): "1 D jbd2_log_wait_commit, 3 S futex_do_wait". It tells a slow disk from a fault of the program.
func whereThreads(pid int) string {
	count := map[string]int{}
	tasks, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*"))
	for _, task := range tasks {
		text, err := os.ReadFile(filepath.Join(task, "stat"))
		if err != nil {
			continue // the thread has ended
		}
		thread, err := proc.ParseProcess(text)
		if err != nil {
			continue
		}
		text, _ = os.ReadFile(filepath.Join(task, "wchan"))
		where := strings.TrimSpace(string(text))
		switch {
		case thread.State == 'R':
			where = "running"
		case where == "" || where == "0":
			where = "?" // the kernel does not show it
		}
		count[fmt.Sprintf("%c %s", thread.State, where)]++
	}
	var all []string
	for _, where := range slices.Sorted(maps.Keys(count)) {
		all = append(all, fmt.Sprintf("%d %s", count[where], where))
	}
	return strings.Join(all, ", ")
}
