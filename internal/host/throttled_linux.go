package host

import (
	"errors"
	"fmt"
	"io/fs"

	"plinth/internal/host/proc"
)

// throttleMeter reads how long CPU quotas held a process back.
type throttleMeter struct {
	group controlGroup
	err   error
}

func newThrottleMeter(root fs.FS, pid int) throttleMeter {
	cgroup, err := fs.ReadFile(root, fmt.Sprintf("proc/%d/cgroup", pid))
	if err != nil {
		return throttleMeter{err: err}
	}
	group := cpuGroupOf(root, string(cgroup))
	if len(group.dirs) == 0 {
		return throttleMeter{err: errors.New("the process is in no control group for CPU time")}
	}
	return throttleMeter{group: group}
}

// read is the sum in seconds over the group and all above it: each counts what
// its own quota held back. A group that can't be seen from inside a container
// is left out, but one at least must be there.
func (m throttleMeter) read(root fs.FS) (seconds float64, err error) {
	if m.err != nil {
		return 0, m.err
	}
	found := false
	for _, dir := range m.group.dirs {
		text, failed := fs.ReadFile(root, dir+"/cpu.stat")
		if failed != nil {
			err = failed
			continue
		}
		found = true
		seconds += parseCPUStat(text, m.group.version)
	}
	if found {
		return seconds, nil
	}
	return 0, err
}

// parseCPUStat is the time in seconds that a quota held a group back, from its
// cpu.stat: throttled_usec of version 2, throttled_time in nanoseconds of
// version 1. A group that can have no quota (the top one) does not count, and
// was never held back.
func parseCPUStat(text []byte, version int) float64 {
	var n [1]proc.Value
	keys, perSecond := throttled2, 1e6
	if version == 1 {
		keys, perSecond = throttled1, 1e9
	}
	_ = keys.Parse(text, n[:]) // none is none
	return float64(n[0].N) / perSecond
}

var throttled1, throttled2 = proc.NewKeyed("throttled_time"), proc.NewKeyed("throttled_usec")
