package compare

import (
	"math"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// MetricTitle returns the title of a metric; for one unknown to this version, its name in the
// record.
func MetricTitle(w experiment.Terms, name string) string {
	if m, err := experiment.ParseMetric(name); err == nil {
		return w.Say(m.Title)
	}
	return name
}

// MetricShort returns a title short enough for a column: the title of a share of seconds is a
// sentence.
func MetricShort(w experiment.Terms, name string) string {
	if m, err := experiment.ParseMetric(name); err == nil && m.Column == "" {
		return w.Say(m.Title)
	}
	return name
}

func isLatency(v record.Verdict) bool { return metricOf(v).Time }

// metricOf returns the metric of a verdict; the zero Metric if this version does not know it.
func metricOf(v record.Verdict) experiment.Metric {
	m, _ := experiment.ParseMetric(v.Metric)
	return m
}

// value formats one side of a comparison in the unit of its metric.
func value(v record.Verdict, f float64) string {
	switch {
	case !HasNumber(v):
		return phrase.None
	case v.Difference:
		return phrase.Share(f)
	case isLatency(v):
		return phrase.Milliseconds(f)
	case metricOf(v).Figure:
		return phrase.Quantity(f, metricOf(v).Unit, false)
	}
	return phrase.Count(f)
}

// difference formats the effect of a latency and its interval in milliseconds. Both are the
// ratio's, scaled by the baseline's value: a separate test of the difference could contradict
// the verdict.
func difference(v record.Verdict) (effect, span string) {
	low, high := v.A*v.Low/1e6, v.A*v.High/1e6
	d := 2
	if width := high - low; width > 1e-6 {
		d = min(max(1-int(math.Floor(math.Log10(width))), 0), 3)
	}
	effect = verdict.Signed((v.B-v.A)/1e6, d) + " ms"
	if v.N < 2 {
		return effect, ""
	}
	return effect, verdict.Fixed(low, d) + " to " + verdict.Fixed(high, d) + " ms"
}
