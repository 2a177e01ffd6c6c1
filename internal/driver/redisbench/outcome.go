package redisbench

import (
	"fmt"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/driver"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// outcome returns what a completed run measured.
func (r *run) outcome() (*driver.Outcome, error) {
	rep, err := parseReport(r.watch.report, r.watch.requests)
	if err != nil {
		return nil, fmt.Errorf("cannot finish the run: %s: %w", r.program.Name, err)
	}
	seconds := rep.seconds()
	// A line read late would put the start too late, and the end into the future.
	begin, latest := r.watch.begun, time.Now().Add(-inDuration(seconds))
	if begin.IsZero() || begin.After(latest) {
		begin = latest
	}
	o := &driver.Outcome{
		Driver: record.Driver{Program: r.program.Name, Version: r.program.Version, Command: r.command},
		Result: record.Result{
			Loop: "closed", Duration: seconds, Transactions: rep.requests, TPS: rep.rps, Latency: rep.latency(),
			Partial: r.partial(),
		},
		Points: r.watch.progress.points(seconds, rep),
		Begin:  begin, End: begin.Add(inDuration(seconds)),
	}
	o.Problems, o.Warnings = r.problems(rep), r.warnings(rep)
	return o, writeLog(r.job.Keep, r.program.Name, o.Begin, o.End, rep.histogram)
}

func inDuration(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(time.Microsecond)
}

// Limits of redis-benchmark's numbers (redis-benchmark.c).
const (
	ceiling     = 3.0      // seconds: longer latencies are counted as this (6.2 and later)
	firstBuffer = 16 << 10 // bytes that hiredis reads at once
	lastTick    = 0.25     // seconds: with --threads, the interval of its check for the end
	tickTooMuch = 0.01     // share of a run that this may be
)

// problems returns what makes a run invalid.
func (r *run) problems(rep *report) (notes []record.Note) {
	asked := r.job.Experiment.Transactions
	if rep.requests < asked {
		notes = append(notes, record.Note{Rule: "requests-missing", Text: fmt.Sprintf("%s reports %d requests, but %d were requested", r.program.Name, rep.requests, asked)})
	}
	if told := rep.histogram.TotalCount(); told < min(asked, rep.requests) {
		notes = append(notes, record.Note{Rule: "latencies-missing", Text: fmt.Sprintf("%s reports the latencies of only %d of %d requests", r.program.Name, told, rep.requests)})
	}
	return notes
}

// partial reports whether latencies end before the replies do.
func (r *run) partial() bool {
	return testOf(r.job.Workload) == "get" && r.job.Experiment.Payload > firstBuffer
}

// warnings returns what weakens the numbers and only this driver knows.
func (r *run) warnings(rep *report) (notes []record.Note) {
	e := r.job.Experiment
	warn := func(holds bool, rule, hint, format string, args ...any) {
		if holds {
			notes = append(notes, record.Note{Rule: rule, Text: fmt.Sprintf(format, args...), Hint: hint})
		}
	}
	warn(rep.detailed && rep.most >= ceiling, "latency-ceiling", useOwn,
		"%s counts latencies above %g s as %g s: the slowest request took at least that long", r.program.Name, ceiling, ceiling)
	warn(e.Pipeline > 1, "latency-of-batch", "",
		"each latency is that of a batch of %d requests, from the batch's first byte to the first reply, counted once per request", e.Pipeline)
	warn(r.partial(), "latency-of-first-bytes", useOwn,
		"latency ends with the first bytes of a reply: receiving the rest of its %s affects only the rate", e.Payload)
	warn(e.Connect == "each", "connect-not-in-latency", "",
		"latency counts from when a client is connected: connecting for each request affects only the rate")
	warn(threads(r.job.Cell) > 1 && rep.seconds()*tickTooMuch < lastTick, "threads-end-late", "give more transactions, or threads: 1",
		"with several threads, %s ends up to %g s late: in a run of %.2f s, that is more than 1 %%", r.program.Name, lastTick, rep.seconds())
	return notes
}

// writeLog writes a histogram log with one interval: redis-benchmark has no histograms of
// seconds.
func writeLog(keep driver.Keeper, program string, begin, end time.Time, h *hdrhistogram.Histogram) error {
	f, err := keep.CreateHistogramLog()
	if err != nil {
		return fmt.Errorf("cannot write the histogram log: %w", err)
	}
	defer f.Close()
	start := begin.UnixMilli()
	h.SetStartTimeMs(start)
	h.SetEndTimeMs(end.UnixMilli())
	w := hdrhistogram.NewHistogramLogWriter(f)
	w.SetBaseTime(start)
	for _, write := range []func() error{
		func() error { return w.OutputComment("[plinth: " + program + " latencies in nanoseconds]") },
		w.OutputLogFormatVersion,
		func() error { return w.OutputBaseTime(start) },
		func() error { return w.OutputStartTime(start) },
		w.OutputLegend,
		func() error { return w.OutputIntervalHistogram(h) },
		f.Close,
	} {
		if err := write(); err != nil {
			return fmt.Errorf("cannot write the histogram log: %w", err)
		}
	}
	return nil
}

// words selects the line of standard error that names the cause: the first that is not a
// warning. Several clients may print the same.
type words struct{ first string }

func (w *words) line(line string) {
	switch {
	case strings.HasPrefix(line, "WARNING"):
	case w.first == "":
		w.first = line
	case strings.HasSuffix(w.first, ":"): // "Node ... replied with error:"
		w.first += " " + line
	}
}

// failure returns why redis-benchmark failed; nil if it did not. A request that the server
// refused is reported in the server's words.
func (r *run) failure(status launch.ExitStatus) error {
	name := r.program.Name
	if refused, isRefusal := strings.CutPrefix(r.words.first, refusalWords); isRefusal {
		return fmt.Errorf("cannot finish the run: the server rejected a request: %s", refused)
	}
	switch {
	case r.watch.refusal != "":
		return fmt.Errorf("cannot finish the run: the server rejected a request: %s", r.watch.refusal)
	case status.Signal == nil && status.Code == 0:
		return nil
	case r.words.first != "":
		return fmt.Errorf("cannot finish the run: %s: %s", name, strings.TrimPrefix(r.words.first, "Error: "))
	case status.Signal != nil:
		return fmt.Errorf("cannot finish the run: %s was terminated by a signal: %s", name, status.Signal)
	}
	return fmt.Errorf("cannot finish the run: %s ended with exit code %d", name, status.Code)
}
