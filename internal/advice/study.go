package advice

import (
	"math"
	"slices"
	"strings"

	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// study is a record with its bills, and the verdicts that were read from it.
type study struct {
	Input
	sheet    *cost.Sheet
	counted  []record.Run // runs whose numbers may be used
	metric   experiment.Metric
	warnings []record.Note // on the comparisons that were made
	compared map[string]*verdict.Comparison
	bound    []Binding
	picked   bool // some of them were not declared
	beside   bool // its answers are compared with those of other records
}

// The values of Rule.Of that name no workloads.
const (
	bursts   = "bursts"
	policies = "policies"
)

func newStudy(in Input) (*study, error) {
	sheet, err := cost.NewSheet(in.Experiment, in.Record, in.Books, false)
	if err != nil {
		return nil, err
	}
	for _, c := range in.Candidates {
		if err := sheet.Add(in.Experiment, in.Record, in.Books, c); err != nil {
			return nil, err
		}
	}
	sheet.Age(in.Now)
	s := &study{Input: in, sheet: sheet, compared: map[string]*verdict.Comparison{}}
	var names []string
	for _, e := range sheet.Environments {
		names = append(names, e.Name)
	}
	s.counted, _ = in.Record.Counted(names, in.Record.Runs)
	if s.metric, err = experiment.ParseMetric(in.Experiment.Metric); err != nil || s.metric.Plain {
		s.metric = builtin("tps")
	}
	return s, nil
}

// builtin returns one of the metrics that every experiment has.
func builtin(name string) experiment.Metric {
	m, _ := experiment.ParseMetric(name) // always known
	return m
}

// workloads returns the names of the workloads that were measured, of one kind: writes, reads, or any other
// word for all of them.
func (s *study) workloads(kind string) []string {
	var names []string
	for _, r := range s.sheet.Rows {
		if slices.Contains(names, r.Workload) {
			continue
		}
		if (kind == writes || kind == reads) && s.kindOf(r.Workload) != kind {
			continue
		}
		names = append(names, r.Workload)
	}
	return names
}

// cells returns the number of cells of a workload.
func (s *study) cells(workload string) int {
	n := 0
	for _, c := range s.Experiment.Cells() {
		if c.Workload == workload {
			n++
		}
	}
	return n
}

func (s *study) row(environment, workload string) (cost.Row, bool) {
	for _, r := range s.sheet.Rows {
		if r.Environment == environment && r.Workload == workload {
			return r, true
		}
	}
	return cost.Row{}, false
}

func (s *study) environment(name string) experiment.Environment {
	for _, e := range s.Experiment.Environments {
		if e.Name == name {
			return e
		}
	}
	return experiment.Environment{Name: name}
}

// mean returns the mean of a metric over the runs of a workload in an environment: geometric where the metric
// is compared by ratio. It is NaN if a run has no number.
func (s *study) mean(environment, workload string, m experiment.Metric) float64 {
	sum, n := 0.0, 0.0
	for i := range s.counted {
		run := &s.counted[i]
		if run.Environment != environment || run.Workload != workload {
			continue
		}
		v, ok := verdict.ValueOf(s.Record, run, m)
		switch {
		case !ok:
			return math.NaN()
		case !m.Share:
			v = math.Log(v)
		}
		sum, n = sum+v, n+1
	}
	if m.Share {
		return sum / n
	}
	return math.Exp(sum / n)
}

// figure returns the mean of a figure over the runs of a workload in an environment, all workloads if it
// is ""; NaN if it is not known.
func (s *study) figure(environment, workload, name string) float64 {
	sum, n := 0.0, 0.0
	for _, run := range s.counted {
		if v, known := run.Figures[name]; known && run.Environment == environment && (workload == "" || run.Workload == workload) {
			sum, n = sum+v, n+1
		}
	}
	return sum / n
}

// compare returns the comparison of an environment with others by one metric.
func (s *study) compare(with string, others []string, m experiment.Metric) (*verdict.Comparison, error) {
	key := strings.Join(append([]string{m.Name, with}, others...), "\n")
	if c, known := s.compared[key]; known {
		return c, nil
	}
	c, err := verdict.Of(s.Record, verdict.Options{Environments: append([]string{with}, others...), Metrics: []string{m.Name}})
	if err != nil {
		return nil, err
	}
	s.compared[key] = c
	for _, n := range c.Warnings {
		if n.Rule == notDeclared {
			s.picked = true
			continue
		}
		if !slices.ContainsFunc(s.warnings, func(o record.Note) bool { return o.Text == n.Text && o.Environment == n.Environment }) {
			s.warnings = append(s.warnings, n)
		}
	}
	return c, nil
}

// notDeclared is the rule of the notes on comparisons that were not declared. One sentence for all answers
// takes their place: every choice picks the best of what was measured.
const notDeclared = "not-declared"
