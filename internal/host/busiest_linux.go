package host

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"plinth/internal/host/proc"
)

const (
	mostBusy  = 5    // processes that are told
	leastBusy = 0.05 // CPUs; less is not worth a line
)

// processLook reads all processes twice, with other work in between.
type processLook struct {
	began  time.Time
	before *Processes
	err    error
}

func lookAtProcesses() processLook {
	l := processLook{began: time.Now()}
	l.before, l.err = ReadProcesses()
	return l
}

// end waits until the look was long enough and adds who used most CPU in it. The
// error is that of ctx.
func (l processLook) end(ctx context.Context, i *Inventory) error {
	enough := time.NewTimer(busyLook - time.Since(l.began))
	defer enough.Stop()
	select {
	case <-ctx.Done():
	case <-enough.C:
	}
	if ctx.Err() != nil { // also when both came to pass
		return context.Cause(ctx)
	}
	took := time.Since(l.began)
	after, err := ReadProcesses()
	err = cmp.Or(l.err, err)
	if err == nil && len(after.byPID) == 0 {
		err = errors.New("/proc shows no processes")
	}
	if err != nil {
		i.gap("busiest", err)
		return nil
	}
	i.Busiest = busiest(l.before, after, took, os.Getpid())
	if hidden() {
		i.gap("busiest", errHidden)
	}
	return nil
}

var errHidden = errors.New("processes of other users are hidden (/proc is mounted with hidepid): root sees them")

// hidden says whether /proc shows an ordinary user his own processes only
// (Documentation/filesystems/proc.rst).
func hidden() bool {
	proc, err := FilesystemOf("/proc")
	if err != nil || os.Geteuid() == 0 {
		return false
	}
	for option := range strings.SplitSeq(proc.Options, ",") {
		switch option {
		case "hidepid=1", "hidepid=2", "hidepid=4", "hidepid=noaccess", "hidepid=invisible", "hidepid=ptraceable":
			return true
		}
	}
	return false
}

// busiest is the processes that used most CPU themselves, the kernel's threads
// included; what they got from children that ended does not count. The tree of
// plinth is left out.
func busiest(before, after *Processes, took time.Duration, plinth int) (all []BusyProcess) {
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
