package diagnosis

import (
	"fmt"

	"plinth/internal/diagnosis/share"
)

// flushed examines what commits wait for.
func flushed(o *observation) claim {
	if o.part(share.WALFlush) <= 0 {
		return not("no transaction was seen waiting for a flush")
	}
	c := claim{claims: all(share.WALFlush, share.WALWrite), text: "commits wait for the WAL to be flushed", evidence: o.seen(share.WALFlush)}
	if latency, known := o.figures["wal-sync-latency"]; known {
		c.text += "; a flush takes " + Duration(latency)
		c.evidence = append(c.evidence, Evidence{Metric: "wal-sync-latency", Value: latency, Unit: "ns"})
		if group, known := o.figures["commits-per-flush"]; known && group > 0 {
			c.text += fmt.Sprintf(", for %.1f commits", group)
			c.evidence = append(c.evidence, Evidence{Metric: "commits-per-flush", Value: group, Unit: "1"})
		}
	}
	return c
}

// leastImages is the share of a disk's traffic from which full-page images are mentioned.
const leastImages = 0.3

// imaged examines full-page images after checkpoints within the window: where the disk that takes the WAL is
// at its limit of throughput, they cost their share of the bytes. Those of the pages that were not changed
// since the checkpoint before the run are a matter of the disk.
func imaged(o *observation) claim {
	t, known := o.traffic(o.roles()[0])
	n := o.mean("checkpoints.timed", "checkpoints.requested") * float64(o.division.Seconds)
	switch {
	case !known || t.wal == 0:
		return skip("the traffic of the WAL's disk is not known")
	case n < 0.5:
		return not("no checkpoint began in the window")
	case t.images < leastImages*t.total:
		return not("full-page images are %s of what the disk transfers", percent(t.images/t.total))
	case o.transferring(t) == 0:
		return not("full-page images are %s of the WAL, but its disk has throughput left", percent(t.images/t.wal))
	}
	return claim{
		claims: some(t.images/t.total*o.transferring(t), share.WALFlush, share.WALWrite, share.WALInsert),
		text:   fmt.Sprintf("full-page images after %.0f checkpoints are %s of the WAL (%s)", n, percent(t.images/t.wal), Rate(t.wal)),
		evidence: []Evidence{
			{Metric: "wal.fpi", Value: t.images / pageBytes, Unit: "1/s"},
			{Metric: "wal.bytes", Value: t.wal, Unit: "bytes/s", Against: t.images, Of: "full-page images"},
		},
	}
}

// frequent is the number of seconds between checkpoints below which they are too frequent: PostgreSQL's
// checkpoint_warning.
const frequent = 30

// checkpointed examines checkpoints, and says how long those that ended wrote pages and synced files.
func checkpointed(o *observation) claim {
	c := o.checkpointed()
	wrote, synced := o.mean("checkpoints.write_time"), o.mean("checkpoints.sync_time")
	if c.not == "" && c.skip == "" && wrote+synced > 0 {
		seconds := float64(o.division.Seconds)
		c.text += fmt.Sprintf("; those that ended wrote pages for %.1f s, and synced files for %.1f s", wrote*seconds, synced*seconds)
		c.evidence = append(c.evidence, Evidence{Metric: "checkpoints.write_time", Value: wrote, Unit: "s/s"}, Evidence{Metric: "checkpoints.sync_time", Value: synced, Unit: "s/s"})
	}
	return c
}

// checkpointed examines those checkpoints that come and go by what is slower while they run, and those that never end,
// or come all the time, by what the disk transfers for them.
func (o *observation) checkpointed() claim {
	pages := o.w.Of("buffers_written.checkpointer")
	if n := pages.Mean().Value; n*pageBytes < 1<<16 {
		return not("checkpoints wrote %.0f pages a second", n)
	}
	if rate := o.mean("checkpoints.requested"); rate*frequent > 1 && rate*float64(o.division.Seconds) > 2 {
		if c := o.often(1 / rate); c.not == "" {
			return c
		}
	}
	if c := during("a checkpoint runs", checkpoints, "buffers_written.checkpointer")(o); c.not == "" {
		return c
	}
	t, known := o.traffic("data")
	if !known || o.transferring(t) == 0 || t.pages < 0.2*t.total {
		return not("throughput is the same while checkpoints run")
	}
	return claim{
		claims: some(t.pages/max(t.total, t.pages)*o.transferring(t), o.parts("data")...), basis: Counted,
		text: fmt.Sprintf("checkpoints write %s of the %s on the data disk", Rate(t.pages), Rate(t.total)),
		evidence: []Evidence{
			{Metric: "buffers_written.checkpointer", Value: t.pages / pageBytes, Unit: "1/s"},
			{Metric: "data-disk-bytes", Value: t.total, Unit: "bytes/s", Against: t.pages, Of: "checkpoints"},
		},
	}
}

// often examines checkpoints that come all the time, as max_wal_size is small: the disks transfer their pages, and
// the full-page images of all pages that are changed after each.
func (o *observation) often(interval float64) claim {
	data, known := o.traffic("data")
	if !known {
		return not("the traffic of the data disk is not known")
	}
	claims := map[string]float64{}
	log, bytes := data, data.pages
	if o.ownWAL() {
		log, _ = o.traffic("wal")
		bytes = 0
	}
	for _, part := range o.parts("data") {
		claims[part] = min(1, data.pages/data.total*o.transferring(data))
	}
	for _, part := range o.parts("wal") {
		claims[part] = min(1, (bytes+log.images)/max(log.total, 1)*o.transferring(log))
	}
	if o.worth(claims) < least*o.division.InFlight {
		return not("the disks have throughput left")
	}
	return claim{
		claims: claims, basis: Counted,
		text: fmt.Sprintf("a checkpoint begins every %.1f s, as max_wal_size is reached; their pages are %s of the %s on the data disk, and full-page images %s",
			interval, Rate(data.pages), Rate(data.total), Rate(log.images)),
		evidence: []Evidence{
			{Metric: "checkpoints.requested", Value: 1 / interval, Unit: "1/s", Against: 1.0 / frequent, Of: "checkpoint_warning"},
			{Metric: "buffers_written.checkpointer", Value: data.pages / pageBytes, Unit: "1/s"},
			{Metric: "wal.fpi", Value: log.images / pageBytes, Unit: "1/s"},
			{Metric: "data-disk-bytes", Value: data.total, Unit: "bytes/s"},
		},
	}
}

// evictTime is the CPU time that a backend needs to write a page into the page cache and to use its buffer, in
// seconds: assumed, not measured.
const evictTime = 15e-6

// evicted examines backends that have to write a page before they can read another one. Where commits do not
// wait for the WAL, they wait for it here: a page is written only after its WAL.
func evicted(o *observation) claim {
	n := o.mean("buffers_written.backend")
	often := n/o.division.TPS >= 0.3
	if !often && o.part(share.DataWrite) == 0 {
		return not("backends wrote %.2f pages for each transaction", n/o.division.TPS)
	}
	claims := all(share.DataWrite)
	cpu := min(0.5, n*evictTime/max(o.part(share.CPU), 1e-9))
	claims[share.CPU], claims[share.RunDelay] = cpu, cpu
	if often && o.Environment.Settings["synchronous_commit"] == "off" {
		claims[share.WALFlush], claims[share.WALWrite] = 1, 1
	}
	c := claim{claims: claims, text: "backends wait while they write pages themselves", evidence: o.seen(share.DataWrite)}
	if n > 0 { // up to PostgreSQL 15, the counter waits for the checkpointer
		c.text = fmt.Sprintf("backends write %.1f pages for each transaction themselves", n/o.division.TPS)
		c.evidence = append([]Evidence{
			{Metric: "buffers_written.backend", Value: n, Unit: "1/s", Against: o.mean("buffers_written.checkpointer", "buffers_written.bgwriter"), Of: "checkpointer and background writer"},
		}, c.evidence...)
	}
	if second, ranOut := o.lastBuffer(); ranOut {
		c.text += fmt.Sprintf(", since no shared buffer is free from second %.0f on", second)
	}
	return c
}

// lastBuffer returns the second in which a server used the last of its free shared buffers. Until then, it could read pages
// without writing others.
func (o *observation) lastBuffer() (second float64, ranOut bool) {
	for i, second := range o.all.Seconds {
		if free := o.all.At("buffers_free", i); free <= 0 {
			return second, i > 0
		}
	}
	return 0, false
}

// spilled examines temporary files. They mostly stay in the page cache, so the waits for them are short: what
// the queries that spill cost is their CPU time as well.
func spilled(o *observation) claim {
	bytes := o.mean("pg_stat_database.temp_bytes")
	each := bytes / o.division.TPS
	if bytes < 1<<20 || each < pageBytes {
		return not("transactions wrote %.0f bytes each to temporary files", each)
	}
	files := o.mean("pg_stat_database.temp_files") / o.division.TPS
	return claim{
		claims: all(share.TempFile, share.CPU, share.RunDelay),
		text:   fmt.Sprintf("transactions write %.1f MiB to temporary files each (%.1f files)", each/(1<<20), files),
		evidence: append([]Evidence{
			{Metric: "pg_stat_database.temp_bytes", Value: bytes, Unit: "bytes/s"},
		}, o.seen(share.TempFile)...),
	}
}
