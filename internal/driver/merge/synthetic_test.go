package merge

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/driver"
	"plinth/internal/driver/latency"
	"plinth/internal/record"
)

// transaction is one of a synthetic load. Its second counts from the start of the window.
type transaction struct {
	second, script int
	nanos, lag     int64
	failed         bool
}

// shape is what all transactions of a load share.
type shape struct {
	scripts         []string
	warmup, seconds int
}

var (
	windowBegin = time.Unix(1_795_252_004, 0)
	mix         = shape{scripts: []string{"read", "write"}, warmup: 1, seconds: 4}
)

// drawTransactions draws a load.
func drawTransactions(t *rapid.T, s shape) []transaction {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) transaction {
		return transaction{
			second: rapid.IntRange(-s.warmup, s.seconds-1).Draw(t, "second"), script: rapid.IntRange(0, len(s.scripts)-1).Draw(t, "script"),
			nanos: rapid.Int64Range(1, 3_000_000_000).Draw(t, "nanos"), lag: rapid.Int64Range(0, 1_000_000).Draw(t, "lag"),
			failed: rapid.IntRange(0, 9).Draw(t, "outcome") == 0,
		}
	}), 0, 60).Draw(t, "transactions")
}

// tally aggregates transactions directly.
type tally struct {
	done, failed   float64
	nanos, lag     float64
	longest, worst float64
	counts         *latency.Counts
}

func (t *tally) add(x transaction) {
	if x.failed {
		t.failed++
		return
	}
	t.done++
	t.nanos += float64(x.nanos)
	t.lag += float64(x.lag)
	t.longest, t.worst = max(t.longest, float64(x.nanos)), max(t.worst, float64(x.lag))
	t.counts.Add(x.nanos)
}

// names are the columns of a group.
var names = []string{"tps", "latency_mean_ns", "latency_p50_ns", "latency_p95_ns", "latency_p99_ns", "latency_p99_9_ns", "latency_max_ns",
	"failures", "schedule_lag_mean_ns", "schedule_lag_max_ns"}

// values returns those columns.
func (t *tally) values() []float64 {
	gap := math.NaN()
	if t.done == 0 {
		return []float64{0, gap, gap, gap, gap, gap, gap, t.failed, gap, gap}
	}
	q := t.counts.Shown(t.longest)
	return []float64{t.done, t.nanos / t.done, q[0], q[1], q[2], q[3], t.longest, t.failed, t.lag / t.done, t.worst}
}

// latency and scheduleLag summarise a window.
func (t *tally) latency() record.Latency {
	h := record.NewHistogram()
	t.counts.AddTo(h)
	if t.done == 0 {
		return record.Latency{}
	}
	return latency.Summarise(h, t.nanos/t.done, int64(t.longest))
}

func (t *tally) scheduleLag() *record.Lag {
	if t.done == 0 {
		return &record.Lag{}
	}
	return &record.Lag{Mean: t.lag / t.done, Max: int64(t.worst)}
}

func (t *tally) perSecond(s shape) float64 { return t.done / float64(s.seconds) }

func tallies(n int) []tally {
	all := make([]tally, n)
	for i := range all {
		all[i].counts = latency.New()
	}
	return all
}

// outcomeOf returns the outcome of one load generator that ran these transactions, and its log. The
// first tally is the total.
func (s shape) outcomeOf(all []transaction) (*driver.Outcome, []byte) {
	groups := len(s.scripts) + 1
	rows, window := tallies(groups*(s.warmup+s.seconds)), tallies(groups)
	for _, x := range all {
		row := rows[(x.second+s.warmup)*groups:]
		row[0].add(x)
		row[1+x.script].add(x)
		if x.second >= 0 {
			window[0].add(x)
			window[1+x.script].add(x)
		}
	}
	o := &driver.Outcome{Driver: record.Driver{Program: "test", Version: "1"}, Begin: windowBegin, End: windowBegin.Add(time.Duration(s.seconds) * time.Second)}
	o.Points.Columns = []record.Column{{Name: "second"}}
	for i := range groups {
		for _, name := range names {
			if i > 0 {
				name = "script." + s.scripts[i-1] + "." + name
			}
			o.Points.Columns = append(o.Points.Columns, record.Column{Name: name})
		}
	}
	var text bytes.Buffer
	log := latency.NewLog(&text)
	log.Begin("test", o.Begin)
	for row := range s.warmup + s.seconds {
		values := []float64{float64(row - s.warmup)}
		for i := range groups {
			one := &rows[row*groups+i]
			values = append(values, one.values()...)
			if i > 0 && row >= s.warmup {
				log.Interval(s.scripts[i-1], float64(row-s.warmup), 1, one.counts)
			}
		}
		for i, v := range values {
			o.Points.Columns[i].Values = append(o.Points.Columns[i].Values, v)
		}
	}
	_ = log.Close() // in memory
	o.Result = record.Result{Loop: "open", Duration: float64(s.seconds), Transactions: int64(window[0].done), TPS: window[0].perSecond(s),
		Latency: window[0].latency(), Failures: int64(window[0].failed), Lag: window[0].scheduleLag()}
	for i, name := range s.scripts {
		one := &window[i+1]
		o.Result.Scripts = append(o.Result.Scripts, record.ScriptResult{Name: name, Transactions: int64(one.done), TPS: one.perSecond(s),
			Failures: int64(one.failed), Latency: one.latency(), Lag: one.scheduleLag()})
		o.Result.Statements = append(o.Result.Statements, record.StatementMean{Script: name, Statement: "SELECT 1", Mean: one.latency().Mean})
	}
	return o, text.Bytes()
}

// part is a load generator that ran these transactions.
func (s shape) part(number int, all []transaction) Part {
	o, log := s.outcomeOf(all)
	return Part{Name: fmt.Sprintf("load%d", number), Outcome: o, Log: bytes.NewReader(log)}
}
