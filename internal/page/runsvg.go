package page

import (
	"math"

	"plinth/internal/chart"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report/runpage"
)

// RunSVG returns a figure of one run as an SVG file: its "timeline", or the "heatmap" of its
// latencies.
func RunSVG(rec *record.Record, run *record.Run, figure string) ([]byte, error) {
	d := NewDetail(rec, run, fileValues)
	title := rec.Summary.Name + ": " + d.Path
	if figure == "heatmap" {
		if d.Heat == nil {
			return nil, hint.Errorf("choose another run", "cannot draw a heat map of %s: it has no latency histograms over time", d.Path)
		}
		milliseconds := make([]float64, len(d.Heat.Edges))
		for i, ns := range d.Heat.Edges {
			milliseconds[i] = ns / 1e6
		}
		h := chart.Heat{Title: "Latency over time, " + title, YTitle: "latency, ms", Start: d.Heat.Start, Step: d.Heat.Step, Edges: milliseconds, Counts: d.Heat.Counts}
		return []byte(chart.Standalone(h.SVG())), nil
	}
	if len(d.Tracks) == 0 {
		return nil, hint.Errorf("choose another run", "cannot draw the timeline of %s: %s", d.Path, d.Missing)
	}
	return []byte(chart.Standalone(timelineOf(d, title).SVG())), nil
}

func timelineOf(d Detail, title string) chart.Timeline {
	t := chart.Timeline{Title: title, Start: d.Start, Step: d.Step}
	for _, track := range d.Tracks {
		c := chart.Track{Title: track.Title, Unit: track.Unit, Stack: track.Stack, Log: track.Log}
		for _, s := range track.Series {
			c.Lines = append(c.Lines, chart.Line{Name: s.Name, Values: floats(s.Values), Low: floats(s.Low), High: floats(s.High)})
		}
		t.Tracks = append(t.Tracks, c)
	}
	for _, m := range d.Marks {
		letter, title := runpage.MarkOf(m)
		t.Marks = append(t.Marks, chart.Mark{Second: m.Second, Letter: letter, Text: title})
	}
	return t
}

func floats(numbers []Number) []float64 {
	if numbers == nil {
		return nil
	}
	all := make([]float64, len(numbers))
	for i, n := range numbers {
		all[i] = float64(n)
		if math.IsInf(all[i], 0) {
			all[i] = math.NaN()
		}
	}
	return all
}
