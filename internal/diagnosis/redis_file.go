package diagnosis

import (
	"fmt"
	"maps"
	"math"

	"plinth/internal/diagnosis/share"
)

// forked examines forks: the thread copies its page tables meanwhile.
func forked(o *observation) claim {
	n := o.mean("info.total_forks") * float64(o.division.Seconds)
	if n < 0.5 || o.part(share.Fork) <= 0 {
		return not("the server did not fork in the window")
	}
	each := o.figures["fork-time-worst"]
	return claim{
		claims: all(share.Fork),
		text:   fmt.Sprintf("the server forked %.0f times, for up to %s each", n, Duration(each)),
		evidence: []Evidence{
			{Metric: "info.total_forks", Value: n / float64(o.division.Seconds), Unit: "1/s"},
			{Metric: "fork-time-worst", Value: each, Unit: "ns"},
		},
	}
}

// fsynced examines an append-only file that is flushed before each reply.
func fsynced(o *observation) claim {
	if policy := o.Environment.Settings["appendfsync"]; policy != "always" {
		return not("appendfsync is %s", policy)
	}
	if o.part(share.AOF) <= 0 {
		return not("the thread did not wait for the append-only file")
	}
	// A flush puts the thread to sleep, and after it the thread waits for a CPU again. Between two flushes it
	// sleeps at most once more: until there is a request.
	claims := all(share.AOF)
	claims[share.RunDelay] = 0.5
	// The event loop's time in user mode is taken to grow like that in the kernel: after each sleep its caches are cold,
	// which no counter shows.
	claims[share.EventLoop] = o.beyondSockets()
	o.alsoCrowded(claims, o.diskCPU())
	c := claim{claims: claims, text: "replies wait for the append-only file to be flushed", evidence: o.fileEvidence()}
	if each, known := o.figures["data-disk-flush-latency"]; known && each > 0 {
		c.text += "; a flush of the disk takes " + Duration(each)
		c.evidence = append(c.evidence, Evidence{Metric: "data-disk-flush-latency", Value: each, Unit: "ns"})
	}
	return c
}

// journalled is how many bytes a disk writes at most for a byte that the server writes: a flush of a few bytes
// writes their page, and blocks of the filesystem's journal.
const journalled = 6

// sharedFile examines the disk of the append-only file, which others may use as well.
func sharedFile(o *observation) claim {
	const leastOf = 0.4
	t, known := o.traffic("data")
	if !known {
		return skip("the traffic of the data disk is not known")
	}
	others := t.total - journalled*t.server
	if o.part(share.AOF) <= 0 || others < leastOf*t.total || !o.occupied(t) {
		return not("others do not keep the data disk busy")
	}
	return claim{
		claims: some(others/t.total, share.AOF),
		text:   fmt.Sprintf("others use the data disk: at least %s of %s are not the server's", Rate(others), Rate(t.total)),
		evidence: []Evidence{
			{Metric: "data-disk-bytes", Value: t.total, Unit: "bytes/s", Against: t.server, Of: "the server's"},
			{Metric: "data-disk-utilisation", Value: o.figures["data-disk-utilisation"], Unit: "1", Against: 1, Of: "the time"},
		},
	}
}

// delayed examines a thread that waits to write to the append-only file, although it need not wait for a
// flush: while one goes on, a write may have to wait for it, and after two seconds Redis no longer puts it off.
func delayed(o *observation) claim {
	if o.part(share.AOF) <= 0 && o.backlog() == 0 {
		return not("the thread was not seen waiting for the append-only file")
	}
	pending := o.mean("persistence.aof_pending_bio_fsync")
	n := o.mean("info.aof_delayed_fsync") * float64(o.division.Seconds)
	text := fmt.Sprintf("the thread waits to write to the append-only file; flushes went on for %s of the time, and %.0f writes could not be put off any longer",
		percent(pending), n)
	if length, _ := o.answered("persistence.aof_buffer_length"); length >= largeBuffer {
		text += fmt.Sprintf("; its buffer takes %.0f MiB", length/(1<<20))
	}
	claims := all(share.AOF)
	if max(o.figures["data-disk-iops-use"], o.figures["data-disk-throughput-use"]) < atLimit { // otherwise that claims it
		claims = o.withBacklog(claims)
	}
	return claim{
		claims: claims, text: text,
		evidence: append(o.fileEvidence(), Evidence{Metric: "persistence.aof_pending_bio_fsync", Value: pending, Unit: "1", Against: 1, Of: "the time"},
			Evidence{Metric: "info.aof_delayed_fsync", Value: n / float64(o.division.Seconds), Unit: "1/s"}),
	}
}

// The CPU time of the thread for each byte that is appended to the file, in seconds: it copies the byte to a
// buffer, and writes that. A buffer that grows beyond the processor's caches, as no write is allowed while a flush
// goes on, is copied again and again. Estimated from the CPU time for each request, on one machine.
const (
	appendTime  = 1.5e-9
	backlogTime = 6e-9
	largeBuffer = 16 << 20
)

// backlog returns the CPU time of the thread for a buffer that has grown because the disk does not keep up.
func (o *observation) backlog() float64 {
	if length, _ := o.answered("persistence.aof_buffer_length"); length < largeBuffer {
		return 0
	}
	return backlogTime * o.appends()
}

// appends returns the bytes that are appended to the file in a second. While a server does not answer, their
// number is not known: it is then as many for each request as otherwise.
func (o *observation) appends() float64 {
	if bytes := max(o.mean("persistence.aof_bytes"), o.mean("info.total_net_input_bytes")); bytes > 0 {
		return bytes
	}
	bytes, requests := o.answered("info.total_net_input_bytes")
	return bytes / max(requests, 1) * o.division.TPS
}

// answered returns the mean of a column over the seconds of the run in which it is known, however few, and that of
// the throughput in them.
func (o *observation) answered(column string) (value, tps float64) {
	var values, rates []float64
	for i := range o.all.Seconds {
		if v, n := o.all.At(column, i), o.all.At("tps", i); !math.IsNaN(v) && !math.IsNaN(n) {
			values, rates = append(values, v), append(rates, n)
		}
	}
	return average(values), average(rates)
}

// withBacklog adds the CPU time for such a buffer to claims.
func (o *observation) withBacklog(claims map[string]float64) map[string]float64 {
	if seconds := o.backlog(); seconds > 0 {
		maps.Copy(claims, o.cpuOf(seconds))
	}
	return claims
}

// onFile returns a rule for the disk of the append-only file, with what its buffer costs.
func onFile(examine func(*observation) claim) func(*observation) claim {
	return func(o *observation) claim {
		c := examine(o)
		if c.claims != nil {
			c.claims = o.withBacklog(c.claims)
		}
		return c
	}
}

// appended examines the CPU time of appending to the file.
func appended(o *observation) claim {
	bytes := o.mean("persistence.aof_bytes")
	if bytes <= 0 {
		return not("nothing was appended to the append-only file")
	}
	return claim{
		claims: o.cpuOf(appendTime * bytes),
		text:   fmt.Sprintf("the thread appends %s to the append-only file", Rate(bytes)),
		evidence: []Evidence{
			{Metric: "persistence.aof_bytes", Value: bytes, Unit: "bytes/s", Against: o.mean("info.total_net_input_bytes"), Of: "bytes received"},
		},
	}
}

// faultTime is the CPU time of a page fault after a fork, which copies the page, in seconds: assumed, not measured.
const faultTime = 1e-6

// child returns the rule of a child that saves or rewrites, unless it makes the server copy huge pages.
func child(text, column string) func(*observation) claim {
	return func(o *observation) claim {
		if c := o.copiesHuge(); c.skip == "" && c.not == "" {
			return not("huge pages are copied meanwhile, which is a cause of its own")
		}
		return beside(text, column)(o)
	}
}

// beside returns the rule of a child: transactions need longer while it is there than otherwise, or the longer, the
// more of a second it is there; or, if it is always there, what it takes from the CPUs, and the pages that are copied
// because of it.
func beside(text, column string) func(*observation) claim {
	return func(o *observation) claim {
		apart, on := goesOnOrOff(o, column)
		if !apart {
			if c := o.proportion(text, column); c.not == "" {
				return o.withChildren(c)
			}
		}
		in, out := o.divide(on, column)
		goes := o.mean(column)
		if goes >= 0.2 && min(len(in), len(out)) < fewestAside {
			return o.always(text, column, goes)
		}
		c := during(text, goesOn, column)(o)
		if c.not != "" && goes >= 0.2 { // its start or its end may be in the seconds without it
			return o.always(text, column, goes)
		}
		return o.withChildren(c)
	}
}

// always returns the claim of a child that is always there.
func (o *observation) always(text, column string, goes float64) claim {
	claims := o.cpuOf(faultTime * o.mean("process.server.minor_faults"))
	o.alsoCrowded(claims, o.children())
	return claim{
		claims: claims, basis: Correlated,
		text: fmt.Sprintf("%s for %s of the time, with %.2f CPUs", text, percent(goes), o.children()),
		evidence: []Evidence{
			{Metric: column, Value: goes, Unit: "1", Against: 1, Of: "the time"},
			{Metric: "process.server.cpu", Value: o.mean("process.server.cpu"), Unit: "s/s", Against: o.mainCPU(), Of: "the thread's"},
			{Metric: "process.server.minor_faults", Value: o.mean("process.server.minor_faults"), Unit: "1/s"},
		},
	}
}

// withChildren adds to a claim what children have to do with waits for a CPU, as far as the seconds that were
// compared do not show it: a child may have been there in both kinds of them, and its end takes time as well.
func (o *observation) withChildren(c claim) claim {
	crowded := map[string]float64{}
	o.alsoCrowded(crowded, o.children())
	for part, fraction := range crowded {
		if c.claims != nil {
			c.claims[part] = max(c.claims[part], fraction)
		}
	}
	return c
}

// children returns the CPU time of the server's children and other threads.
func (o *observation) children() float64 {
	return max(0, o.mean("process.server.cpu")-o.mainCPU())
}

// fileEvidence returns what is known of the append-only file's disk.
func (o *observation) fileEvidence() (all []Evidence) {
	if use, known := o.figures["data-disk-utilisation"]; known {
		all = append(all, Evidence{Metric: "data-disk-utilisation", Value: use, Unit: "1", Against: 1, Of: "the time"})
	}
	if busy := o.mean("info.eventloop_duration_sum"); busy > 0 {
		all = append(all, Evidence{Metric: "info.eventloop_duration_sum", Value: busy, Unit: "s/s", Against: o.mainCPU(), Of: "the thread's CPU time"})
	}
	return all
}
