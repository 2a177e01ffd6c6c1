package redisload

import (
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/driver/latency"
	"plinth/internal/driver/redisload/generator"
	"plinth/internal/record"
)

func (r *run) result() record.Result {
	seconds := float64(r.nanos) / float64(time.Second)
	all := record.NewHistogram()
	for _, s := range r.scripts {
		all.Merge(s.latencies)
	}
	result := record.Result{
		Loop: "closed", Duration: seconds,
		Transactions: r.total.Done, TPS: perSecond(r.total.Done, seconds),
		Latency: summary(&r.total, all), Failures: r.total.Failures,
	}
	if r.total.Reads > 0 {
		share := float64(r.total.Hits) / float64(r.total.Reads)
		result.Hits = &share
	}
	if r.config.Rate > 0 {
		result.Loop, result.Lag = "open", lag(&r.total)
	}
	if len(r.scripts) == 1 {
		return result
	}
	for i := range r.scripts {
		s := &r.scripts[i]
		one := record.ScriptResult{
			Name: r.names[i], Transactions: s.Done, TPS: perSecond(s.Done, seconds),
			Failures: s.Failures, Latency: summary(&s.Sums, s.latencies),
		}
		if r.config.Rate > 0 {
			one.Lag = lag(&s.Sums)
		}
		result.Scripts = append(result.Scripts, one)
	}
	return result
}

func summary(s *generator.Sums, h *hdrhistogram.Histogram) record.Latency {
	if s.Done == 0 {
		return record.Summarise(h)
	}
	return latency.Summarise(h, float64(s.Latency)/float64(s.Done), s.Longest)
}

func lag(s *generator.Sums) *record.Lag {
	l := &record.Lag{Max: s.WorstLag}
	if s.Done > 0 {
		l.Mean = float64(s.Lag) / float64(s.Done)
	}
	return l
}

func perSecond(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// unfinishedFactor is the minimum ratio of the unfinished request to the slowest measured
// one. Each client has one in progress when the window ends, and any of them may happen to
// be the slowest of all: only an outlier matters, as with pgbench.
const unfinishedFactor = 2

// unfinished returns a note if a request hung when the window ended; longest is the
// slowest measured request, in nanoseconds. With a rate, those due meanwhile are missing: at
// 1 % of the window p99 is wrong, even if others took as long.
func unfinished(e generator.End, c generator.Config, longest int64) []record.Note {
	const second = int64(time.Second)
	outlier := e.Unfinished >= second && e.Unfinished >= unfinishedFactor*longest
	missing := c.Rate > 0 && e.Unfinished >= max(int64(c.Duration)/100, second/4)
	if !outlier && !missing {
		return nil
	}
	return []record.Note{{Rule: "unfinished",
		Text: fmt.Sprintf("when the window ended, a request had been waiting for %.3g s; the slowest measured one took %.3g s",
			seconds(e.Unfinished), seconds(longest)),
		Hint: "find what stalled the server; measure longer if such stalls are normal"}}
}

func seconds(nanos int64) float64 { return float64(nanos) / float64(time.Second) }

// warnings returns what weakens the numbers of a run and only a driver can know. Failures
// and a missed rate are in the result, for the rules of validity.
func (r *run) warnings() []record.Note {
	var notes []record.Note
	if r.refusal != "" {
		notes = append(notes, record.Note{Rule: "server-refused", Text: "the server's first error: " + r.refusal})
	}
	if share := r.busiest(); r.config.Rate == 0 && share > busy {
		notes = append(notes, record.Note{Rule: "generator-busy",
			Text: fmt.Sprintf("the busiest of %d threads of the load generator used %.3g %% of a CPU: the generator itself is part of the measurement",
				len(r.cpu), 100*share),
			Hint: "use more threads if the machine has CPUs for them; do not switch to another load generator: its results cannot be compared with these"})
	}
	return notes
}

// busy is the share of a CPU above which a thread of the load generator spends little time
// waiting for the server.
const busy = 0.8

// busiest returns the greatest share of the window for which a thread was running.
func (r *run) busiest() float64 {
	if r.nanos <= 0 || len(r.cpu) == 0 {
		return 0
	}
	return float64(slices.Max(r.cpu)) / float64(r.nanos)
}
