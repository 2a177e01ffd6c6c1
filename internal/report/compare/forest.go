package compare

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/chart"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// MetricsWithNumbers returns the metrics of verdicts, the declared one first.
func (c *Report) MetricsWithNumbers() []string {
	var metrics []string
	for _, v := range c.Verdicts {
		if HasNumber(v) && !slices.Contains(metrics, v.Metric) {
			metrics = append(metrics, v.Metric)
		}
	}
	if at := slices.Index(metrics, c.Plan.Metric); at > 0 {
		metrics = slices.Insert(slices.Delete(metrics, at, at+1), 0, c.Plan.Metric)
	}
	return metrics
}

// ForestPicture plots the effects on one metric, width pixels wide; with parts, those of cells,
// too.
func (c *Report) ForestPicture(metric string, parts bool, width int) prose.Picture {
	wide := c.forest(metric, parts)
	narrow := wide
	wide.Width, narrow.Width = width, narrowWidth
	return prose.Picture{SVGs: []string{wide.SVG()}, Narrow: []string{narrow.SVG()}, Whole: wide.SVG}
}

// forest plots the effects on one metric for each workload of each pair and, with parts, its
// cells. All share one scale.
func (c *Report) forest(metric string, parts bool) chart.Forest {
	var rows []VerdictRow
	var of []pair
	for _, p := range c.pairs {
		for _, r := range p.rowsOf(metric, parts) {
			rows, of = append(rows, r), append(of, p)
		}
	}
	scale := newEffectScale(rows)
	f := chart.Forest{Title: "Effect on " + MetricTitle(c.Words, metric), Unit: scale.unit, Margin: scale.margin(c.Plan.Margin)}
	if strict(metric) {
		f.Margin = 0
	}
	f.Less, f.More = c.ends(metric)
	for i, r := range rows {
		row := c.forestRow(r, scale)
		row.Group, row.Basis = of[i].title(c), c.basis(of[i])
		f.Rows = append(f.Rows, row)
	}
	return f
}

// title distinguishes a pair from others; "" if there is only one.
func (p pair) title(c *Report) string {
	if len(c.pairs) < 2 {
		return ""
	}
	return p.other + " against " + p.baseline
}

// rowsOf returns the workloads of a pair with a number or a verdict on a metric, each followed
// by its cells if it has several.
func (p pair) rowsOf(metric string, parts bool) []VerdictRow {
	var rows []VerdictRow
	for _, r := range p.verdicts {
		if r.Metric != metric || !r.says() {
			continue
		}
		rows = append(rows, r)
		own := slices.DeleteFunc(slices.Clone(p.cells), func(o VerdictRow) bool { return o.Workload != r.Workload || o.Metric != metric })
		if parts && len(own) > 1 { // otherwise the workload is that cell
			rows = append(rows, own...)
		}
	}
	return rows
}

func (c *Report) forestRow(r VerdictRow, scale effectScale) chart.ForestRow {
	row := chart.ForestRow{Label: r.Workload, Whole: r.Cell == nil && r.Clients == 0, Word: string(r.Outcome)}
	if r.Cell != nil {
		row.Label, row.Detail = "", strings.TrimPrefix(r.Cell.String(), r.Workload+", ")
	}
	if !r.HasNumber() {
		row.Missing = "no number"
		return row
	}
	row.Effect, row.Low, row.High = scale.of(r.Effect), scale.of(r.Low), scale.of(r.High)
	row.Range = r.Level == 0
	row.Text = Effect(r.Verdict, c.Plan.Margin)
	if limits := Span(r.Verdict, c.Plan.Margin); limits != phrase.None {
		row.Text += " (" + limits + ")"
	} else {
		row.Low, row.High = row.Effect, row.Effect
	}
	return row
}

// ends returns the meaning of effects to the left and to the right of zero.
func (c *Report) ends(metric string) (less, more string) {
	title := MetricTitle(c.Words, metric)
	less, more = "less "+title, "more "+title
	worse, better := "worse: ", "better: "
	if len(c.pairs) == 1 {
		worse, better = c.pairs[0].other+" is worse: ", c.pairs[0].other+" is better: "
	}
	m := metricOf(record.Verdict{Metric: metric})
	switch {
	case m.Plain || m.Name == "":
		return less, more
	case m.Higher:
		return worse + less, better + more
	}
	return better + less, worse + more
}

// strict reports whether any difference in a metric matters, so that it has no margin.
func strict(metric string) bool {
	m, err := experiment.ParseMetric(metric)
	return err == nil && m.Strict
}

// ForestCaption returns the caption for the chart of a metric.
func (c *Report) ForestCaption(metric string) string {
	var pairs []string
	for _, p := range c.pairs {
		pairs = append(pairs, p.other+" against "+p.baseline)
	}
	text := fmt.Sprintf("%s, %s: effect and interval.", MetricTitle(c.Words, metric), phrase.SomeOf(pairs))
	if !strict(metric) {
		text += fmt.Sprintf(" The band is the margin of %s, within which differences do not matter.", Percentage(c.Plan.Margin))
	}
	if levels := c.levels(metric); len(levels) > 1 {
		text += " Intervals have different levels (" + strings.Join(levels, ", ") + "): the table lists them."
	}
	if c.HasRow(func(r VerdictRow) bool { return r.Metric == metric && r.Level == 0 && r.N > 1 && HasNumber(r.Verdict) }) {
		text += " Dotted: the range of the " + c.Unit() + "s, which is not a confidence interval."
	}
	return text
}

// levels returns the levels of the intervals on a metric, each once.
func (c *Report) levels(metric string) []string {
	var all []string
	for _, p := range c.pairs {
		for _, r := range p.rowsOf(metric, true) {
			name := strings.TrimSuffix(LevelName(r.Level), " interval")
			if r.HasNumber() && r.Level > 0 && !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// Widths of a figure in px, for a screen, for a column of it and for a phone.
const (
	WideWidth   = 960
	ColumnWidth = 620
	narrowWidth = 360
)

// effectScale is the unit in which effects are drawn.
type effectScale struct{ unit string }

// newEffectScale chooses factors if percentages would compress small effects: doubling and
// halving are then equally far from no effect.
func newEffectScale(rows []VerdictRow) effectScale {
	unit := "%"
	for _, r := range rows {
		switch {
		case !r.HasNumber():
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

// named returns the name of an environment in a table, which says if its numbers are imported.
func (c *Report) named(environment string) string {
	if slices.Contains(c.Imported, environment) {
		return environment + " (imported)"
	}
	return environment
}

// BasisOf returns the basis of an environment's numbers. An environment that never ran has no
// numbers, and counts as measured.
func BasisOf(records []*record.Record, environment string) chart.Basis {
	for _, rec := range records {
		if e, found := rec.Environments[environment]; found && e.Basis() != string(chart.Measured) {
			return chart.Basis(e.Basis())
		}
	}
	return chart.Measured
}

// basis returns the weaker basis of the two environments of a pair.
func (c *Report) basis(p pair) chart.Basis {
	if b := BasisOf(c.records, p.other); b != chart.Measured {
		return b
	}
	return BasisOf(c.records, p.baseline)
}
