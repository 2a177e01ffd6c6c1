package demand

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
	"plinth/internal/record"
)

// few is the share of the time that waiting for row locks may take before the model has to have them.
const few = 0.05

// builtin returns the name of pgbench's script that the workload consists of; "" if it is another one, or a mix.
func (c *Cell) builtin(exp *experiment.Experiment) string {
	i := slices.IndexFunc(exp.Workloads, func(w experiment.Workload) bool { return w.Name == c.Workload })
	if i < 0 || len(exp.Workloads[i].Scripts) != 1 {
		return ""
	}
	return exp.Workloads[i].Scripts[0].Builtin
}

// mostBranches is the number of branches beyond which it does not matter how many there are: no two clients meet.
const mostBranches = 10 * MostClients

// locks adds the statements of pgbench's scripts, and the rows that they lock (pgbench(1)).
func locks(s *closed.System, script string, e record.Environment, r reading) error {
	switch script {
	case "tpcb-like":
		// BEGIN, UPDATE accounts, SELECT, UPDATE tellers, UPDATE branches, INSERT, END.
		scale := int(min(max(1, e.Dataset.Rows/100000), mostBranches))
		s.Statements, s.ReadsIn = 7, 2
		s.Locks = []closed.Lock{{Rows: 10 * scale, After: 4}, {Rows: scale, After: 5}}
		return nil
	case "simple-update":
		s.Statements, s.ReadsIn = 5, 2 // as in tpcb-like, without branches and tellers
		return nil
	case "select-only":
		s.Statements = 1
		return nil
	}
	if r.locks > few {
		return hint.Errorf("predict from pgbench's own scripts, or from a workload that locks different rows",
			"sessions waited for row locks for %.0f %% of their time, and which rows the script locks is not known", 100*r.locks)
	}
	return nil
}
