package sysbench

import (
	"fmt"
	"math"
	"strconv"

	"plinth/internal/capture"
	"plinth/internal/record"
)

func (r *reader) statistics([]string) bool {
	if r.database {
		return false // of another run, whose head is missing
	}
	r.started, r.database = true, true
	return true
}

func (r *reader) general([]string) bool {
	r.started = true
	return true
}

func (r *reader) count(match []string) bool {
	n, ok := whole(match[2])
	if ok {
		r.counts[match[1]] = n
	}
	return ok && r.started
}

func (r *reader) countAndRate(match []string) bool {
	if !r.count(match) {
		return false
	}
	r.rates[match[1]] = number(match[3])
	return true
}

func (r *reader) totalTime(match []string) bool {
	r.run.Result.Duration = number(match[1])
	return r.started
}

func (r *reader) totalEvents(match []string) bool {
	n, ok := whole(match[1])
	r.events = n
	return ok && r.started
}

// eventTime is the sum of all latencies, in seconds.
func (r *reader) eventTime(match []string) bool {
	r.sum = number(match[1]) * 1e9
	return r.started
}

func (r *reader) milliseconds([]string) bool {
	r.inMillis = true
	return r.started
}

func (r *reader) threadsFairness([]string) bool {
	r.fairness = true
	return r.started
}

// inNanoseconds returns a latency; false if its unit is unknown.
func (r *reader) inNanoseconds(text, suffix string) (float64, bool) {
	if suffix != "ms" && !r.inMillis {
		r.unitless = true
		return 0, false
	}
	x := math.Round(number(text) * 1e6)
	return x, x < math.MaxInt64/2
}

func (r *reader) latency(match []string) bool {
	x, ok := r.inNanoseconds(match[2], match[3])
	if !ok {
		return r.started
	}
	switch match[1] {
	case "min":
		r.times.Min = int64(x)
	case "avg":
		r.times.Mean = x
	case "max":
		r.times.Max = int64(x)
	case "sum":
		r.sum = x
	}
	return r.started
}

func (r *reader) percentile(match []string) bool {
	x, ok := r.inNanoseconds(match[2], match[3])
	share := number(match[1])
	if ok && share > 0 && share <= 100 {
		r.times.Percentiles = []capture.Percentile{{Share: share, Value: int64(x)}}
	}
	return r.started
}

// databaseRun returns the run of a test of a database. A transaction that fails with an error that
// sysbench ignores, such as a deadlock, is tried again.
func (r *reader) databaseRun() capture.Found {
	run := r.run
	run.Result.Loop = "closed"
	if run.Rate > 0 {
		run.Result.Loop = "open"
	}
	run.Result.Transactions, run.Result.TPS = r.counts["transactions"], r.rates["transactions"]
	for _, name := range []string{"ignored errors", "deadlocks"} {
		if n, stated := r.counts[name]; stated {
			run.Result.Retries += n
			run.Known = map[string]bool{"retries": true}
		}
	}
	for _, name := range []string{"queries", "read/write requests", "reconnects"} {
		if n, stated := r.counts[name]; stated {
			run.Options[name] = strconv.FormatInt(n, 10)
		}
	}
	l := &run.Result.Latency
	l.Mean, l.Min, l.Max = r.times.Mean, r.times.Min, r.times.Max
	for _, p := range r.times.Percentiles {
		if field := percentileOf(l, p.Share); field != nil {
			*field = p.Value
		} else {
			run.Options[fmt.Sprintf("%vth percentile", p.Share)] = capture.Milliseconds(float64(p.Value))
		}
	}
	if r.progress.rows() > 0 {
		run.Progress = r.progress.series()
	}
	found := capture.Found{Runs: []capture.Run{run}}
	found.Notes = append(r.check(run), r.progress.notes()...)
	if r.message != "" {
		found.Notes = append(found.Notes, record.Note{Rule: capture.Cut, Text: "sysbench reported an error: " + r.message})
	}
	if !r.fairness {
		found.Notes = append(found.Notes, record.Note{Rule: capture.Cut, Text: "the text ends before the end of the results"})
	}
	if r.unitless {
		found.Notes = append(found.Notes, record.Note{Rule: capture.Unclear, Text: "latencies have no unit, and were left out"})
	}
	return found
}

// percentileOf returns the field for a percentile; nil if there is none.
func percentileOf(l *record.Latency, share float64) *int64 {
	return map[float64]*int64{50: &l.P50, 95: &l.P95, 99: &l.P99}[share]
}
