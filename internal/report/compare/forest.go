package compare

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/chart"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// MetricsWithNumbers are the metrics of verdicts, the one that decides first.
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

// ForestPicture is the same forest for a wide page and for a narrow one.
type ForestPicture struct{ prose.Picture }

func (p ForestPicture) HTML() string {
	html := p.Picture.HTML()
	html = strings.Replace(html, `<div class="panel scroll">`, `<div class="panel scroll wide">`, 1)
	return strings.Replace(html, `<div class="panel scroll">`, `<div class="panel scroll narrow">`, 1)
}

// ForestPicture is the effects on one metric, width pixels wide; with parts, of cells too.
func (c *Report) ForestPicture(metric string, parts bool, width int) ForestPicture {
	wide := c.forest(metric, parts)
	narrow := wide
	wide.Width, narrow.Width = width, narrowWidth
	return ForestPicture{prose.Picture{SVGs: []string{wide.SVG(), narrow.SVG()}, Whole: wide.SVG}}
}

// forest is the effects on one metric: of each pair each workload, and with parts
// below it its cells. All of them share one scale.
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
	f.Less, f.More = c.ends(metric)
	for i, r := range rows {
		row := c.forestRow(r, scale)
		row.Group, row.Basis = of[i].title(c), c.basis(of[i])
		f.Rows = append(f.Rows, row)
	}
	return f
}

// title is what tells a pair from others; "" where there are none.
func (p pair) title(c *Report) string {
	if len(c.pairs) < 2 {
		return ""
	}
	return p.other + " against " + p.baseline
}

// rowsOf are the workloads of a pair that have something to say on a metric, each with
// its cells below it where it has several.
func (p pair) rowsOf(metric string, parts bool) []VerdictRow {
	var rows []VerdictRow
	for _, r := range p.verdicts {
		if r.Metric != metric || !r.says() {
			continue
		}
		rows = append(rows, r)
		own := slices.DeleteFunc(slices.Clone(p.cells), func(o VerdictRow) bool { return o.Workload != r.Workload || o.Metric != metric })
		if parts && len(own) > 1 { // else the workload is that cell
			rows = append(rows, own...)
		}
	}
	return rows
}

func (c *Report) forestRow(r VerdictRow, scale effectScale) chart.ForestRow {
	row := chart.ForestRow{Label: r.Workload, Whole: r.Cell == nil && r.Clients == 0, Word: string(r.Word)}
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

// ends is what it means to be left or right of nothing.
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

// ForestCaption is what stands below the picture of a metric.
func (c *Report) ForestCaption(metric string) string {
	var pairs []string
	for _, p := range c.pairs {
		pairs = append(pairs, p.other+" against "+p.baseline)
	}
	text := fmt.Sprintf("%s, %s: effect and interval. The band is the margin of %s, within which differences do not matter.",
		MetricTitle(c.Words, metric), phrase.SomeOf(pairs), Percentage(c.Plan.Margin))
	if levels := c.levels(metric); len(levels) > 1 {
		text += " Intervals have different levels (" + strings.Join(levels, ", ") + "): the table says which."
	}
	if c.HasRow(func(r VerdictRow) bool { return r.Metric == metric && r.Level == 0 && r.N > 1 && HasNumber(r.Verdict) }) {
		text += " Dotted: the range of the " + c.Unit() + "s, which is no interval."
	}
	return text
}

// levels are those of the intervals on a metric, each once.
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

// The widths of a figure for a screen, for a column of it and for a phone, in px.
const (
	WideWidth   = 960
	ColumnWidth = 620
	narrowWidth = 360
)

// effectScale is in what effects are drawn.
type effectScale struct{ unit string }

// newEffectScale takes ratios where per cents would squash what is small: to double
// and to halve are as far from each other as they are from nothing.
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

// BasisOf is what the numbers of an environment rest on. Nothing is known of one that
// was never up, and then no number is there that could rest on anything.
func BasisOf(records []*record.Record, environment string) chart.Basis {
	for _, rec := range records {
		if e, found := rec.Environments[environment]; found && e.Basis() != string(chart.Measured) {
			return chart.Basis(e.Basis())
		}
	}
	return chart.Measured
}

// basis is what the effects of a pair rest on: the weaker of two.
func (c *Report) basis(p pair) chart.Basis {
	if b := BasisOf(c.records, p.other); b != chart.Measured {
		return b
	}
	return BasisOf(c.records, p.baseline)
}
