package kernel

import (
	"bytes"

	"plinth/internal/host/proc"
)

// paths adds up the counters of the paths of a multipath NVMe disk.
type paths struct {
	begin, end []byte // of their names
	sum        counters
	// busy is how long the busiest path was busy in each second, in milliseconds: paths are busy at the same
	// time.
	busy, busiest uint64
	last          map[string]uint64 // how long each path was busy, at the last reading
}

// pathsOf returns the paths of a disk; nil if it is no NVMe disk.
func pathsOf(disk string) *paths {
	begin, end := proc.NVMePaths(disk)
	if begin == "" {
		return nil
	}
	return &paths{begin: []byte(begin), end: []byte(end), last: map[string]uint64{}}
}

// see reads a line if it is that of a path.
func (p *paths) see(name, line []byte) {
	if !bytes.HasPrefix(name, p.begin) || !bytes.HasSuffix(name, p.end) {
		return
	}
	var one proc.Disk
	p.sum.known = proc.CutNumbers(line, one[:])
	p.sum.numbers.Add(one, p.sum.known)
	if last, seen := p.last[string(name)]; seen && one[proc.DiskBusy] > last {
		p.busiest = max(p.busiest, one[proc.DiskBusy]-last)
	}
	p.last[string(name)] = one[proc.DiskBusy]
}

// take returns the counters of a reading; known is 0 if there was no path.
func (p *paths) take() counters {
	sum := p.sum
	p.busy += p.busiest
	sum.numbers[proc.DiskBusy] = p.busy
	p.sum, p.busiest = counters{}, 0
	return sum
}
