package layout

import (
	"cmp"
	"fmt"

	"plinth/internal/hint"
	"plinth/internal/instance"
	"plinth/internal/unit"
)

// What is assumed if an input does not say it.
const (
	usualMonths    = 12
	usualReadShare = Share(0.8)
	// bytesOfCommit is the WAL of a transaction that changes a row of a few hundred bytes and an entry
	// of an index, with its part of the full pages that follow a checkpoint (assumed).
	bytesOfCommit = 2 * unit.KiB
	// blocksOfLookup are the blocks of a lookup that may not be in memory: a leaf of the index and a
	// block of the table. The blocks above the leaf always are (assumed).
	blocksOfLookup = 2
	// blocksOfChange are the blocks that a changed row writes: one of the table and one of an index, if
	// no two changes meet in a block between two checkpoints, which is the most.
	blocksOfChange = 2
	// shareOfMemory is the part of the memory that caches data: shared_buffers and the page cache
	// (assumed).
	shareOfMemory = 0.75
)

// completed is an input without gaps, and what was assumed to fill them.
type completed struct {
	Input
	instance *instance.Instance
	assumes  []string
}

func (c *completed) assume(format string, args ...any) {
	c.assumes = append(c.assumes, fmt.Sprintf(format, args...))
}

// complete fills the gaps of an input.
func (in Input) complete() (*completed, error) {
	c := &completed{Input: in.clone()}
	if err := in.wrong(); err != nil {
		return nil, err
	}
	switch {
	case len(in.Objects) == 0 && in.Size == 0:
		return nil, hint.Errorf("write size: 500GiB, or list objects; on the command line --size 500GiB", "the size of the database is not stated")
	case in.TPS == 0:
		return nil, hint.Errorf("write tps: 2000; on the command line --tps 2000", "the transactions a second are not stated, or 0")
	}
	if in.Instance != "" {
		i, err := instance.Find(in.Instance)
		if err != nil {
			return nil, err
		}
		c.instance = &i
	}
	c.Name = cmp.Or(in.Name, "a database")
	c.Standby = cmp.Or(in.Standby, NoStandby)
	c.Months = cmp.Or(in.Months, usualMonths)
	if in.ReadShare == nil {
		usual := usualReadShare
		c.ReadShare = &usual
		c.assume("%s of the transactions only read: the read share is not stated", unit.Share(usual))
	}
	if _, growth := in.sizes(); growth == 0 {
		c.assume("the database does not grow: no growth is stated")
	}
	c.wal()
	c.objects()
	return c, nil
}

// wal fills the gaps of the WAL.
func (c *completed) wal() {
	w := &c.WAL
	if w.Commits == 0 {
		w.Commits = c.TPS * (1 - float64(*c.ReadShare))
		c.assume("each transaction that writes waits for one write of the WAL: %s a second", count(w.Commits))
	}
	switch {
	case w.Rate > 0 && w.Commits > 0:
		w.Bytes = unit.Size(min(max(1, float64(w.Rate)/w.Commits), float64(mostPerWrite)))
	case w.Bytes == 0 && w.Commits > 0:
		w.Bytes = bytesOfCommit
		c.assume("a commit has %s of WAL, with its part of the full pages after a checkpoint", w.Bytes)
	}
	w.Rate = unit.Rate(w.Commits * float64(w.Bytes))
}

// objects gives the database objects with reads and writes.
func (c *completed) objects() {
	if len(c.Objects) == 0 {
		c.Objects["data"] = Object{Size: c.Size, Growth: c.Growth}
		c.assume("the whole database is one object, equally hot: list the objects in a file (--yaml prints one to begin with), and what is cold can go to a cheaper disk")
		c.Size, c.Growth = 0, 0
	}
	if c.rated() {
		return
	}
	now, growth := c.sizes()
	missing := 1.0
	if size := c.end(now, growth); c.instance == nil {
		c.assume("each lookup reads %d blocks from the disk: without an instance it is not known how much memory there is", blocksOfLookup)
	} else {
		missing = max(0, 1-shareOfMemory*float64(c.instance.Memory)/float64(size))
		c.assume("each lookup needs %d blocks, of which %.0f%% are not in memory: %.0f%% of the %s of %s is cache, for %s that are used alike",
			blocksOfLookup, 100*missing, 100*shareOfMemory, c.instance.Memory, c.instance.Name, size)
	}
	reads := c.TPS * blocksOfLookup * missing
	writes := c.TPS * (1 - float64(*c.ReadShare)) * blocksOfChange
	if writes > 0 {
		c.assume("a transaction that writes changes %d blocks, and each is written to the disk once", blocksOfChange)
	}
	for name, o := range c.Objects {
		share := float64(o.Size) / float64(now)
		o.Reads, o.Writes = reads*share, writes*share
		c.Objects[name] = o
	}
	if len(c.Objects) > 1 {
		c.assume("reads and writes are spread over the objects by their sizes: none has any of its own")
	}
}

// count formats a rate.
func count(f float64) string { return unit.Grouped(f, 0) }
