package probe

import (
	"time"

	"plinth/internal/driver/fio"
	"plinth/internal/unit"
)

// page is the block size of PostgreSQL, for data and WAL.
const page = 8 * unit.KiB

// chunk is the size of sequential requests: the largest that cloud SSD volumes count as one
// operation.
const chunk = 256 * unit.KiB

// Step is one measurement of a probe.
type Step struct {
	Name    string      `json:"name"` // "commit", "read-16", ...; stable
	Pattern fio.Pattern `json:"pattern"`
	Block   unit.Size   `json:"block"`
	Depth   int         `json:"queue_depth"`
	Reads   int         `json:"reads_percent,omitempty"` // of a mixed step
	Durable bool        `json:"durable,omitempty"`       // fdatasync follows each write
	// Buffered requests go through the page cache, as WAL does.
	Buffered bool `json:"buffered,omitempty"`
}

// The names of steps that other code refers to.
const (
	Commit    = "commit"     // 8 KiB and fdatasync, through the page cache: as WAL does for one commit
	Group     = "group"      // the same with 64 KiB: the commits of several clients at once
	Flush     = "flush"      // a direct write, then fdatasync: only the latter is measured
	ScanRead  = "scan-read"  // sequential
	ScanWrite = "scan-write" // sequential
	Mixed     = "mixed"      // random, 70 % reads
	Read1     = "read-1"
	Write1    = "write-1"
)

// groupSize is the size of a group commit.
const groupSize = 64 * unit.KiB

var steps = []Step{
	{Name: Commit, Pattern: fio.Write, Block: page, Depth: 1, Durable: true, Buffered: true},
	{Name: Group, Pattern: fio.Write, Block: groupSize, Depth: 1, Durable: true, Buffered: true},
	{Name: Flush, Pattern: fio.Write, Block: page, Depth: 1, Durable: true},
	{Name: Read1, Pattern: fio.RandomRead, Block: page, Depth: 1},
	{Name: "read-4", Pattern: fio.RandomRead, Block: page, Depth: 4},
	{Name: "read-16", Pattern: fio.RandomRead, Block: page, Depth: 16},
	{Name: "read-64", Pattern: fio.RandomRead, Block: page, Depth: 64},
	{Name: Write1, Pattern: fio.RandomWrite, Block: page, Depth: 1},
	{Name: "write-4", Pattern: fio.RandomWrite, Block: page, Depth: 4},
	{Name: "write-16", Pattern: fio.RandomWrite, Block: page, Depth: 16},
	{Name: "write-64", Pattern: fio.RandomWrite, Block: page, Depth: 64},
	{Name: Mixed, Pattern: fio.RandomMixed, Block: page, Depth: 16, Reads: 70},
	{Name: ScanRead, Pattern: fio.Read, Block: chunk, Depth: 16},
	{Name: ScanWrite, Pattern: fio.Write, Block: chunk, Depth: 16},
}

// stepsFor returns the steps that a target allows.
func stepsFor(t Target) []Step {
	if !t.ReadOnly {
		return steps
	}
	var reading []Step
	for _, s := range steps {
		if !s.Pattern.Writes() {
			reading = append(reading, s)
		}
	}
	return reading
}

// job returns the load of a step for a target that may not support direct I/O.
func (s Step) job(t Target) fio.Job {
	return fio.Job{Name: s.Name, Pattern: s.Pattern, Block: s.Block, Depth: s.Depth, Reads: s.Reads,
		Durable: s.Durable, Buffered: s.Buffered || !t.Direct}
}

const (
	// mostSlices is the maximum number of slices: six is the minimum for a 95 % interval.
	mostSlices = 6
	// between is the time that fio needs from one step to the next.
	between = 270 * time.Millisecond
	// shortest is the minimum duration of a step in a slice.
	shortest = 100 * time.Millisecond
)

// Shortest is the minimum duration of a probe: one slice.
const Shortest = 6 * time.Second

// plan divides time among slices and steps.
type plan struct {
	slices int
	step   time.Duration // measured duration of one step in one slice
}

func newPlan(steps int, total time.Duration) plan {
	slices := int(total / (time.Duration(steps) * (between + shortest)))
	slices = min(max(slices, 1), mostSlices)
	step := total/time.Duration(steps*slices) - between
	return plan{slices, max(step, shortest).Truncate(time.Millisecond)}
}

// slice returns the duration of one slice.
func (p plan) slice(steps int) time.Duration {
	return time.Duration(steps) * (p.step + between)
}
