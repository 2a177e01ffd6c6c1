package imported

import (
	"cmp"
	"slices"

	"plinth/internal/capture"
	"plinth/internal/device/meaning"
)

// groupSize is the size of a group commit, in bytes.
const groupSize = 64 << 10

// Meaning states what the jobs of fio in an environment mean for PostgreSQL: those that do what it does
// with a disk. It is never nil.
func (o *Outcome) Meaning(environment string) []meaning.Statement {
	f := meaning.Figures{Page: o.pageSize(environment)}
	page := func(block int64) bool { return block == f.Page }
	for _, d := range o.Disks {
		if d.Environment != environment {
			continue
		}
		j := d.Job
		switch {
		case durable(j) && page(j.Block):
			f.Commit.Value = max(f.Commit.Value, j.Write.IOPS)
		case durable(j) && j.Block == groupSize:
			f.Group.Value = max(f.Group.Value, j.Write.IOPS)
		case j.Read == nil || j.Write != nil:
		case pattern(j) == "read" && j.Block >= largeBlock:
			f.Scan = max(f.Scan, j.Read.Bytes)
		case pattern(j) == "randread" && page(j.Block) && j.Depth > 0:
			f.Reads = reads(f.Reads, meaning.Reads{Depth: depth(j), IOPS: j.Read.IOPS})
			if depth(j) == 1 {
				f.Read = max(f.Read, j.Read.IOPS)
			}
		}
	}
	return meaning.Of(f)
}

// postgresPage is the size of a page of PostgreSQL, in bytes.
const postgresPage = 8 << 10

// pageSize returns the size of the requests that stand for a page of PostgreSQL: its own, or if no job has
// it, another one that comes near; 0 if there is none.
func (o *Outcome) pageSize(environment string) int64 {
	var size int64
	for _, d := range o.Disks {
		if d.Environment == environment && page(d.Block) && (size == 0 || d.Block == postgresPage) {
			size = d.Block
		}
	}
	return size
}

// reads adds reads to those of other depths, in ascending order. Of two of one depth, the faster stays.
func reads(all []meaning.Reads, one meaning.Reads) []meaning.Reads {
	at, found := slices.BinarySearchFunc(all, one, func(a, b meaning.Reads) int { return cmp.Compare(a.Depth, b.Depth) })
	if found {
		all[at].IOPS = max(all[at].IOPS, one.IOPS)
		return all
	}
	return slices.Insert(all, at, one)
}

// pattern returns the pattern of a job, as fio names it; "" if the text does not say.
func pattern(j capture.Job) string { return cmp.Or(j.Options["rw"], j.Options["readwrite"]) }

// durable reports whether a job writes one request at a time and makes each durable before the next.
func durable(j capture.Job) bool {
	if j.Write == nil || j.Read != nil || j.Sync == nil || depth(j) != 1 {
		return false
	}
	if j.Sync.Count > 0 && j.Write.Times.Count > 0 {
		return float64(j.Sync.Count) >= 0.99*float64(j.Write.Times.Count)
	}
	return j.Options["fsync"] == "1" || j.Options["fdatasync"] == "1"
}
