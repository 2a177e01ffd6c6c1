package predicted

import (
	"fmt"

	"plinth/internal/chart"
	"plinth/internal/hint"
	"plinth/internal/prediction"
	"plinth/internal/report/phrase"
)

// inUnits are the units of the horizontal axis, by the key of a sweep; those of the others are 1.
var inUnits = map[string]struct {
	name string
	size float64
}{
	prediction.SweepThroughput: {"MiB/s", 1 << 20}, prediction.SweepLatency: {"ms", 1e-3},
	prediction.SweepMemory: {"MiB", 1 << 20}, prediction.SweepBuffers: {"MiB", 1 << 20},
}

// wide is the ratio of the last value of a sweep to the first from which the horizontal axis is logarithmic.
const wide = 8

// picture draws the curve of a sweep, with its intervals, and the measured environments beside it. What is predicted is
// dotted and hollow, and said to be.
func (r Report) picture() (string, error) {
	s := r.Swept
	if s == nil {
		return "", hint.Errorf("add --what-if iops=250..4000, for example", "only a range of values can be plotted")
	}
	x, size := titles[s.Key], 1.0
	if in, has := inUnits[s.Key]; has {
		x, size = x+", "+in.name, in.size
	}
	curve := chart.Series{Name: r.words().Rate, Basis: chart.Predicted}
	for _, p := range s.Points {
		if p.Prediction == nil {
			continue
		}
		tps := p.Prediction.TPS
		curve.Points = append(curve.Points, chart.Point{X: p.Value / size, Y: tps.Value, Low: tps.Low, High: tps.High,
			Text: fmt.Sprintf("%s: %s %s (%s), predicted", s.value(p.Value), about(tps.Value), r.words().Rate, interval(tps, phrase.Count))})
	}
	panel := chart.Panel{Title: s.String(), Series: []chart.Series{curve}}
	basis := map[bool]chart.Basis{true: chart.Emulated}[r.Emulated]
	if r.Imported {
		basis = chart.Imported
	}
	for i, m := range s.Measured {
		panel.Series = append(panel.Series, chart.Series{Name: m.Environment, Index: i + 1, Basis: basis, Points: []chart.Point{
			{X: m.Value / size, Y: m.TPS, Low: m.TPS, High: m.TPS, Text: fmt.Sprintf("%s, %s: %s %s", m.Environment, s.value(m.Value), phrase.Count(m.TPS), r.words().Rate)}}})
	}
	first, last := s.Points[0].Value, s.Points[len(s.Points)-1].Value
	log := first > 0 && last >= wide*first
	return chart.Standalone(chart.Multiples{Title: r.words().Rate + " by " + titles[s.Key] + ", predicted", XTitle: x + phrase.When(s.Knee > 0, "; knee at ~%s", s.value(s.Knee)), YTitle: r.words().Rate,
		XLog: log, Free: true, Panels: []chart.Panel{panel}}.SVG()), nil
}
