package host

import (
	"fmt"
	"os"

	"plinth/internal/host/proc"
)

// ReadProcess reads /proc/PID/stat. For a process that no longer exists the error is
// fs.ErrNotExist or ESRCH.
func ReadProcess(pid int) (proc.Process, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return proc.Process{}, err
	}
	return proc.ParseProcess(text)
}
