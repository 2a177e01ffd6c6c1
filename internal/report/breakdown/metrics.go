package breakdown

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
	"plinth/internal/verdict"
)

// Metrics compares each environment with the baseline, a row for each metric of each workload:
// both values and the effect.
//
// The form is that of the tables "vs Baseline" in Iwan Setiawan, "Bare Metal vs. AWS RDS: CPU/NUMA
// Pinning and HugePages", and of the performance summary in "Storage Selection for Database
// Workloads".
type Metrics struct {
	*source
	values []Value
}

// ByMetric returns the values of a record over all cells: of its chosen columns, or those of a
// published summary.
func ByMetric(s *show.Numbers, rec *record.Record) (*Metrics, error) {
	from, err := newSource(s, rec)
	if err != nil {
		return nil, err
	}
	found := &Metrics{source: from}
	quantities := []verdict.Quantity{}
	for _, m := range metricsOf(s, "tps", "latency", "p99", "commit-latency", "wal-sync-latency") {
		quantities = append(quantities, verdict.Quantity{Metric: m.Name})
	}
	if len(s.Columns()) == 0 && hasOneClient(s) {
		quantities = slices.Insert(quantities, 2, verdict.Quantity{Metric: "latency", Clients: 1})
	}
	if found.values, err = from.values(quantities); err != nil {
		return nil, err
	}
	if len(s.Columns()) == 0 {
		found.values = withoutReads(s, found.values)
	}
	if len(s.Workloads) > 1 && len(s.Columns()) == 0 {
		overall, err := from.overall()
		if err != nil {
			return nil, err
		}
		found.values = append(found.values, overall...)
	}
	return found, nil
}

// withoutReads drops the values on commits and WAL of read-only workloads, which commit nothing.
func withoutReads(s *show.Numbers, values []Value) []Value {
	return slices.DeleteFunc(values, func(v Value) bool {
		ofWAL := v.Metric == "commit-latency" || v.Metric == "wal-sync-latency"
		return ofWAL && slices.ContainsFunc(s.Workloads, func(w show.Workload) bool { return w.Name == v.Workload && w.ReadOnly })
	})
}

// hasOneClient reports whether there are cells with one client among others.
func hasOneClient(s *show.Numbers) bool {
	rows := s.Environments[0].Rows
	return len(rows) > 1 && slices.ContainsFunc(rows, func(r show.Row) bool { return r.Clients == 1 && r.Rate == 0 })
}

// Values returns all values.
func (ms *Metrics) Values() []Value { return ms.values }

// Document returns a table for each environment other than the baseline.
func (ms *Metrics) Document() prose.Document {
	var d prose.Document
	for _, name := range others(ms.source) {
		if t := ms.table(name); len(t.Rows) > 0 {
			d.Add(t)
		}
	}
	if len(d) == 0 {
		d.Add(nothingToCompare)
	} else {
		d.Add(prose.Paragraph("Values are geometric means over blocks, so that an effect is the ratio of two values; those of shares are arithmetic, " +
			"and an effect is their difference. plinth show has arithmetic means of all metrics. " + intervalNote))
	}
	return d
}

func (ms *Metrics) table(other string) prose.Table {
	t := prose.Table{Title: other + " against " + ms.baseline, Keys: 1, Columns: []prose.Column{
		{Title: "Metric"}, {Title: ms.Titled(ms.baseline), Right: true}, {Title: ms.Titled(other), Right: true},
		{Title: "Effect", Right: true}, {Title: ms.spanTitle(other), Right: true},
	}}
	margin := float64(ms.Experiment.Margin)
	for _, w := range append(slices.Clone(ms.Workloads), show.Workload{}) {
		for _, v := range ms.values {
			if v.Environment != other || v.Workload != w.Name {
				continue
			}
			m, err := experiment.ParseMetric(v.Metric)
			if err != nil {
				continue
			}
			t.Rows = append(t.Rows, []string{
				ms.label(v, m), show.ValueText(v.Effect.A, m), show.ValueText(v.Effect.B, m),
				compare.Effect(*v.Effect, margin), ms.span(v, margin),
			})
		}
	}
	return t
}

// spanTitle returns the title of the intervals of an environment: they are ranges if all rows have
// too few blocks.
func (ms *Metrics) spanTitle(other string) string {
	return phrase.Capital(compare.LevelName(ms.level(other)))
}

// level returns the highest level of the intervals of an environment.
func (ms *Metrics) level(other string) float64 {
	level := 0.0
	for _, v := range ms.values {
		if v.Environment == other {
			level = max(level, v.Effect.Level)
		}
	}
	return level
}

// span returns the interval of a value; among intervals, a range is marked.
func (ms *Metrics) span(v Value, margin float64) string {
	text := compare.Span(*v.Effect, margin)
	if v.Effect.Level == 0 && ms.level(v.Environment) > 0 && text != phrase.None {
		text += " (range)"
	}
	return text
}

func (ms *Metrics) label(v Value, m experiment.Metric) string {
	if v.Workload == "" {
		return "Overall " + ms.Words().Say(m.Title)
	}
	text := ms.MetricLabel(v.Workload, m)
	if v.Clients > 0 {
		text += ", " + phrase.Plural(v.Clients, "client")
	}
	return text
}
