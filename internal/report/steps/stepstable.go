package steps

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// stepsBlock is the step table in the published form. If it is too wide, the changes become a
// separate table.
type stepsBlock struct {
	changes, numbers prose.Table // of the same rows; the first column is the step
}

func (b stepsBlock) whole() prose.Table {
	t := prose.Table{Title: b.changes.Title, Keys: 1, Columns: append(slices.Clone(b.changes.Columns), b.numbers.Columns[1:]...)}
	for i, row := range b.changes.Rows {
		t.Rows = append(t.Rows, append(slices.Clone(row), b.numbers.Rows[i][1:]...))
	}
	return t
}

func (b stepsBlock) Text(width int) string {
	if whole := b.whole(); whole.Fits(width) {
		return whole.Text(width)
	}
	return prose.WordTable(b.changes).Text(width) + "\n" + b.numbers.Text(width)
}

func (b stepsBlock) Markdown() string { return b.whole().Markdown() }

func (b stepsBlock) HTML() string { return b.whole().HTML() }

// notHere precedes the reason why a step was not measured.
const notHere = "not applicable here: "

// table returns the steps with their means.
func (t *Table) table(s *show.Numbers) stepsBlock {
	b := stepsBlock{
		changes: prose.Table{Keys: 1, Columns: []prose.Column{{Title: "Step"}, {Title: "Key change"}}},
		numbers: prose.Table{Keys: 1, Columns: append([]prose.Column{{Title: "Step"}}, t.numberColumns(s)...)},
	}
	for _, step := range t.Steps {
		change := step.Change
		switch {
		case !step.measured():
			change = strings.TrimPrefix(step.Change+": "+notHere+step.NotApplicable, ": ")
		case change == "":
			change = phrase.None
		}
		b.changes.Rows = append(b.changes.Rows, []string{step.Name, change})
		b.numbers.Rows = append(b.numbers.Rows, append([]string{step.Name}, t.numbersOf(s, step)...))
	}
	return b
}

func (t *Table) hasOneClient() bool {
	return slices.ContainsFunc(t.Steps, func(step Step) bool { return step.OneClient != nil })
}

// numberColumns returns the chosen columns, or those of the published table, which omits
// latencies of read-only workloads, too.
func (t *Table) numberColumns(s *show.Numbers) []prose.Column {
	if len(s.Columns()) > 0 {
		return s.ColumnHeads()
	}
	var columns []prose.Column
	add := func(format string, args ...any) {
		columns = append(columns, prose.Column{Title: fmt.Sprintf(format, args...), Right: true})
	}
	for _, w := range s.Workloads {
		add("Avg %s %s", w.Label, s.Words().Rate)
		if w.ReadOnly {
			continue
		}
		add("Avg %s Lat", w.Label)
		if t.hasOneClient() {
			add("%s Lat, 1 client", w.Label)
		}
	}
	if len(s.Workloads) > 1 {
		add("Overall Avg %s", s.Words().Rate)
	}
	return columns
}

func (t *Table) numbersOf(s *show.Numbers, step Step) []string {
	if len(s.Columns()) > 0 {
		return s.ColumnTexts(step.Name)
	}
	var cells []string
	for _, w := range s.Workloads {
		a := show.AverageOf(step.Averages, w.Name)
		cells = append(cells, a.TPSText())
		if w.ReadOnly {
			continue
		}
		cells = append(cells, a.LatencyText())
		if t.hasOneClient() {
			cells = append(cells, show.AverageOf(step.OneClient, w.Name).LatencyText())
		}
	}
	if len(s.Workloads) > 1 {
		cells = append(cells, show.Overall(show.Environment{Overall: step.Overall}))
	}
	return cells
}

// stepBefore is the title of the effects against the step before.
const stepBefore = "Against the step before"

// deltas returns the effect of each step against the previous one or the baseline.
func (t *Table) deltas(s *show.Numbers, notes *compare.Footnotes, toBaseline bool) effectTable {
	table := effectTable{title: stepBefore, unit: t.Unit, margin: t.Margin, keys: []prose.Column{{Title: "Step"}, {Title: "Of"}}}
	if toBaseline {
		table.title = "Against " + t.Baseline
	}
	for _, step := range t.Steps {
		verdicts, fewest := step.AgainstPrevious, t.fewestOf(step)
		if toBaseline {
			verdicts, fewest = step.AgainstBaseline, t.Fewest
		}
		name := step.Name
		for _, v := range inOrder(s, verdicts, t.Metric) {
			row := effectRow{keys: []string{name, quantityOf(s, v)}, Verdict: v, fewest: fewest}
			if v.Outcome != "" {
				row.mark = notes.Mark(compare.Weakening(v.Warnings))
			}
			table.rows = append(table.rows, row)
		}
	}
	return table
}

// fewestOf returns the minimum number of units for a verdict against the previous step. A step
// next to the baseline uses the declared comparison.
func (t *Table) fewestOf(step Step) int {
	if step.Previous == t.Baseline || step.Name == t.Baseline {
		return t.Fewest
	}
	return t.FewestOwn
}

// inOrder returns the verdicts that tables show: by workload, the declared metric first, the
// overall TPS last, without latencies of read-only workloads.
func inOrder(s *show.Numbers, verdicts []record.Verdict, declared string) []record.Verdict {
	var all []record.Verdict
	for _, w := range s.Workloads {
		for _, metric := range slices.Compact([]string{declared, "tps", "latency"}) {
			for _, v := range verdicts {
				if v.Workload == w.Name && v.Metric == metric && (metric != "latency" || !w.ReadOnly || metric == declared) && !holds(all, v) {
					all = append(all, v)
				}
			}
		}
	}
	for _, v := range verdicts {
		if v.Workload == "" {
			all = append(all, v)
		}
	}
	return all
}

// holds reports whether all has a verdict on the same quantity.
func holds(all []record.Verdict, v record.Verdict) bool {
	return slices.ContainsFunc(all, func(o record.Verdict) bool {
		return o.Workload == v.Workload && o.Metric == v.Metric && o.Clients == v.Clients
	})
}

// quantityOf returns the quantity of a verdict as in the headings: "RW TPS", "RW Lat, 1
// client", "overall TPS".
func quantityOf(s *show.Numbers, v record.Verdict) string {
	short := compare.MetricShort(s.Words(), v.Metric)
	if v.Metric == "latency" {
		short = "Lat"
	}
	if v.Workload == "" {
		return "overall " + short
	}
	text := s.Label(v.Workload) + " " + short
	if v.Clients > 0 {
		text += ", " + phrase.Plural(v.Clients, "client")
	}
	return strings.TrimSpace(text)
}
