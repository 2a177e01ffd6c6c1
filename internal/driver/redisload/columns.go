package redisload

import (
	"math"

	"plinth/internal/driver/latency"
	"plinth/internal/driver/redisload/generator"
	"plinth/internal/metric"
	"plinth/internal/record"
)

// columns builds the points of a run: the second, then the total, then each script of a
// mix. Their names are in Metrics.
type columns struct {
	points record.Points
	width  int // of the total, and of each script
	mix    bool
}

// lags is how many of the last of Metrics exist only with a rate.
const lags = 2

func newColumns(scripts []string, rate bool) *columns {
	c := &columns{width: len(Metrics()), mix: len(scripts) > 1}
	if !rate {
		c.width -= lags
	}
	c.points.Columns = []record.Column{{Name: "second"}}
	c.group("")
	if c.mix {
		for _, name := range scripts {
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

// row writes a second.
func (c *columns) row(s *generator.Second, sums *generator.Sums, all *latency.Counts) {
	values := make([]float64, 0, len(c.points.Columns))
	values = append(values, float64(s.Number))
	values = append(values, c.values(sums, all)...)
	if c.mix {
		for i := range s.Parts {
			values = append(values, c.values(&s.Parts[i].Sums, s.Parts[i].Latencies)...)
		}
	}
	for i, v := range values {
		column := &c.points.Columns[i]
		column.Values = append(column.Values, v)
	}
}

// values returns values in the order of Metrics. A second without an answered request has a
// rate of zero and no latency.
func (c *columns) values(s *generator.Sums, l *latency.Counts) []float64 {
	gap := math.NaN()
	v := []float64{float64(s.Done), gap, gap, gap, gap, gap, gap, float64(s.Failures), gap, gap}
	if s.Done > 0 {
		done, longest := float64(s.Done), float64(s.Longest)
		q := l.Shown(longest)
		v[1] = float64(s.Latency) / done
		copy(v[2:], q[:])
		v[6], v[8], v[9] = longest, float64(s.Lag)/done, float64(s.WorstLag)
	}
	return v[:c.width]
}

// Metrics returns the columns of points for requests, in order; those of schedule lags
// exist only with a rate. A mix repeats each for every test, with the prefix
// "script.{script}.".
func Metrics() []metric.Metric {
	return []metric.Metric{
		{Name: "tps", Kind: metric.Rate, Unit: "1/s", Help: "requests that were answered without an error in that second"},
		{Name: "latency_mean_ns", Kind: metric.Ratio, Unit: "ns", Help: "mean latency of these requests; if the workload has a scheduled rate, measured from their scheduled start"},
		{Name: "latency_p50_ns", Unit: "ns", Help: "median latency"},
		{Name: "latency_p95_ns", Unit: "ns", Help: "95th percentile of the latency"},
		{Name: "latency_p99_ns", Unit: "ns", Help: "99th percentile of the latency"},
		{Name: "latency_p99_9_ns", Unit: "ns", Help: "99.9th percentile of the latency"},
		{Name: "latency_max_ns", Unit: "ns", Help: "maximum latency"},
		{Name: "failures", Kind: metric.Rate, Unit: "1/s", Help: "requests that the server answered with an error"},
		{Name: "schedule_lag_mean_ns", Kind: metric.Ratio, Unit: "ns", Help: "mean delay between the scheduled and the actual start of a request; only with a scheduled rate"},
		{Name: "schedule_lag_max_ns", Unit: "ns", Help: "the longest of these delays"},
	}
}
