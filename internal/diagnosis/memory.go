package diagnosis

import (
	"fmt"
	"slices"

	"plinth/internal/diagnosis/share"
)

// pressed returns the share of the time in which threads waited for memory: the server's control group, if
// it has one, or the machine.
func (o *observation) pressed() (of float64, column string) {
	for _, column := range []string{"cgroup.pressure.memory.some", "pressure.memory.some"} {
		if _, why := o.w.Known(column); why == "" {
			return o.mean(column), column
		}
	}
	return 0, ""
}

// leastPressed is the share of the time from which waiting for memory is examined.
const leastPressed = 0.05

// swapTime is the longest that a thread waits for a page from swap, in seconds: that of a slow disk with a queue.
// Assumed, not measured.
const swapTime = 20e-3

// swapped examines pages that are read from swap. Threads wait for memory for other reasons, too: the share is bounded by
// the time that so many reads take. Others may wait behind the thread that reads.
func swapped(o *observation) claim {
	in := o.mean("vmstat.pswpin")
	if in < 1 {
		return not("%.1f pages a second were read from swap", in)
	}
	waits := in * swapTime
	// So many threads wait at a time: a share of the sessions, except with Redis, whose only thread stops all of them.
	if !slices.Contains(redis, o.Environment.Server) {
		waits /= max(1, o.part(share.Unexplained, share.DataRead, share.LWLock, share.Content))
	}
	of, column := o.pressed()
	if column != "" {
		waits = min(waits, of)
	}
	c := claim{
		claims:   some(waits, share.Unexplained, share.DataRead, share.LWLock, share.Content),
		text:     fmt.Sprintf("%.0f pages a second are read from swap", in),
		evidence: []Evidence{{Metric: "vmstat.pswpin", Value: in, Unit: "1/s"}},
	}
	if column != "" {
		c.evidence = append(c.evidence, Evidence{Metric: column, Value: of, Unit: "s/s", Against: 1, Of: "the time"})
	}
	return c
}

// leastScanned is the number of pages a second that programs scan themselves for free memory, from which
// reclaim is examined. Waits for memory alone do not show it: the kernel counts reads of pages that were
// dropped before as such waits, too, and those are cache misses.
const leastScanned = 1000

// reclaimed examines threads that have to free memory before they get some.
func reclaimed(o *observation) claim {
	of, column := o.pressed()
	scanned := o.mean("vmstat.pgscan_direct")
	switch {
	case column == "":
		return skip("for how long threads waited for memory is not known")
	case of < leastPressed:
		return not("threads waited for memory for %s of the time", percent(of))
	case scanned < leastScanned:
		return not("direct reclaim scanned %.0f pages a second", scanned)
	}
	return claim{
		claims: some(of, share.Unexplained, share.CPU, share.DataWrite),
		text:   fmt.Sprintf("threads wait for memory for %s of the time", percent(of)),
		evidence: []Evidence{
			{Metric: column, Value: of, Unit: "s/s", Against: 1, Of: "the time"},
			{Metric: "vmstat.pgscan_direct", Value: scanned, Unit: "1/s"},
		},
	}
}

// compacted examines threads that have to compact memory for a huge page.
func compacted(o *observation) claim {
	n := o.mean("vmstat.compact_stall")
	of, column := o.pressed()
	switch {
	case column == "":
		return skip("for how long threads waited for memory is not known")
	case of < leastPressed:
		return not("threads waited for memory for %s of the time", percent(of))
	case n < 1:
		return not("%.1f times a second, a thread compacted memory for a huge page", n)
	}
	return claim{
		claims: some(of, share.Unexplained, share.CPU),
		text:   fmt.Sprintf("%.0f times a second, a thread compacts memory for a huge page", n),
		evidence: []Evidence{
			{Metric: "vmstat.compact_stall", Value: n, Unit: "1/s"},
			{Metric: column, Value: of, Unit: "s/s", Against: 1, Of: "the time"},
		},
	}
}

// missed examines reads of pages that were not in memory.
func missed(o *observation) claim {
	if o.part(share.DataRead) <= 0 {
		return not("no transaction was seen waiting for a read")
	}
	c := claim{
		claims: all(share.DataRead), text: "transactions wait for pages that are not in memory",
		evidence: o.seen(share.DataRead),
	}
	if hit, known := o.figures["cache-hit"]; known {
		c.text += fmt.Sprintf("; %s were in shared buffers", percent(hit))
		c.evidence = append(c.evidence, Evidence{Metric: "cache-hit", Value: hit, Unit: "1", Against: 1, Of: "all pages"})
	}
	if latency, known := o.figures["data-disk-read-latency"]; known && latency > 0 {
		c.text += ", and a read takes " + Duration(latency)
		c.evidence = append(c.evidence, Evidence{Metric: "data-disk-read-latency", Value: latency, Unit: "ns"})
	}
	return c
}
