package breakdown

import (
	"cmp"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/environment"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Environments has one row for each environment: what distinguishes it, and its values.
//
// The form is that of the comparison of filesystems in "Storage Selection for Database Workloads"
// and, sorted, of Iwan Setiawan, "Bare Metal vs. AWS RDS: CPU/NUMA Pinning and HugePages", Final
// Comparison.
type Environments struct {
	*show.Numbers
	rec   *record.Record
	order []string
	sort  string
	plain bool // neither direction of the metric is better
}

// ByEnvironment returns the environments of a record, sorted by a metric, the best first, or in
// the order of the experiment if sort is empty. The metric is the mean over all workloads, or that
// of one: "WORKLOAD/METRIC".
func ByEnvironment(s *show.Numbers, rec *record.Record, sort string) (*Environments, error) {
	e := &Environments{Numbers: s, rec: rec, order: s.Names(), sort: sort}
	if len(s.Columns()) == 0 { // their metrics are those of the other tables
		if err := s.Choose([]string{"tps", "latency"}); err != nil {
			return nil, err
		}
	}
	if sort == "" {
		return e, nil
	}
	return e, e.sortBy(sort)
}

func (e *Environments) sortBy(key string) error {
	workload, name, one := strings.Cut(key, "/")
	if !one {
		workload, name = "", key
	}
	m, err := experiment.ParseColumn(name)
	if err != nil {
		return err
	}
	var of []show.Workload
	var names []string
	for _, w := range e.Workloads {
		names = append(names, w.Name)
		if workload == "" || w.Name == workload {
			of = append(of, w)
		}
	}
	if len(of) == 0 {
		return hint.Errorf(hint.DidYouMean(workload, names, "it can be "+hint.Choice(names)), "there is no workload %s", workload)
	}
	// A workload without the metric in any environment does not count: select-only has no commits.
	of = slices.DeleteFunc(of, func(w show.Workload) bool {
		return !slices.ContainsFunc(e.order, func(name string) bool { _, ok := e.ValueOf(name, show.Column{Workload: w, Metric: m}); return ok })
	})
	if len(of) == 0 {
		return hint.Errorf("choose a metric that the table shows", "cannot sort: no environment has a value of %s", m.Name)
	}
	e.plain = m.Plain
	means := map[string]float64{}
	for _, environment := range e.order {
		sum, known := 0.0, 0
		for _, w := range of {
			if value, ok := e.ValueOf(environment, show.Column{Workload: w, Metric: m}); ok {
				sum, known = sum+value, known+1
			}
		}
		if known == len(of) {
			means[environment] = sum / float64(known)
		}
	}
	slices.SortStableFunc(e.order, func(a, b string) int {
		x, known := means[a]
		y, alsoKnown := means[b]
		switch {
		case known != alsoKnown: // those without a number come last
			return map[bool]int{true: -1, false: 1}[known]
		case m.Higher:
			return cmp.Compare(y, x)
		}
		return cmp.Compare(x, y)
	})
	return nil
}

// Table returns the table.
func (e *Environments) Table() prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "Config"}}, Keys: 1}
	if e.sort != "" {
		t.Title = "Sorted by " + e.sort + ", the best first"
		if e.plain {
			t.Title = "Sorted by " + e.sort + ", the lowest first"
		}
	}
	properties := environment.Distinguishing(environment.Of(e.rec, e.order))
	for _, p := range properties {
		t.Columns = append(t.Columns, prose.Column{Title: p.Name})
	}
	t.Columns = append(t.Columns, e.ColumnHeads()...)
	for _, name := range e.order {
		row := []string{e.Titled(name)}
		for _, p := range properties {
			row = append(row, cmp.Or(p.Values[name], phrase.None))
		}
		t.Rows = append(t.Rows, append(row, e.ColumnTexts(name)...))
	}
	return t
}

// Document returns the table and what its means are.
func (e *Environments) Document() prose.Document {
	var d prose.Document
	d.Add(e.Table(), prose.Paragraph("Values are arithmetic means over all cells; percentiles are those of all runs together."))
	return d
}

// Values returns the values of all environments, in the order of the table.
func (e *Environments) Values() []Value {
	values := []Value{}
	for _, name := range e.order {
		for _, v := range e.Environment(name).Columns {
			values = append(values, Value{Workload: v.Workload, Metric: v.Metric, Environment: name, Value: v.Value})
		}
	}
	return values
}
