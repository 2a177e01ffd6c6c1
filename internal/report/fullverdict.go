package report

import (
	"plinth/internal/prose"
)

// verdicts is the effects as pictures and as tables, and how they were decided.
func (f *Full) verdicts() prose.Document {
	c := f.comparison
	if c == nil {
		return nil
	}
	var d prose.Document
	d.Add(f.forests()...)
	c.AddTables(&d)
	d.Add(c.Notes.Lines())
	f.show.AddLost(&d, "")
	c.AddDecided(&d)
	d.Add(prose.List(c.Chances()))
	return d
}
