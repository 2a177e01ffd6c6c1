package report

import "plinth/internal/record"

// RunHTML is the tables of one run as HTML: who had the CPUs, what sessions waited
// for, what it used of what there is. The page draws its seconds itself.
func RunHTML(rec *record.Record, run *record.Run) string {
	return newRunPage(rec, run).document(0).HTML()
}
