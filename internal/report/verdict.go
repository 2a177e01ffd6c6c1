package report

import (
	"slices"

	"plinth/internal/prose"
	"plinth/internal/report/compare"
)

// verdicts shows the effects as charts and tables, and how they were decided.
func (f *Full) verdicts() prose.Document {
	c := f.comparison
	if c == nil {
		return nil
	}
	var d prose.Document
	d.Add(f.forests()...)
	c.AddTables(&d)
	d.Add(c.Notes.Lines())
	f.show.AddLost(&d, "")
	c.AddDecided(&d)
	d.Add(prose.List(c.Chances()))
	return d
}

// forests returns a chart for each metric with numbers: the effects of all pairs of
// environments. The declared metric is shown first.
func (f *Full) forests() []prose.Block {
	c := f.comparison
	metrics := c.MetricsWithNumbers()
	choose := prose.Choice{Name: "effect", Label: "Effect on", Chosen: c.Plan.Metric}
	for _, metric := range metrics {
		choose.Values, choose.Titles = append(choose.Values, metric), append(choose.Titles, compare.MetricTitle(c.Words, metric))
	}
	if len(metrics) > 0 && !slices.Contains(metrics, choose.Chosen) {
		choose.Chosen = metrics[0]
	}
	all := []prose.Block{prose.Choices{choose}}
	for _, metric := range metrics {
		p := c.ForestPicture(metric, true, compare.WideWidth)
		p.Name, p.Caption, p.Shown = "verdicts", c.ForestCaption(metric), metric == choose.Chosen
		if len(metrics) > 1 {
			p.When = "effect=" + metric
		}
		all = append(all, p)
	}
	return all
}

// overview shows the effects on workloads only, below the answer.
func (f *Full) overview() prose.Document {
	var d prose.Document
	if f.comparison == nil {
		return d
	}
	for _, metric := range f.comparison.MetricsWithNumbers() {
		if f.comparison.Decides(metric) {
			p := f.comparison.ForestPicture(metric, false, compare.ColumnWidth)
			p.Name, p.Shown = "answer", true
			d.Add(p)
		}
	}
	return d
}
