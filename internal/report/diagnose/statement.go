package diagnose

import (
	"fmt"

	"plinth/internal/diagnosis"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/finding"
)

const (
	// longestStatement is the number of characters of a statement that fit beside its time and bar.
	longestStatement = 34
	// leastStatement is the share of the sum below which a statement is not listed: that of \set.
	leastStatement = 0.005
)

// statementsOf returns what each statement of the workload takes by the load generator's own means, which add up to a
// transaction; no table if there is one statement. Scripts count by their transactions.
func statementsOf(r record.Result) prose.Document {
	shares, sum := r.ScriptShares(), 0.0
	for _, one := range r.Statements {
		sum += one.Mean * shares[one.Script]
	}
	if len(r.Statements) < 2 || sum <= 0 {
		return prose.Document{}
	}
	t := prose.Table{Keys: 1, Columns: []prose.Column{{Title: "Statement"}, {Title: "a transaction", Right: true}, {Title: "share", Right: true}, {Title: ""}}}
	for _, one := range r.Statements {
		mean := one.Mean * shares[one.Script]
		if of := mean / sum; of >= leastStatement {
			t.Rows = append(t.Rows, []string{prose.Shortened(one.Statement, longestStatement), diagnosis.Duration(mean), finding.Percent(of), barOf(of)})
		}
	}
	var doc prose.Document
	doc.Add(t, prose.Paragraph(fmt.Sprintf("These are pgbench's own means, with the warm-up: a transaction takes %s in all.", diagnosis.Duration(sum))))
	return doc
}
