package runpage

import (
	"fmt"
	"io"

	"plinth/internal/diagnosis"
	"plinth/internal/figure"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/diagnose"
	"plinth/internal/report/output"
)

// Formats holds the formats of Write and WriteTwo.
var Formats = []string{"text", "markdown", "csv", "json"}

// Options controls how a run is written.
type Options struct {
	Width     int              // of the terminal, in characters; 80 if 0
	Every     int              // seconds per step of a table; 0 means no table, or for two runs a step that fits a screen
	Checklist figure.Checklist // the checklist to check the run against
}

// Write writes one run in one of Formats: as a page, as JSON, or as CSV with all columns of its
// points or the requested steps.
func Write(w io.Writer, rec *record.Record, run *record.Run, format string, opts Options) error {
	page := func() *Page {
		p := newPage(rec, run)
		p.check(opts.Checklist)
		return p
	}
	return output.Write(w, format, opts.Width, output.Forms{
		Document: func() (prose.Document, error) {
			p := page()
			in := diagnosis.Input{Run: &p.Run, Points: p.points, Environment: p.env, Inventory: diagnosis.Inventory(rec, run.Environment)}
			diagnose.Brief(&p.binds, diagnosis.Of(in), p.words, "plinth diagnose "+p.Record+" --run "+p.Path)
			return p.document(opts.Every), nil
		},
		Table: func() (prose.Table, error) {
			p := page()
			if p.Missing != "" {
				return prose.Table{}, fmt.Errorf("no table of %s: %s", p.Path, p.Missing)
			}
			return p.fields(opts.Every), nil
		},
		Value: func() (any, error) { return page(), nil },
		Of:    "of a run",
	})
}

// fields returns a run for programs: in steps of this many seconds, or all points.
func (p *Page) fields(every int) prose.Table {
	if every > 0 {
		return p.stepFields(every)
	}
	return pointsTable(p.points)
}

// pointsTable returns all columns of points, warm-up included. A gap is an empty cell.
func pointsTable(points record.Points) prose.Table {
	var t prose.Table
	for _, c := range points.Columns {
		t.Columns = append(t.Columns, prose.Column{Title: prose.Clean(c.Name), Right: true})
		for i, v := range c.Values {
			if i == len(t.Rows) {
				t.Rows = append(t.Rows, nil)
			}
			t.Rows[i] = append(t.Rows[i], field(v))
		}
	}
	return t
}
