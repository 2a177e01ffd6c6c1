package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"plinth/internal/diagnosis/share"
	"plinth/internal/record"
)

// pageBytes is the size of a page of PostgreSQL, unless it was built with another one.
const pageBytes = 8192

// recordBytes is the least that a WAL record takes beside its image. An image has no bytes for the hole in its
// page, so their number alone says too much.
const recordBytes = 60

const (
	// atLimit is the share of a limit from which a disk is at it.
	atLimit = 0.85

	// always is the utilisation from which a disk without a known limit is taken to be busy all the time.
	always = 0.9
)

// traffic holds the bytes a second that the disks of a role transfer, and for whom.
type traffic struct {
	role     string // "data" or "wal"
	disks    []string
	total    float64
	server   float64 // of the server's processes
	reads    float64
	wal      float64 // WAL, with its full-page images
	images   float64 // full-page images
	pages    float64 // pages that checkpoints write
	backends float64 // pages that backends and the background writer write
	use      float64 // of its limit; 0 if none is known
	what     string  // "IOPS" or "throughput"
	limit    float64
	from     string
}

// parts returns the parts of the response time that wait for the disks of a role.
func (o *observation) parts(role string) []string {
	switch {
	case slices.Contains(redis, o.Environment.Server):
		return []string{share.AOF}
	case role == "wal":
		return []string{share.WALFlush, share.WALWrite}
	case o.ownWAL():
		return []string{share.DataRead, share.DataWrite, share.Extension, share.TempFile}
	}
	return []string{share.DataRead, share.DataWrite, share.Extension, share.TempFile, share.WALFlush, share.WALWrite}
}

// ownWAL reports whether the WAL has disks of its own.
func (o *observation) ownWAL() bool {
	volumes := o.Environment.Volumes
	return slices.ContainsFunc(volumes, func(v record.Volume) bool { return v.Role == "wal" }) &&
		!slices.Equal(record.DevicesOf(volumes, "wal"), record.DevicesOf(volumes, "data"))
}

// roles returns the roles whose disks are apart.
func (o *observation) roles() []string {
	if o.ownWAL() {
		return []string{"wal", "data"}
	}
	return []string{"data"}
}

// traffic returns what the disks of a role transfer; false if it is not known.
func (o *observation) traffic(role string) (t traffic, known bool) {
	t = traffic{role: role, disks: record.DevicesOf(o.Environment.Volumes, role)}
	if len(t.disks) == 0 {
		return t, false
	}
	for _, disk := range t.disks {
		t.reads += o.mean("diskstats." + disk + ".read_bytes")
		t.total += o.mean("diskstats."+disk+".read_bytes", "diskstats."+disk+".write_bytes")
	}
	for _, what := range []struct{ figure, name string }{{"iops-use", "IOPS"}, {"throughput-use", "throughput"}} {
		if use, is := o.figures[role+"-disk-"+what.figure]; is && use > t.use {
			t.use, t.what = use, what.name
		}
	}
	t.limit, t.from = o.ceiling(t)
	t.server = o.mean("process.server.read_bytes", "process.server.write_bytes")
	if role == "wal" || !o.ownWAL() {
		t.wal = o.mean("wal.bytes")
		t.images = max(0, min(o.mean("wal.fpi")*pageBytes, t.wal-o.mean("wal.records")*recordBytes))
	}
	if role == "data" {
		t.pages = o.mean("buffers_written.checkpointer") * pageBytes
		t.backends = o.mean("buffers_written.backend", "buffers_written.bgwriter") * pageBytes
	}
	return t, t.total > 0
}

// ceiling returns the limit of a disk that is used most, and where it is known from.
func (o *observation) ceiling(t traffic) (limit float64, from string) {
	for _, r := range o.resources {
		for _, disk := range t.disks {
			if r.Ceiling > 0 && (r.Name == disk+" iops" && t.what == "IOPS" || r.Name == disk+" throughput" && t.what == "throughput") {
				return r.Ceiling, r.From
			}
		}
	}
	return 0, ""
}

// occupied reports whether the disks are at a limit, or busy all the time.
func (o *observation) occupied(t traffic) bool {
	return t.use >= atLimit || t.use == 0 && o.figures[t.role+"-disk-utilisation"] >= always
}

// transferring returns the share of the time that the disks of a role need for their bytes: all of it at their limit
// of throughput, or if they are busy and have no known one.
func (o *observation) transferring(t traffic) float64 {
	use, known := o.figures[t.role+"-disk-throughput-use"]
	switch {
	case known && use < atLimit:
		return use
	case known || o.occupied(t) && t.what != "IOPS":
		return 1
	}
	return 0
}

// written returns the most that the server writes to a disk of the WAL in a second. A file of the WAL that is new is
// filled with zeros first. A flush writes whole pages, from the one with its first byte to the one with its last; with
// wal_sync_method = open_datasync only writes are counted, and where neither is, each transaction has one.
func (o *observation) written(t traffic) float64 { return 2*t.wal + 2*pageBytes*o.flushes() }

// flushes returns the number of flushes of the WAL in a second; where they are not counted, that of transactions.
func (o *observation) flushes() float64 {
	if n := max(o.mean("wal.syncs"), o.mean("wal.writes")); n > 0 {
		return n
	}
	return o.division.TPS
}

// shared examines disks that others use as well.
func shared(o *observation) claim {
	const leastOf = 0.4
	if _, why := o.w.Known("process.server.read_bytes", "process.server.write_bytes"); why != "" && !o.ownWAL() {
		return skip("what the server reads and writes is not known")
	}
	for _, role := range o.roles() {
		t, known := o.traffic(role)
		if !known || o.part(o.parts(role)...) == 0 {
			continue
		}
		server := t.server
		if role == "wal" { // the server's bytes are of all disks
			server = o.written(t)
		}
		// The kernel counts a page each time a process makes it dirty, and the disk gets it once, so the server's bytes
		// may be too many. Those of the background load of the experiment (pressure) are exact: it bypasses the cache.
		others := max(t.total-server, min(t.total, o.mean("process.neighbour.read_bytes", "process.neighbour.write_bytes")))
		if others < leastOf*t.total || !o.occupied(t) {
			continue
		}
		return claim{
			claims: some(others/t.total, o.parts(role)...),
			text:   fmt.Sprintf("others use the %s disk: %s of %s are not the server's", role, Rate(others), Rate(t.total)),
			evidence: []Evidence{
				{Metric: role + "-disk-bytes", Value: t.total, Unit: "bytes/s", Against: server, Of: "the server's"},
				{Metric: role + "-disk-utilisation", Value: o.figures[role+"-disk-utilisation"], Unit: "1", Against: 1, Of: "the time"},
			},
		}
	}
	return not("no disk of the server is busy with the requests of others")
}

// atEnd is how many seconds apart a fall of throughput and the end of a burst may be, if the burst is its cause.
const atEnd = 3

// burst examines a disk whose burst has ended. From then on the disk is at its limit, or throughput fell at that time.
func burst(o *observation) claim {
	for _, b := range o.Run.Bursts {
		if b.Ended == nil {
			continue
		}
		role := b.Volume
		if role != "wal" || !o.ownWAL() {
			role = "data"
		}
		t, known := o.traffic(role)
		end := *b.Ended
		fell := o.from > 0 && math.Abs(o.from-end) <= atEnd
		after, _ := o.divide(func(i int) bool { return o.timeline.Seconds[i] >= end })
		if !known || t.use < atLimit && !fell || len(after) == 0 {
			continue
		}
		return claim{
			claims: some(float64(len(after))/float64(o.division.Seconds), o.parts(role)...), during: &episode{from: &end},
			text:     fmt.Sprintf("the burst of the %s volume (%s) is spent from second %.0f on", b.Volume, b.Limit, end),
			evidence: []Evidence{{Metric: role + "-disk-" + map[bool]string{true: "iops", false: "throughput"}[b.Limit == "iops"] + "-use", Value: t.use, Unit: "1", Against: 1, Of: t.from}},
		}
	}
	return not("no burst of a volume ended")
}

// limited examines a known limit of the disks of a role.
func limited(role, what string) func(*observation) claim {
	figure := role + "-disk-" + what + "-use"
	return func(o *observation) claim {
		if role == "wal" && !o.ownWAL() {
			return not("the WAL has no disk of its own")
		}
		use, known := o.figures[figure]
		switch {
		case !known:
			return skip("no limit of the %s disk is known", role)
		case use < atLimit:
			return not("the %s disk was used to %s of its limit", role, percent(use))
		}
		t, _ := o.traffic(role)
		evidence := []Evidence{{Metric: figure, Value: use, Unit: "1", Against: 1, Of: t.from}}
		name := map[string]string{"iops": "IOPS", "throughput": "throughput"}[what]
		text := fmt.Sprintf("the %s disk is at %s of its limit of %s", role, percent(use), name)
		if t.limit > 0 && t.what == name {
			text = fmt.Sprintf("the %s disk is at %s of its limit of %s", role, percent(use), limitText(t))
		}
		if what == "throughput" && t.images > leastImages*t.total {
			text += fmt.Sprintf(", and %s are full-page images", percent(t.images/t.total))
			evidence = append(evidence, Evidence{Metric: "wal.fpi", Value: t.images / pageBytes, Unit: "1/s"})
		}
		return claim{claims: all(o.parts(role)...), text: text, evidence: evidence}
	}
}

// limitText prints the limit of a disk: "3,000 IOPS", "125 MiB/s".
func limitText(t traffic) string {
	if t.what == "IOPS" {
		return fmt.Sprintf("%.0f IOPS", t.limit)
	}
	return Rate(t.limit)
}

// Rate prints bytes a second: "125 MiB/s".
func Rate(bytes float64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.0f KiB/s", bytes/(1<<10))
	}
	if bytes < 10<<20 {
		return fmt.Sprintf("%.1f MiB/s", bytes/(1<<20))
	}
	return fmt.Sprintf("%.0f MiB/s", bytes/(1<<20))
}
