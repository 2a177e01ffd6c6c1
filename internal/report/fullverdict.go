package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/chart"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// verdicts is the effects as pictures and as tables, and how they were decided.
func (f *Full) verdicts() document {
	c := f.comparison
	if c == nil {
		return nil
	}
	var d document
	for _, p := range f.forests() {
		d.Add(p)
	}
	c.addTables(&d)
	d.Add(c.notes.lines())
	f.show.addLost(&d, "")
	c.addDecided(&d)
	d.Add(list(c.chances()))
	return d
}

// chances are the p values of what was to be decided.
func (c *comparison) chances() []string {
	var lines []string
	for _, p := range c.pairs {
		for _, r := range p.verdicts {
			if c.decides(r.Metric) && r.hasNumber() && r.Level > 0 {
				lines = append(lines, fmt.Sprintf("p of %s, %s against %s: %s (two-sided, of no effect, not corrected)", r.Workload, p.other, p.baseline, strconv.FormatFloat(r.P, 'g', 2, 64)))
			}
		}
	}
	return lines
}

// forests are a picture of each pair of environments and each metric that has
// numbers. The metric that decides is shown first.
func (f *Full) forests() []block {
	c := f.comparison
	metrics := c.metricsWithNumbers()
	choose := choice{name: "effect", label: "Effect on", chosen: c.Plan.Metric}
	var pictures []block
	for _, metric := range metrics {
		choose.values, choose.titles = append(choose.values, metric), append(choose.titles, metricTitle(metric))
	}
	if len(metrics) > 0 && !slices.Contains(metrics, choose.chosen) {
		choose.chosen = metrics[0]
	}
	for _, metric := range metrics {
		for _, p := range c.pairs {
			if pic, found := c.forestPicture(p, metric, true, wideWidth); found {
				pic.caption, pic.shown = c.forestCaption(p, metric), metric == choose.chosen
				if len(metrics) > 1 {
					pic.when = "effect=" + metric
				}
				pictures = append(pictures, pic)
			}
		}
	}
	return append([]block{choices{choose}}, pictures...)
}

// The widths of a figure for a screen, for a column of it and for a phone, in px.
const (
	wideWidth   = 960
	columnWidth = 620
	narrowWidth = 360
)

// forestPicture is a forest, and whether there is any number in it.
func (c *comparison) forestPicture(p pair, metric string, parts bool, width int) (forestPicture, bool) {
	wide := c.forest(p, metric, parts)
	narrow := wide
	wide.Width, narrow.Width = width, narrowWidth
	return forestPicture{picture{name: "verdicts", svgs: []string{wide.SVG(), narrow.SVG()}, whole: wide.SVG}}, len(wide.Rows) > 0
}

// overview are the effects on workloads alone, below the answer.
func (f *Full) overview() document {
	var d document
	if f.comparison == nil {
		return d
	}
	for _, p := range f.comparison.pairs {
		for _, metric := range f.comparison.metricsWithNumbers() {
			if !f.comparison.decides(metric) {
				continue
			}
			if pic, found := f.comparison.forestPicture(p, metric, false, columnWidth); found {
				pic.name, pic.shown = "answer", true
				d.Add(pic)
			}
		}
	}
	return d
}

// forestPicture is the same forest for a wide page and for a narrow one.
type forestPicture struct{ picture }

func (p forestPicture) HTML() string {
	html := p.picture.HTML()
	html = strings.Replace(html, `<div class="panel scroll">`, `<div class="panel scroll wide">`, 1)
	return strings.Replace(html, `<div class="panel scroll">`, `<div class="panel scroll narrow">`, 1)
}

// metricsWithNumbers are the metrics of verdicts, the one that decides first.
func (c *comparison) metricsWithNumbers() []string {
	var metrics []string
	for _, v := range c.Verdicts {
		if hasNumber(v) && !slices.Contains(metrics, v.Metric) {
			metrics = append(metrics, v.Metric)
		}
	}
	slices.SortStableFunc(metrics, func(a, b string) int {
		switch c.Plan.Metric {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	return metrics
}

// forest is the effects of a pair on one metric: each workload, and with parts below
// it its cells.
func (c *comparison) forest(p pair, metric string, parts bool) chart.Forest {
	rows := slices.DeleteFunc(slices.Clone(p.verdicts), func(r verdictRow) bool { return r.Metric != metric })
	cells := slices.DeleteFunc(slices.Clone(p.cells), func(r verdictRow) bool { return !parts || r.Metric != metric })
	scale := newEffectScale(append(slices.Clone(rows), cells...))
	less, more := ends(p, metric)
	f := chart.Forest{
		Title: "Effect on " + metricTitle(metric) + ", " + p.other + " against " + p.baseline,
		Unit:  scale.unit, Margin: scale.margin(c.Plan.Margin), Less: less, More: more,
	}
	for _, r := range rows {
		if !r.says() {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(cells), func(o verdictRow) bool { return o.Workload != r.Workload })
		f.Rows = append(f.Rows, c.forestRow(r, scale))
		if len(own) < 2 {
			continue // the workload is that cell
		}
		for _, cell := range own {
			f.Rows = append(f.Rows, c.forestRow(cell, scale))
		}
	}
	return f
}

func (c *comparison) forestRow(r verdictRow, scale effectScale) chart.ForestRow {
	row := chart.ForestRow{Label: r.Workload, Whole: r.Cell == nil && r.Clients == 0, Word: string(r.Word)}
	if r.Cell != nil {
		row.Label, row.Detail = "", strings.TrimPrefix(r.Cell.String(), r.Workload+", ")
	}
	if !r.hasNumber() {
		row.Missing = "no number"
		return row
	}
	row.Effect, row.Low, row.High = scale.of(r.Effect), scale.of(r.Low), scale.of(r.High)
	row.Range = r.Level == 0
	row.Text = effect(r.Verdict, c.Plan.Margin)
	if limits := span(r.Verdict, c.Plan.Margin); limits != none {
		row.Text += " (" + limits + ")"
	} else {
		row.Low, row.High = row.Effect, row.Effect
	}
	return row
}

// effectScale is in what effects are drawn.
type effectScale struct{ unit string }

// newEffectScale takes ratios where per cents would squash what is small: to double
// and to halve are as far from each other as they are from nothing.
func newEffectScale(rows []verdictRow) effectScale {
	unit := "%"
	for _, r := range rows {
		switch {
		case !r.hasNumber():
		case r.Difference:
			return effectScale{"pp"}
		case verdict.InFactors(r.Verdict) || r.High > 1 || r.Low < -0.5:
			unit = "x"
		}
	}
	return effectScale{unit}
}

func (s effectScale) of(share float64) float64 {
	if s.unit == "x" {
		return 1 + share
	}
	return 100 * share
}

func (s effectScale) margin(share float64) float64 {
	if s.unit == "x" {
		return share
	}
	return 100 * share
}

// ends is what it means to be left or right of nothing.
func ends(p pair, metric string) (less, more string) {
	title := metricTitle(metric)
	less, more = "less "+title, "more "+title
	m := metricOf(record.Verdict{Metric: metric})
	switch {
	case m.Plain || m.Name == "":
		return less, more
	case m.Higher:
		return p.other + " is worse: " + less, p.other + " is better: " + more
	}
	return p.other + " is better: " + less, p.other + " is worse: " + more
}

func (c *comparison) forestCaption(p pair, metric string) string {
	text := fmt.Sprintf("%s, %s against %s: effect and interval. The band is the margin of %s, within which differences do not matter.",
		metricTitle(metric), p.other, p.baseline, percentage(c.Plan.Margin))
	if c.hasRow(func(r verdictRow) bool { return r.Metric == metric && r.Level == 0 && r.N > 1 && hasNumber(r.Verdict) }) {
		text += " Dotted: the range of the " + c.unit() + "s, which is no interval."
	}
	return text
}
