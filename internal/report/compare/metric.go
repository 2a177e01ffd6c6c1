package compare

import (
	"math"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// MetricTitle is how text calls a metric of an experiment; one that this version
// does not know has the name that the record gives it.
func MetricTitle(w experiment.Words, name string) string {
	if m, err := experiment.ParseMetric(name); err == nil {
		return w.Say(m.Title)
	}
	return name
}

// MetricShort is what a column can hold of it: the title of a share of seconds is
// a sentence.
func MetricShort(w experiment.Words, name string) string {
	if m, err := experiment.ParseMetric(name); err == nil && m.Column == "" {
		return w.Say(m.Title)
	}
	return name
}

func isLatency(v record.Verdict) bool { return metricOf(v).Time }

// metricOf is the metric of a verdict; that of one that this version does not know
// is the zero one.
func metricOf(v record.Verdict) experiment.Metric {
	m, _ := experiment.ParseMetric(v.Metric)
	return m
}

// value prints one side of a comparison in the unit of its metric.
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

// difference prints the effect of a latency, and its interval, in milliseconds.
// They are those of the ratio at the baseline's value: a difference of its own
// would have an interval of its own, which could disagree with the word.
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
