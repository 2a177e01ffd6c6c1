package pgbench

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/driver/latency"
	"plinth/internal/record"
)

// page receives closed seconds: a row of points, an interval of the histogram log, and the
// totals of the window.
//
// A row is a whole second. A second cut short by the warm-up or the duration has no row,
// because a rate over a fraction of a second is mostly noise; inside the window its
// transactions are in the totals and in the histogram log, with an interval of their real
// length.
type page struct {
	names  []string // of the scripts
	warmup int64
	log    *latency.Log
	cols   *columns
	begun  func(time.Time) // called when the window starts; may be nil

	number, length int64
	sums           sums            // of the second being written
	all            *latency.Counts // of the second, when there are several scripts
	latencies      *latency.Counts // all, or the only script's

	totals  sums      // of the window
	scripts []running // of the window, by script
}

// running adds up one script over the window.
type running struct {
	sums
	histogram *hdrhistogram.Histogram // 64 bits per bucket: a long run overflows 32
}

func newPage(names []string, warmup int64, rate bool, log *latency.Log) *page {
	p := &page{names: names, warmup: warmup, log: log, cols: newColumns(names, rate)}
	for range names {
		p.scripts = append(p.scripts, running{histogram: record.NewHistogram()})
	}
	if len(names) > 1 {
		p.all = latency.New()
	}
	return p
}

// begin sets the start of the window, in microseconds since the epoch.
func (p *page) begin(start int64) {
	p.log.Begin("pgbench", time.UnixMicro(start))
	if p.begun != nil {
		p.begun(time.UnixMicro(start))
	}
}

func (p *page) open(number, length int64) {
	p.number, p.length = number, length
	p.sums = sums{}
	if p.all != nil {
		p.all.Reset()
	}
	if p.isRow() {
		p.cols.open(number)
	}
}

func (p *page) isRow() bool {
	return p.length == micro && p.number*micro >= -p.warmup
}

// script takes one script's part of the open second.
func (p *page) script(i int, s *sums, c *latency.Counts) {
	p.sums.merge(s)
	p.latencies = c
	if p.isRow() && p.all != nil {
		p.cols.script(i, s, c)
	}
	if p.all != nil {
		p.all.Merge(c)
		p.latencies = p.all
	}
	if p.number < 0 {
		return
	}
	p.scripts[i].merge(s)
	c.AddTo(p.scripts[i].histogram)
	tag := ""
	if p.all != nil {
		tag = latency.TagOf(p.names[i])
	}
	p.log.Interval(tag, float64(p.number), float64(p.length)/float64(micro), c)
}

func (p *page) close() {
	if p.isRow() {
		p.cols.close(&p.sums, p.latencies)
	}
	if p.number >= 0 {
		p.totals.merge(&p.sums)
	}
}

// summarise returns the latency of scripts with the sums s.
func summarise(scripts []running, s *sums) record.Latency {
	h := record.NewHistogram()
	for i := range scripts {
		h.Merge(scripts[i].histogram)
	}
	if s.done == 0 {
		return record.Summarise(h)
	}
	return latency.Summarise(h, nanos(s.latency)/float64(s.done), s.longest*1000)
}

// result returns the result of the window, which lasted that many seconds.
func (p *page) result(seconds float64) record.Result {
	r := record.Result{
		Loop: "closed", Duration: seconds,
		Transactions: p.totals.done, TPS: rate(p.totals.done, seconds),
		Latency:  summarise(p.scripts, &p.totals),
		Failures: p.totals.failures, Retries: p.totals.retries,
		Skipped: p.totals.skipped, Late: p.totals.late,
	}
	if p.cols.rate {
		r.Loop = "open"
		r.Lag = p.totals.scheduleLag()
	}
	if len(p.names) == 1 {
		return r
	}
	for i, name := range p.names {
		s := &p.scripts[i].sums
		one := record.ScriptResult{
			Name: name, Transactions: s.done, TPS: rate(s.done, seconds), Latency: summarise(p.scripts[i:i+1], s),
			Failures: s.failures, Retries: s.retries, Skipped: s.skipped, Late: s.late,
		}
		if p.cols.rate {
			one.Lag = s.scheduleLag()
		}
		r.Scripts = append(r.Scripts, one)
	}
	return r
}

func rate(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

func nanos(micros int64) float64 { return float64(micros) * 1000 }

// mean returns NaN, a gap, where nothing was observed.
func mean(sum, n int64) float64 {
	if n == 0 {
		return math.NaN()
	}
	return nanos(sum) / float64(n)
}
