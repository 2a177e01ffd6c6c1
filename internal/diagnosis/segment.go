package diagnosis

import (
	"fmt"
	"maps"

	"plinth/internal/diagnosis/share"
)

// newSegments examines new segments of the WAL: they are filled with zeros and synced while all that need their WAL on
// disk wait. A checkpoint recycles old segments in their place, up to min_wal_size.
func newSegments(o *observation) claim {
	fills := []string{"wait.IO.WALInitWrite", "wait.IO.WALInitSync", "wait.IO.WalInitWrite", "wait.IO.WalInitSync"} // the latter from PostgreSQL 17 on
	init, sync := o.anyOf(fills...), o.anyOf("wait.IO.WALSync", "wait.IO.WalSync")
	if init == 0 {
		return not("no session was seen filling a new segment of the WAL")
	}
	write, flush := o.part(share.WALWrite), o.part(share.WALFlush)
	waiting := max(0, flush-sync) // for the session that fills, writes or syncs
	c := claim{
		claims: some(init/write, share.WALWrite),
		text:   fmt.Sprintf("new segments of the WAL are filled and synced during %s of the time, as there are none to recycle", percent(min(1, init))),
	}
	if flush > 0 {
		maps.Copy(c.claims, some(waiting/flush*init/max(write+sync, init+sync), share.WALFlush))
	}
	for _, column := range fills {
		if v := o.mean(column); v > 0 {
			c.evidence = append(c.evidence, Evidence{Metric: column, Value: v, Unit: "1", Against: o.division.InFlight, Of: "transactions in flight"})
		}
	}
	return c
}

// leastCPU is the CPU time a second from which it is mentioned.
const leastCPU = 0.05

// archived examines the archiver, with its archive_command: the CPU time that it takes from others, and what it writes
// to the disk of the data or of the WAL if the archive is on the same one.
func archived(o *observation) claim {
	n, cpu := o.mean("archiver.archived"), o.mean("process.server.archiver.cpu")
	if n == 0 && o.mean("archiver.failed") == 0 && cpu == 0 {
		return not("no segment of the WAL was archived")
	}
	busy, parts := o.busy(), []string{share.RunDelay, share.GeneratorDelay}
	if own, cpus := o.apart(); cpus > 0 {
		busy, parts = own, parts[:1]
	}
	c := claim{
		claims: some(cpu/busy*(1-o.exhausted()), parts...),
		text:   fmt.Sprintf("the archiver archives %.2f segments of the WAL a second", n),
		evidence: []Evidence{
			{Metric: "process.server.archiver.cpu", Value: cpu, Unit: "s/s", Against: busy, Of: "CPU time in use"},
			{Metric: "archiver.archived", Value: n, Unit: "1/s"},
		},
	}
	if cpu >= leastCPU {
		c.text += fmt.Sprintf(", and uses %.2f CPUs", cpu)
	}
	for _, role := range o.roles() {
		t, known := o.traffic(role)
		if !known || o.transferring(t) == 0 {
			continue
		}
		// The archive may be elsewhere: it is not more than what nothing else is known to transfer.
		wrote := o.mean("process.server.archiver.write_bytes")
		bytes := min(wrote, max(0, t.total-o.own(t)))
		if bytes < least*t.total {
			continue
		}
		for _, part := range o.parts(role) {
			c.claims[part] = bytes / t.total * o.transferring(t)
		}
		c.text += fmt.Sprintf(", and writes %s to the %s disk", Rate(bytes), role)
		c.evidence = append(c.evidence, Evidence{Metric: "process.server.archiver.write_bytes", Value: wrote, Unit: "bytes/s", Against: t.total, Of: "what the disk transfers"})
	}
	return c
}

// own returns the bytes that a disk transfers for the server itself, apart from archiving, as far as they are known.
func (o *observation) own(t traffic) float64 {
	bytes := t.reads + t.wal + t.pages + t.backends
	if t.wal > 0 {
		bytes += pageBytes * o.flushes() // each writes up to a page more than its WAL
	}
	if t.role == "data" {
		bytes += o.mean("pg_stat_database.temp_bytes")
	}
	return bytes
}
