package host

import (
	"os"
	"strconv"
	"time"

	"plinth/internal/host/proc"
)

// ProcessTime is the CPU time that the first thread of a process has used, which is
// all of a process with one; false where it is not known. It is exact to the
// nanosecond (Documentation/scheduler/sched-stats.rst), unlike the ticks of
// /proc/PID/stat.
func ProcessTime(pid int) (time.Duration, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/schedstat")
	if err != nil {
		return 0, false
	}
	s, known := proc.ParseSchedstat(text)
	return time.Duration(s.Running), known
}
