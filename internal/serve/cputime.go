package serve

import (
	"syscall"
	"time"
)

// cpuTime is the CPU time of the process so far (getrusage(2)). What it did beside
// counts, too: it says too much rather than too little.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
