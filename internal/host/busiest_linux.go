package host

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"plinth/internal/host/watch"
)

// A processLook reads all processes twice, with other work in between.
type processLook struct {
	began  time.Time
	before *watch.Processes
	err    error
}

func lookAtProcesses() processLook {
	l := processLook{began: time.Now()}
	l.before, l.err = watch.ReadProcesses()
	return l
}

// end waits until busyLook has passed and adds the processes that used most CPU meanwhile.
// It returns an error only if ctx ends.
func (l processLook) end(ctx context.Context, i *Inventory) error {
	enough := time.NewTimer(busyLook - time.Since(l.began))
	defer enough.Stop()
	select {
	case <-ctx.Done():
	case <-enough.C:
	}
	if ctx.Err() != nil { // also if both are ready
		return context.Cause(ctx)
	}
	took := time.Since(l.began)
	after, err := watch.ReadProcesses()
	err = cmp.Or(l.err, err)
	if err == nil && after.Count() == 0 {
		err = errors.New("/proc shows no processes")
	}
	if err != nil {
		i.gap("busiest", err)
		return nil
	}
	i.Busiest = watch.Busiest(l.before, after, took, os.Getpid())
	if hidden() {
		i.gap("busiest", errHidden)
	}
	return nil
}

var errHidden = errors.New("processes of other users are hidden (/proc is mounted with hidepid): root sees them")

// hidden reports whether /proc shows an unprivileged user only their own processes
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
