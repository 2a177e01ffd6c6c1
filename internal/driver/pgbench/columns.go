package pgbench

import (
	"math"

	"plinth/internal/driver/latency"
	"plinth/internal/metric"
	"plinth/internal/record"
)

// columns builds the points of a run, one row a second: the second, then the total, then
// each script of a mix.
type columns struct {
	rate   bool // a rate was set: schedule lags exist
	points record.Points
	width  int // columns of the total, and of each script
}

// The number of columns of Metrics about latencies, with "tps" before them, about events,
// and about schedule lags, in this order.
const (
	latencyColumns = 7
	eventColumns   = 4
	lagColumns     = 2
)

func newColumns(names []string, rate bool) *columns {
	c := &columns{rate: rate, width: latencyColumns + eventColumns}
	if rate {
		c.width += lagColumns
	}
	c.points.Columns = []record.Column{{Name: "second"}}
	c.group("")
	if len(names) > 1 {
		for _, name := range names {
			c.group("script." + name + ".")
		}
	}
	return c
}

func (c *columns) group(prefix string) {
	for _, m := range Metrics()[:c.width] {
		c.points.Columns = append(c.points.Columns, record.Column{Name: prefix + m.Name})
	}
}

func (c *columns) open(second int64) { c.put(0, float64(second)) }

// script writes one script's part of the row.
func (c *columns) script(i int, s *sums, l *latency.Counts) { c.write(1+(i+1)*c.width, s, l) }

// close writes the rest of the row.
func (c *columns) close(s *sums, l *latency.Counts) { c.write(1, s, l) }

// write fills the columns of a group from at on.
func (c *columns) write(at int, s *sums, l *latency.Counts) {
	c.latencies(at, s, l)
	at += latencyColumns
	for i, n := range []int64{s.failures, s.retries, s.skipped, s.late} {
		c.put(at+i, float64(n))
	}
	if c.rate {
		worst := math.NaN()
		if s.done > 0 {
			worst = nanos(s.worstLag)
		}
		at += eventColumns
		c.put(at, mean(s.lag, s.done))
		c.put(at+1, worst)
	}
}

// latencies writes the columns of latencies from at on. A second without a transaction has
// a rate of zero and no latency.
func (c *columns) latencies(at int, s *sums, l *latency.Counts) {
	c.put(at, float64(s.done))
	if s.done == 0 {
		for i := 1; i < latencyColumns; i++ {
			c.put(at+i, math.NaN())
		}
		return
	}
	c.put(at+1, mean(s.latency, s.done))
	for i, v := range l.Shown(nanos(s.longest)) {
		c.put(at+2+i, v)
	}
	c.put(at+6, nanos(s.longest))
}

func (c *columns) put(i int, value float64) {
	col := &c.points.Columns[i]
	col.Values = append(col.Values, value)
}

// Metrics returns the columns of points for pgbench's transactions, in order; those of
// schedule lags exist only with a rate. A mix repeats each for every script, with the
// prefix "script.{script}.".
func Metrics() []metric.Metric {
	return []metric.Metric{
		{Name: "tps", Kind: metric.Rate, Unit: "1/s", Help: "transactions that ended successfully in that second"},
		{Name: "latency_mean_ns", Kind: metric.Ratio, Unit: "ns", Help: "mean latency of these transactions; if the workload has a scheduled rate, measured from their scheduled start"},
		{Name: "latency_p50_ns", Unit: "ns", Help: "median latency"},
		{Name: "latency_p95_ns", Unit: "ns", Help: "95th percentile of the latency"},
		{Name: "latency_p99_ns", Unit: "ns", Help: "99th percentile of the latency"},
		{Name: "latency_p99_9_ns", Unit: "ns", Help: "99.9th percentile of the latency"},
		{Name: "latency_max_ns", Unit: "ns", Help: "maximum latency"},
		{Name: "failures", Kind: metric.Rate, Unit: "1/s", Help: "transactions that failed with a serialization error or a deadlock after all retries"},
		{Name: "retries", Kind: metric.Rate, Unit: "1/s", Help: "tries after the first"},
		{Name: "skipped", Kind: metric.Rate, Unit: "1/s", Help: "transactions that were skipped because they would have exceeded `latency_limit`"},
		{Name: "late", Kind: metric.Rate, Unit: "1/s", Help: "transactions that took longer than `latency_limit`"},
		{Name: "schedule_lag_mean_ns", Kind: metric.Ratio, Unit: "ns", Help: "mean delay between the scheduled and the actual start of a transaction; only with a scheduled rate"},
		{Name: "schedule_lag_max_ns", Unit: "ns", Help: "the longest of these delays"},
	}
}
