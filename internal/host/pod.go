package host

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"plinth/internal/host/proc"
)

// KillInPod kills (SIGKILL) the first process of a Kubernetes pod on this machine that runs one of some
// programs. A process ID of the pod would not do: the first process of a container ignores signals from
// its own namespace.
func KillInPod(uid string, programs []string) error {
	pid, err := FirstInPod("/proc", uid, programs)
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		return fmt.Errorf("cannot kill %s of the pod: %w", strings.Join(programs, " or "), err)
	}
	return nil
}

// FirstInPod returns the PID of a pod's first process that runs one of some programs: one whose parent
// does not.
func FirstInPod(root, uid string, programs []string) (int, error) {
	directories, err := filepath.Glob(filepath.Join(root, "[0-9]*"))
	if err != nil {
		return 0, err
	}
	parents := map[int]int{} // of the processes that run one
	for _, directory := range directories {
		pid, err := strconv.Atoi(filepath.Base(directory))
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(directory, "stat"))
		if err != nil {
			continue // it has ended
		}
		process, err := proc.ParseProcess(text)
		if err != nil || process.State == 'Z' || !slices.Contains(programs, string(process.Name)) || !inPod(directory, uid) {
			continue
		}
		parents[pid] = process.Parent
	}
	first := 0
	for pid, parent := range parents {
		if _, runs := parents[parent]; !runs && (first == 0 || pid < first) {
			first = pid
		}
	}
	if first == 0 {
		return 0, errors.New("there is no such process on this node")
	}
	return first, nil
}

// inPod reports whether a process is in a control group of a pod. systemd's names of groups have
// underscores.
func inPod(directory, uid string) bool {
	text, err := os.ReadFile(filepath.Join(directory, "cgroup"))
	return err == nil && (bytes.Contains(text, []byte("pod"+uid)) || bytes.Contains(text, []byte("pod"+strings.ReplaceAll(uid, "-", "_"))))
}
