package runpage

import "plinth/internal/record"

// HTML is the tables of one run as HTML: who had the CPUs, what sessions waited
// for, what it used of what there is. The page draws its seconds itself.
func HTML(rec *record.Record, run *record.Run) string {
	return newPage(rec, run).document(0).HTML()
}
