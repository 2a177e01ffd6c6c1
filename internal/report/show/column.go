package show

import (
	"fmt"
	"slices"

	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// Column is a chosen metric of a workload, as a column of a table of environments.
type Column struct {
	Workload Workload
	Metric   experiment.Metric
}

// ColumnValue is the value of a chosen column in an environment: the arithmetic mean over the
// cells of a workload. A percentile is that of the merged histogram of all runs.
type ColumnValue struct {
	Workload string  `json:"workload"`
	Metric   string  `json:"metric"`
	Value    float64 `json:"value"` // in the unit of the metric; latencies in nanoseconds
}

// Choose selects the metrics that tables of environments show in place of throughput and mean
// latency. It fails if a name is unknown or occurs twice.
func (s *Numbers) Choose(names []string) error {
	s.columns = nil
	if len(names) > experiment.MostColumns {
		return fmt.Errorf("%d columns, more than the maximum of %d", len(names), experiment.MostColumns)
	}
	var metrics []experiment.Metric
	for _, name := range names {
		m, err := experiment.ParseColumn(name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(metrics, func(o experiment.Metric) bool { return o.Name == m.Name }) {
			return fmt.Errorf("the column %s is given twice", m.Name)
		}
		metrics = append(metrics, m)
	}
	var all []Column
	filled, known := map[Column]bool{}, map[string]bool{} // columns and metrics with a value
	for i := range s.Environments {
		s.Environments[i].Columns = nil
	}
	for _, w := range s.Workloads {
		for _, m := range metrics {
			c := Column{w, m}
			all = append(all, c)
			for i := range s.Environments {
				e := &s.Environments[i]
				if value, ok := s.ValueOf(e.Name, c); ok {
					e.Columns = append(e.Columns, ColumnValue{w.Name, m.Name, value})
					filled[c], known[m.Name] = true, true
				}
			}
		}
	}
	// A column without any value is left out if another workload has values of its metric:
	// select-only has no commits.
	s.columns = slices.DeleteFunc(all, func(c Column) bool { return !filled[c] && known[c.Metric.Name] })
	return nil
}

// Columns returns the chosen columns, by workload; nil if none were chosen.
func (s *Numbers) Columns() []Column { return s.columns }

// ValueOf returns the value of a column in an environment. Ok is false if no run has one.
func (s *Numbers) ValueOf(environment string, c Column) (value float64, ok bool) {
	if c.Metric.Money {
		return s.costOf(environment, c)
	}
	var runs []record.Run
	for _, run := range s.Counted {
		if run.Environment == environment && run.Workload == c.Workload.Name {
			runs = append(runs, run)
		}
	}
	if share, is := percentiles[c.Metric.Name]; is {
		merged, _, err := merge(runs)
		if err != nil || merged == nil {
			return 0, false
		}
		return float64(share(merged)), true
	}
	var means []float64
	for _, cell := range distinctCells(runs) {
		var values []float64
		for i := range runs {
			if runs[i].Cell != cell {
				continue
			}
			if v, ok := verdict.ValueOf(s.rec, &runs[i], c.Metric); ok {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			means = append(means, rangeOf(values).Mean)
		}
	}
	if len(means) == 0 {
		return 0, false
	}
	return rangeOf(means).Mean, true
}

// costOf returns a cost of an environment under a workload, with the usual price books. Ok is false if it is
// not known.
func (s *Numbers) costOf(environment string, c Column) (value float64, ok bool) {
	if s.costs == nil {
		s.costs = &cost.Sheet{}
		if e, err := s.rec.Experiment(); err == nil {
			if sheet, err := cost.NewSheet(e, s.rec, cost.Books{}, false); err == nil {
				s.costs = sheet
			}
		}
	}
	for _, r := range s.costs.Rows {
		if r.Environment != environment || r.Workload != c.Workload.Name || !r.Month.Known() {
			continue
		}
		if c.Metric.Name == "usd-month" {
			return float64(r.Month), true
		}
		return r.Million.Value, r.Million.Known()
	}
	return 0, false
}

// percentiles holds the metrics that are percentiles of a run.
var percentiles = map[string]func(*Percentiles) int64{
	"p50":   func(p *Percentiles) int64 { return p.P50 },
	"p95":   func(p *Percentiles) int64 { return p.P95 },
	"p99":   func(p *Percentiles) int64 { return p.P99 },
	"p99.9": func(p *Percentiles) int64 { return p.P999 },
}

func distinctCells(runs []record.Run) []experiment.Cell {
	var cells []experiment.Cell
	for _, run := range runs {
		if !slices.Contains(cells, run.Cell) {
			cells = append(cells, run.Cell)
		}
	}
	return cells
}

// ColumnHeads returns the heads of the chosen columns. With a single workload, its name is left
// out.
func (s *Numbers) ColumnHeads() []prose.Column {
	var heads []prose.Column
	for _, c := range s.columns {
		heads = append(heads, prose.Column{Title: s.MetricLabel(c.Workload.Name, c.Metric), Right: true})
	}
	return heads
}

// MetricLabel returns a metric of a workload in words: "RW p99 latency", or "p99 latency" if
// there is a single workload.
func (s *Numbers) MetricLabel(workload string, m experiment.Metric) string {
	title := s.Words().Say(m.Title)
	if len(s.Workloads) == 1 {
		return title
	}
	return s.Label(workload) + " " + title
}

// ColumnTexts returns the fields of the chosen columns for an environment.
func (s *Numbers) ColumnTexts(environment string) []string {
	var fields []string
	var values []ColumnValue
	if e := s.Environment(environment); e != nil { // a step that was not measured has none
		values = e.Columns
	}
	for _, c := range s.columns {
		text := phrase.None
		for _, v := range values {
			if v.Workload == c.Workload.Name && v.Metric == c.Metric.Name {
				text = ValueText(v.Value, c.Metric)
			}
		}
		fields = append(fields, text)
	}
	return fields
}

// ValueText formats a value in the unit of its metric.
func ValueText(value float64, m experiment.Metric) string {
	switch {
	case m.Money:
		return price.Amount(value).String()
	case m.Share:
		return phrase.Share(value)
	case m.Time:
		return phrase.Milliseconds(value)
	case m.Figure:
		return phrase.Quantity(value, m.Unit, false)
	}
	return phrase.Count(value)
}
