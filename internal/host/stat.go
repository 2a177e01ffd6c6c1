package host

import (
	"fmt"
	"os"

	"plinth/internal/host/proc"
)

// ReadProcess reads /proc/PID/stat. The error is fs.ErrNotExist, or ESRCH, for a process
// that is gone.
func ReadProcess(pid int) (proc.Process, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return proc.Process{}, err
	}
	return proc.ParseProcess(text)
}
