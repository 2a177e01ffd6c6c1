package pgbench

import (
	"math"

	"plinth/internal/record"
)

// columns builds the points of a run, a row a second.
type columns struct {
	rate    bool // a rate was set: there are schedule lags
	points  record.Points
	scripts int // index of the first script's first column
}

// The columns of the whole second, and those of one script of a mix.
var (
	wholeNames = append(append([]string{"second"}, scriptNames...), "failures", "retries", "skipped")
	lagNames   = []string{"schedule_lag_mean_ns", "schedule_lag_max_ns"}

	scriptNames = []string{"tps", "latency_mean_ns", "latency_p50_ns", "latency_p95_ns",
		"latency_p99_ns", "latency_p99_9_ns", "latency_max_ns"}
	scriptExtra = "failures"
)

func newColumns(names []string, rate bool) *columns {
	c := &columns{rate: rate}
	c.name("", wholeNames...)
	if rate {
		c.name("", lagNames...)
	}
	c.scripts = len(c.points.Columns)
	if len(names) > 1 {
		for _, name := range names {
			c.name("script."+name+".", scriptNames...)
			c.name("script."+name+".", scriptExtra)
		}
	}
	return c
}

func (c *columns) name(prefix string, names ...string) {
	for _, n := range names {
		c.points.Columns = append(c.points.Columns, record.Column{Name: prefix + n})
	}
}

func (c *columns) open(second int64) { c.put(0, float64(second)) }

// script writes one script's part of the row.
func (c *columns) script(i int, s *sums, l *counts) {
	at := c.scripts + i*(len(scriptNames)+1)
	c.latencies(at, s, l)
	c.put(at+len(scriptNames), float64(s.failures))
}

// close writes the rest of the row.
func (c *columns) close(s *sums, l *counts) {
	c.latencies(1, s, l)
	at := 1 + len(scriptNames)
	c.put(at, float64(s.failures))
	c.put(at+1, float64(s.retries))
	c.put(at+2, float64(s.skipped))
	if c.rate {
		worst := math.NaN()
		if s.done > 0 {
			worst = nanos(s.worstLag)
		}
		c.put(at+3, mean(s.lag, s.done))
		c.put(at+4, worst)
	}
}

// latencies writes the columns of scriptNames from at on. A second without a
// transaction has a rate of zero and no latency.
func (c *columns) latencies(at int, s *sums, l *counts) {
	c.put(at, float64(s.done))
	if s.done == 0 {
		for i := 1; i < len(scriptNames); i++ {
			c.put(at+i, math.NaN())
		}
		return
	}
	c.put(at+1, mean(s.latency, s.done))
	var q [4]int64
	l.quantiles(quantilesShown, q[:])
	for i, v := range q {
		c.put(at+2+i, float64(v))
	}
	c.put(at+6, nanos(s.longest))
}

func (c *columns) put(i int, value float64) {
	col := &c.points.Columns[i]
	col.Values = append(col.Values, value)
}
