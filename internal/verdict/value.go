package verdict

import (
	"errors"
	"io/fs"
	"math"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// values reads a metric from runs and caches the readings: a share of seconds is read
// from a separate file.
type values struct {
	rec    *record.Record
	metric experiment.Metric
	known  map[record.RunID]reading
}

// reading is the metric of one run. Ok is false if it has no comparable number: nothing
// was measured, or the record is damaged. Why gives the reason of a gap, "" if it is
// unknown. Zero marks a 0, which has no ratio.
type reading struct {
	value float64
	ok    bool
	zero  bool
	why   string
}

// of returns the metric of one run, on the scale on which differences are taken.
func (v values) of(run *record.Run) reading {
	r, known := v.known[run.RunID]
	if !known {
		r = v.read(run)
		if r.ok && !v.metric.Share {
			r.value = math.Log(r.value)
		}
		v.known[run.RunID] = r
	}
	return r
}

// ValueOf returns a metric of one run in its own unit. Ok is false if the run has no such number.
func ValueOf(rec *record.Record, run *record.Run, m experiment.Metric) (value float64, ok bool) {
	r := values{rec: rec, metric: m}.read(run)
	return r.value, r.ok || r.zero
}

func (v values) read(run *record.Run) reading {
	if v.metric.Column != "" {
		return v.shareUnder(run)
	}
	if v.metric.Figure {
		return ofFigure(run, v.metric)
	}
	value := ofResult(run.Result, v.metric.Name)
	if v.metric.Share {
		return reading{value: value, ok: value >= 0 && value <= 1}
	}
	return reading{value: value, ok: value >= least && value <= most}
}

// The limits of plausible measurements, in any unit: they keep ratios finite.
const (
	least = 1e-100
	most  = 1e100
)

// ofResult returns a metric of the run as a whole. Percentiles are those of the run's
// merged histogram.
func ofResult(r record.Result, metric string) float64 {
	switch metric {
	case "tps":
		return r.TPS
	case "latency":
		return r.Latency.Mean
	case "p50":
		return float64(r.Latency.P50)
	case "p95":
		return float64(r.Latency.P95)
	case "p99":
		return float64(r.Latency.P99)
	case "p99.9":
		return float64(r.Latency.P999)
	case "failures":
		return float64(r.Failures) / (float64(r.Transactions) + float64(r.Failures))
	}
	return math.NaN()
}

// shareUnder returns the share of the window's seconds whose value is under a limit. A
// second in which no transaction ended has no latency, and does not count as under it.
func (v values) shareUnder(run *record.Run) reading {
	points, err := v.rec.OpenPoints(run)
	if err != nil {
		return reading{why: err.Error()}
	}
	defer points.Close()
	seconds, err := points.Column("second")
	if err != nil {
		return reading{why: err.Error()}
	}
	latency, err := points.Column(v.metric.Column)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return reading{why: err.Error()}
	}
	limit, under, all := float64(v.metric.Under), 0, 0
	for i, second := range seconds {
		if second < 0 || i >= len(latency) {
			continue
		}
		all++
		if latency[i] < limit { // false for a gap, which is NaN
			under++
		}
	}
	return reading{value: float64(under) / float64(all), ok: all > 0}
}
