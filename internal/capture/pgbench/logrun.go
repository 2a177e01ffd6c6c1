package pgbench

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"plinth/internal/capture"
	"plinth/internal/driver/latency"
	"plinth/internal/record"
)

// run returns what the log says. TPS counts from the beginning of the first transaction to the end of the
// last one.
func (l *log) run() capture.Run {
	length := float64(l.ended-l.began) / micro
	run := capture.Run{
		Tool: tool, Options: map[string]string{},
		Known:    map[string]bool{"failures": true, "skipped": true, "retries": l.hasRetries()},
		Began:    moment(l.began),
		Progress: l.progress(),
	}
	for _, c := range l.clients {
		if c.seen {
			run.Clients++
		}
	}
	s := &l.all.sums
	run.Result = record.Result{
		Loop: "closed", Duration: length, Transactions: s.done, TPS: perSecond(s.done, length),
		Latency: l.all.summary(), Failures: s.failures, Retries: l.retries(s), Skipped: s.skipped,
	}
	switch {
	case l.hasLag():
		run.Result.Loop, run.Result.Lag = "open", s.scheduleLag()
	case l.fields == 7 && l.seventh.kind() == unclear:
		run.Result.Loop = ""
	}
	for number, one := range l.scripts {
		if one == nil {
			continue
		}
		script := record.ScriptResult{
			Name: "script " + strconv.Itoa(number), Transactions: one.sums.done, TPS: perSecond(one.sums.done, length),
			Failures: one.sums.failures, Retries: l.retries(&one.sums), Skipped: one.sums.skipped, Latency: one.summary(),
		}
		if l.hasLag() {
			script.Lag = one.sums.scheduleLag()
		}
		run.Result.Scripts = append(run.Result.Scripts, script)
	}
	return run
}

func (l *log) hasLag() bool { return l.fields == 8 || l.fields == 7 && l.seventh.kind() == lag }
func (l *log) hasRetries() bool {
	return l.fields == 8 || l.fields == 7 && l.seventh.kind() == retries
}

func (l *log) retries(s *sums) int64 {
	switch {
	case l.fields == 8:
		return s.retries
	case l.hasRetries():
		return s.seventh
	}
	return 0
}

func moment(micros int64) capture.Moment {
	return capture.Moment{Time: time.UnixMicro(micros).UTC(), Clock: capture.UTC}
}

func perSecond(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// summary returns the latencies with their histogram. Mean and maximum are exact.
func (t *tally) summary() record.Latency {
	if t.sums.done == 0 {
		return record.Latency{}
	}
	h := record.NewHistogram()
	t.latencies().AddTo(h)
	return latency.Summarise(h, float64(t.sums.latency)*1000/float64(t.sums.done), t.sums.longest*1000)
}

func (s *sums) scheduleLag() *record.Lag {
	lag := &record.Lag{Max: s.worstLag * 1000}
	if s.done > 0 {
		lag.Mean = float64(s.lag) * 1000 / float64(s.done)
	}
	return lag
}

// progress returns the seconds between the first and the last, which the log covers only in part.
func (l *log) progress() capture.Series {
	rows := l.seconds.rows
	if len(rows) < 3 {
		return capture.Series{}
	}
	s := capture.Series{Source: tool, Interval: 1}
	rows = rows[1 : len(rows)-1]
	for i := range rows {
		s.Times = append(s.Times, moment((l.seconds.first+int64(i)+2)*micro))
	}
	add := func(name string, value func(*second) float64) {
		values := make([]float64, len(rows))
		for i := range rows {
			values[i] = value(&rows[i])
		}
		s.Columns = append(s.Columns, record.Column{Name: name, Values: values})
	}
	add("tps", func(r *second) float64 { return float64(r.done) })
	add("latency_mean_ns", func(r *second) float64 { return float64(r.latency) * 1000 / float64(r.done) })
	if l.seconds.ordered(l.lines) {
		for i, name := range []string{"latency_p50_ns", "latency_p95_ns", "latency_p99_ns", "latency_p99_9_ns"} {
			add(name, func(r *second) float64 { return r.orGap(r.shown[i]) })
		}
	}
	add("latency_max_ns", func(r *second) float64 { return r.orGap(float64(r.longest) * 1000) })
	add("failures", func(r *second) float64 { return float64(r.failures) })
	add("skipped", func(r *second) float64 { return float64(r.skipped) })
	if l.hasRetries() {
		add("retries", func(r *second) float64 { return float64(l.retries(&r.sums)) })
	}
	if l.hasLag() {
		add("schedule_lag_mean_ns", func(r *second) float64 { return float64(r.lag) * 1000 / float64(r.done) })
		add("schedule_lag_max_ns", func(r *second) float64 { return r.orGap(float64(r.worstLag) * 1000) })
	}
	return s
}

// orGap returns NaN for a second without a transaction.
func (s *second) orGap(value float64) float64 {
	if s.done == 0 {
		return math.NaN()
	}
	return value
}

// scale computes the counts of a run from those of a sample.
func scale(run *capture.Run, rate float64) {
	r := &run.Result
	for _, n := range []*int64{&r.Transactions, &r.Failures, &r.Retries, &r.Skipped} {
		*n = int64(float64(*n)/rate + 0.5)
	}
	r.TPS /= rate
	for i := range r.Scripts {
		s := &r.Scripts[i]
		for _, n := range []*int64{&s.Transactions, &s.Failures, &s.Retries, &s.Skipped} {
			*n = int64(float64(*n)/rate + 0.5)
		}
		s.TPS /= rate
	}
	for _, c := range run.Progress.Columns {
		switch c.Name {
		case "tps", "failures", "skipped", "retries":
			for i := range c.Values {
				c.Values[i] /= rate
			}
		}
	}
	run.Options["sampling rate"] = fmt.Sprintf("%.3g", rate)
}
