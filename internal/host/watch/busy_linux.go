package watch

import (
	"cmp"
	"slices"
	"time"

	"plinth/internal/host/proc"
)

// Busiest is the processes that used most CPU themselves, the kernel's threads
// included; what they got from children that ended does not count. The tree of
// plinth is left out.
func Busiest(before, after *Processes, took time.Duration, plinth int) (all []BusyProcess) {
	ours := after.family(plinth)
	for pid, now := range after.byPID {
		used := now.own
		if then, was := before.byPID[pid]; was && then.started == now.started {
			used -= then.own
		}
		cpus := float64(used) / proc.Ticks / took.Seconds()
		if !ours[pid] && cpus >= leastBusy {
			all = append(all, BusyProcess{pid, now.command, cpus})
		}
	}
	slices.SortFunc(all, func(a, b BusyProcess) int {
		return cmp.Or(cmp.Compare(b.CPU, a.CPU), a.PID-b.PID)
	})
	return all[:min(len(all), mostBusy)]
}

const (
	mostBusy  = 5    // processes that are told
	leastBusy = 0.05 // CPUs; less is not worth a line
)
