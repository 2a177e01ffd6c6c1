package record

import "testing"

// TestStatementsPerTransaction: round trips are means over the scripts; pgbench's own commands are none.
func TestStatementsPerTransaction(t *testing.T) {
	r := Result{Scripts: []ScriptResult{{Name: "a", Transactions: 300}, {Name: "b", Transactions: 100}}, Statements: []StatementMean{
		{Script: "a", Statement: `\set x 1`}, {Script: "a", Statement: "SELECT 1;"}, {Script: "b", Statement: "BEGIN;"}, {Script: "b", Statement: "END;"},
	}}
	if got := r.StatementsPerTransaction(); got != 1.25 {
		t.Error(got)
	}
}
