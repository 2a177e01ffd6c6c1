package verdict

import (
	"math"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// word translates a direction into an outcome.
func word(w stats.Outcome, m experiment.Metric) record.Outcome {
	switch {
	case w == stats.Equal:
		return record.Equivalent
	case w == stats.Unknown:
		return record.Inconclusive
	case (w == stats.Up) == m.Higher:
		return record.Better
	}
	return record.Worse
}

// scaled converts an effect or a margin to the scale on which differences are taken. For
// ratios the margin is a factor in both directions, so that A is equivalent to B when B
// is to A.
func scaled(margin float64, m experiment.Metric) float64 {
	if m.Share {
		return margin
	}
	return math.Log1p(margin)
}

// allowed returns the margin of a metric on that scale.
func allowed(margin float64, m experiment.Metric) float64 {
	if m.Strict {
		return 0
	}
	return scaled(margin, m)
}

// describe fills a verdict with the values of both sides, the effect, the range of the
// units, and the notes of the test. Unit is the user's word for the units of the test:
// block or repeat.
func describe(v *record.Verdict, test *stats.Test, m experiment.Metric, a, b []float64, unit string) {
	v.A, v.B = back(average(a), m), back(average(b), m)
	v.Effect = effect(test.Mean(), m)
	low, high := test.Range()
	v.Low, v.High = effect(low, m), effect(high, m)
	for _, note := range test.Notes() {
		v.Warnings = append(v.Warnings, record.Note{Rule: note.Rule, Text: strings.ReplaceAll(note.Text, "unit", unit)})
	}
}

// enter writes the interval, its level and p into a verdict.
func enter(v *record.Verdict, m experiment.Metric, d stats.Decision) {
	v.Low, v.High, v.Level, v.P = effect(d.Low, m), effect(d.High, m), d.Level, d.P
}

// effect converts a difference of logarithms to a relative effect.
func effect(d float64, m experiment.Metric) float64 {
	if m.Share {
		return d
	}
	return math.Expm1(d)
}

func back(value float64, m experiment.Metric) float64 {
	if m.Share {
		return value
	}
	return math.Exp(value)
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
