package demand

import (
	"fmt"
	"time"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
	"plinth/internal/record"
)

// Saving says what the child processes of Redis wrote that save an RDB file or rewrite the append-only file.
type Saving struct {
	Share float64     // of the time in which there was one, from 0 to 1
	Used  device.Used // operations and bytes a second of that time
}

// beside adds what runs beside the server's thread: child processes, and a replica. Always says that requests wait for syncs.
func (c *Cell) beside(s *closed.System, l load, e record.Environment, always bool) (err error) {
	if always && l.saving > 0 {
		return hint.Errorf(`measure it with settings: {save: "", auto-aof-rewrite-percentage: "0"}`,
			"a file was saved or rewritten while requests waited for syncs of the same disk, which the model does not cover")
	}
	if c.Saving, err = l.saved(e.Settings["appendfsync"] == "everysec"); err != nil {
		return err
	}
	c.Saving.emulation(s)
	if e.Replica == nil {
		return nil
	}
	return l.followed(s, e.Replica)
}

// leastShare is the share of the time from which it is known how fast child processes write: below, what the filesystem's
// journal writes at other times would look like a fast child.
const leastShare = 0.05

// saved returns what child processes wrote; nil if there were none. Syncs says that what was appended to the append-only file
// was written while the load lasted.
func (l load) saved(syncs bool) (*Saving, error) {
	if l.saving == 0 {
		return nil, nil
	}
	if l.writeBytes == 0 {
		return nil, fmt.Errorf("a file was saved or rewritten, and what was written to the disk was not measured")
	}
	rest := 1.0
	if syncs {
		rest = max(0, 1-l.wal/l.writeBytes)
	}
	share := max(l.saving, leastShare)
	return &Saving{l.saving, device.Used{Operations: l.writes * rest / share, Bytes: l.writeBytes * rest / share}}, nil
}

// emulation adds the CPU time of an emulated disk for what child processes write, which is not simulated.
func (s *Saving) emulation(to *closed.System) {
	if s != nil {
		to.Background += s.Share * (s.Used.Operations*to.Path.Seconds() + s.Used.Bytes/1024*to.Copy.Seconds())
	}
}

// lagging is the number of seconds of the stream of replication from which a replica falls behind. It reports where it is once
// a second.
const lagging = 3

// followed adds the CPU time of a replica on the same machine, and of the emulators of its disks.
func (l load) followed(s *closed.System, replica *record.Replica) error {
	limits := replica.Limits
	switch {
	case l.replica == 0:
		return fmt.Errorf("the CPU time of the replica was not measured")
	case s.Others > 0, limits != nil && (limits.CPUs != "" && !limits.Shared || limits.CPUQuota > 0 || limits.CPUCredits != nil):
		return hint.Errorf("measure it without limits of CPUs", "in the model the server and its replica share all CPUs; here one of them is limited to some")
	case replica.Settings["appendonly"] == "yes" && replica.Settings["appendfsync"] == "always":
		return hint.Errorf("measure it with appendfsync: everysec of the replica", "the replica syncs its append-only file, which the model does not cover")
	}
	s.Loop.Follow = time.Duration((l.replica + l.following) / l.batches() * 1e9)
	return nil
}
