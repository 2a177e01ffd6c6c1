package show

import (
	"slices"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// IsOneLoad reports whether there are several workloads, all with one client count, thread
// count and rate. One table of environments by workloads then has all numbers.
func IsOneLoad(cells []Cell, workloads []Workload) bool {
	return len(workloads) > 1 && len(cells) > 0 && !slices.ContainsFunc(cells, func(c Cell) bool {
		return c.Clients != cells[0].Clients || c.Threads != cells[0].Threads || c.Rate != cells[0].Rate
	})
}

// IsOneLoad reports whether one table has all numbers.
func (s *Numbers) IsOneLoad() bool {
	return IsOneLoad(AllCells(s), s.Workloads)
}

// workloadTable compares configurations at one load in the published form: throughput, mean,
// p99 and maximum latency of each workload.
//
// Iwan Setiawan, "Redis + AOF + Distributed Storage: A Cautionary Benchmark".
func (s *Numbers) workloadTable() prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "Config"}}, Keys: 1}
	for _, w := range s.Workloads {
		for _, title := range []string{s.Words().Rate, "mean", "p99", "max"} {
			t.Columns = append(t.Columns, prose.Column{Title: w.Label + " " + title, Right: true})
		}
	}
	for _, e := range s.Environments {
		row := []string{e.Title()}
		for _, w := range s.Workloads {
			row = append(row, e.LoadOf(w.Name)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// columnTable returns the chosen columns of each environment.
func (s *Numbers) columnTable() prose.Table {
	t := prose.Table{Keys: 1, Columns: append([]prose.Column{{Title: "Config"}}, s.ColumnHeads()...)}
	for _, e := range s.Environments {
		t.Rows = append(t.Rows, append([]string{e.Title()}, s.ColumnTexts(e.Name)...))
	}
	return t
}

// LoadOf returns the table fields of a workload's only cell.
func (e Environment) LoadOf(workload string) []string {
	at := slices.IndexFunc(e.Cells, func(c Cell) bool { return c.Workload == workload })
	if at < 0 {
		return []string{phrase.None, phrase.None, phrase.None, phrase.None}
	}
	c := e.Cells[at]
	found := []string{phrase.Count(c.TPS.Mean), phrase.Latency(c.Latency.Mean), phrase.None, phrase.None}
	if p := c.Percentiles; p != nil {
		found[2], found[3] = phrase.Latency(float64(p.P99)), phrase.Latency(float64(p.Max))
	}
	return found
}

// Averages returns the last table of the numbers and its title: averages over all cells or,
// with one load, the workloads side by side.
func (s *Numbers) Averages() (string, prose.Table) {
	if len(s.columns) > 0 {
		return "Averages over all cells", s.columnTable()
	}
	if s.IsOneLoad() {
		return "Side by side", s.workloadTable()
	}
	return "Averages over all cells", s.summaryTable()
}

// AllCells returns the cells of all environments.
func AllCells(s *Numbers) (cells []Cell) {
	for _, e := range s.Environments {
		cells = append(cells, e.Cells...)
	}
	return cells
}
