package runpage

import (
	"fmt"
	"io"

	"plinth/internal/figure"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/output"
)

// Formats are the formats that WriteRun and WriteTwoRuns know.
var Formats = []string{"text", "markdown", "csv", "json"}

// Options is how a run is written.
type Options struct {
	Width     int              // of the terminal, in characters; 80 when 0
	Every     int              // a table of steps of so many seconds; 0 is none (or, of two runs, one that fits a screen)
	Checklist figure.Checklist // what the run is held against
}

// Write writes one run in one of RunFormats: a page for people, the same as
// data, or (csv) all columns of its points, or the steps that were asked for.
func Write(w io.Writer, rec *record.Record, run *record.Run, format string, opts Options) error {
	page := func() *Page {
		p := newPage(rec, run)
		p.check(opts.Checklist)
		return p
	}
	return output.Write(w, format, opts.Width, output.Forms{
		Document: func() (prose.Document, error) { return page().document(opts.Every), nil },
		Table: func() (prose.Table, error) {
			p := page()
			if p.Missing != "" {
				return prose.Table{}, fmt.Errorf("cannot write the points of %s: %s", p.Path, p.Missing)
			}
			return p.fields(opts.Every), nil
		},
		Value: func() (any, error) { return page(), nil },
		Of:    "of a run",
	})
}

// fields are a run for programs: steps of so many seconds, or all there is.
func (p *Page) fields(every int) prose.Table {
	if every > 0 {
		return p.stepFields(every)
	}
	return pointsTable(p.points)
}

// pointsTable is all columns of points, warm-up included. A gap is an empty cell.
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
