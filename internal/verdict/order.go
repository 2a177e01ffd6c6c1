package verdict

import (
	"cmp"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// order sorts verdicts as the experiment has it: by workload, environment and cell.
// Metrics are in the order in which they were asked for.
func (c *comparer) order(verdicts []record.Verdict) {
	cells := c.exp.Cells()
	slices.SortStableFunc(verdicts, func(a, b record.Verdict) int {
		return cmp.Or(
			cmp.Compare(c.workload(a.Workload), c.workload(b.Workload)),
			cmp.Compare(slices.Index(c.others, a.Other), slices.Index(c.others, b.Other)),
			cmp.Compare(place(cells, a), place(cells, b)),
		)
	})
}

func (c *comparer) workload(name string) int {
	return slices.IndexFunc(c.exp.Workloads, func(w experiment.Workload) bool { return w.Name == name })
}

// place is where the first cell of a verdict stands in the matrix.
func place(cells []experiment.Cell, v record.Verdict) int {
	return slices.IndexFunc(cells, func(cell experiment.Cell) bool {
		if v.Cell != nil {
			return cell == *v.Cell
		}
		return cell.Workload == v.Workload && (v.Clients == 0 || cell.Clients == v.Clients && cell.Rate == v.Rate)
	})
}
