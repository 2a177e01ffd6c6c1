package redisbench

import (
	"fmt"

	"plinth/internal/record"
)

// What redis-benchmark's numbers leave out (redis-benchmark.c).
const (
	ceiling     = 3.0      // seconds: longer latencies are counted as this (6.2 and later)
	firstBuffer = 16 << 10 // bytes that hiredis reads at once
	lastTick    = 0.25     // seconds: with --threads it looks so rarely whether it is done
	tickTooMuch = 0.01     // share of a run that this may be
)

// problems are what makes a run invalid.
func (r *run) problems(rep *report) (notes []record.Note) {
	asked := r.job.Experiment.Transactions
	if rep.requests < asked {
		notes = append(notes, record.Note{Rule: "requests-missing", Text: fmt.Sprintf("%s tells of %d requests where %d were asked for", r.program.Name, rep.requests, asked)})
	}
	if told := rep.histogram.TotalCount(); told < min(asked, rep.requests) {
		notes = append(notes, record.Note{Rule: "latencies-missing", Text: fmt.Sprintf("%s tells the latencies of %d of %d requests", r.program.Name, told, rep.requests)})
	}
	return notes
}

// partial says that latencies end before the replies do.
func (r *run) partial() bool {
	return testOf(r.job.Workload) == "get" && r.job.Experiment.Payload > firstBuffer
}

// warnings are what weakens the numbers, as far as only this driver knows.
func (r *run) warnings(rep *report) (notes []record.Note) {
	e := r.job.Experiment
	warn := func(holds bool, rule, hint, format string, args ...any) {
		if holds {
			notes = append(notes, record.Note{Rule: rule, Text: fmt.Sprintf(format, args...), Hint: hint})
		}
	}
	warn(rep.detailed && rep.most >= ceiling, "latency-ceiling", useOwn,
		"%s counts latencies above %g s as %g s: the slowest request took at least that", r.program.Name, ceiling, ceiling)
	warn(e.Pipeline > 1, "latency-of-batch", "",
		"latency is that of a batch of %d requests, from its first byte to the first reply, counted for each of them", e.Pipeline)
	warn(r.partial(), "latency-of-first-bytes", useOwn,
		"latency ends with the first bytes of a reply: receiving the rest of %s is in the rate only", e.Payload)
	warn(e.Connect == "each", "connect-not-in-latency", "",
		"latency begins once a client is connected: connecting, for each request, is in the rate only")
	warn(threads(r.job.Cell) > 1 && rep.seconds()*tickTooMuch < lastTick, "threads-end-late", "give more transactions, or threads: 1",
		"with several threads %s ends up to %g s late: of %.2f s that is more than 1 %%", r.program.Name, lastTick, rep.seconds())
	return notes
}
