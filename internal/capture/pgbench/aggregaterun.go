package pgbench

import (
	"math"
	"slices"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// run returns what the intervals say together. The run begins within the first interval, so the TPS
// are those of the others, and Duration is the number of all transactions over these TPS. Began is the
// beginning of the first interval, a second before that of the run at most.
func (a *aggregate) run() capture.Run {
	t := &a.total
	ended := t.ended(a.columns)
	failures := t.failures()
	run := capture.Run{
		Tool: tool, Options: map[string]string{}, Began: moment(int64(a.start()) * micro),
		// From 15 on, a column of zeros does not say whether its option was set.
		Known: map[string]bool{
			"failures": failures > 0, "retries": t[aRetries] > 0, "skipped": a.columns == aRetried || t[aSkipped] > 0,
		},
	}
	run.Result = record.Result{
		Loop: "closed", Transactions: int64(ended), Failures: int64(failures), Retries: int64(t[aRetries]), Skipped: int64(t[aSkipped]),
	}
	if a.length > 0 {
		run.Result.TPS = a.tps()
		if run.Result.TPS > 0 {
			run.Result.Duration = ended / run.Result.TPS
		}
		run.Options["aggregate interval"] = grouped(a.length, 0) + " s"
	}
	if ended > 0 {
		mean := t[aLatency] / ended
		run.Result.Latency = record.Latency{
			Mean: mean * 1e3, Stddev: math.Sqrt(max(t[aSquares]/ended-mean*mean, 0)) * 1e3,
			Min: int64(t[aMin]) * 1e3, Max: int64(t[aMax]) * 1e3,
		}
	}
	if a.hasLag() {
		run.Result.Loop = "open"
		run.Result.Lag = &record.Lag{Max: int64(t[aLagMax]) * 1e3}
		if ended > 0 {
			run.Result.Lag.Mean = t[aLag] / ended * 1e3
		}
	}
	run.Progress = a.progress()
	return run
}

func (v *interval) failures() float64 { return v[aSerialization] + v[aDeadlock] + v[aOther] }

func (a *aggregate) hasLag() bool {
	return a.columns == aSkipped || a.columns == aRetried || a.total[aLag] > 0
}

func (a *aggregate) start() float64 {
	first := a.first
	for _, row := range a.rows {
		first = min(first, row[aStart])
	}
	return first
}

// tps returns the mean over the intervals after the first.
func (a *aggregate) tps() float64 {
	rows, ended := a.merged(), 0.0
	if len(rows) < 2 || a.uneven {
		return 0
	}
	for i := range rows[1:] {
		ended += rows[1+i].ended(a.columns)
	}
	return ended / (float64(len(rows)-1) * a.length)
}

// progress returns the intervals without the first one, of which the run covers only a part. Those of
// several threads that begin at the same time are added.
func (a *aggregate) progress() capture.Series {
	rows := a.merged()
	if a.length == 0 || a.uneven || len(rows) < 2 {
		return capture.Series{}
	}
	rows = rows[1:]
	s := capture.Series{Source: tool, Interval: a.length}
	for _, row := range rows {
		s.Times = append(s.Times, moment(int64(row[aStart]+a.length)*micro))
	}
	add := func(name string, value func(*interval, float64) float64) {
		values := make([]float64, len(rows))
		for i := range rows {
			values[i] = value(&rows[i], rows[i].ended(a.columns))
		}
		s.Columns = append(s.Columns, record.Column{Name: name, Values: values})
	}
	add("tps", func(_ *interval, n float64) float64 { return n / a.length })
	add("latency_mean_ns", func(v *interval, n float64) float64 { return v[aLatency] / n * 1e3 })
	add("latency_max_ns", func(v *interval, n float64) float64 { return v[aMax] * n / n * 1e3 })
	if a.hasLag() {
		add("schedule_lag_mean_ns", func(v *interval, n float64) float64 { return v[aLag] / n * 1e3 })
		add("schedule_lag_max_ns", func(v *interval, n float64) float64 { return v[aLagMax] * n / n * 1e3 })
	}
	for _, c := range []struct {
		name  string
		count func(*interval) float64
	}{
		{"failures", (*interval).failures},
		{"retries", func(v *interval) float64 { return v[aRetries] }},
		{"skipped", func(v *interval) float64 { return v[aSkipped] }},
	} {
		if c.count(&a.total) > 0 {
			add(c.name, func(v *interval, _ float64) float64 { return c.count(v) / a.length })
		}
	}
	return s
}

// merged returns the rows in the order of time. Where several threads' logs are in the text, only the
// intervals that each of them has are complete.
func (a *aggregate) merged() []interval {
	if a.passes == 0 {
		return a.rows
	}
	if a.whole != nil {
		return a.whole
	}
	at := map[float64]int{}
	var all []interval
	var threads []int
	for _, row := range a.rows {
		i, ok := at[row[aStart]]
		if !ok {
			at[row[aStart]] = len(all)
			all, threads = append(all, row), append(threads, 1)
			continue
		}
		threads[i]++
		sum := &all[i]
		for c := aCount; c < aColumns; c++ {
			switch c {
			case aMax, aLagMax:
				sum[c] = max(sum[c], row[c])
			case aMin, aLagMin:
				sum[c] = min(sum[c], row[c])
			default:
				sum[c] += row[c]
			}
		}
	}
	a.whole = all[:0]
	for i, row := range all {
		if threads[i] == a.passes+1 {
			a.whole = append(a.whole, row)
		}
	}
	slices.SortFunc(a.whole, func(x, y interval) int { return int(x[aStart] - y[aStart]) })
	return a.whole
}
