package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"plinth/internal/figure"
	"plinth/internal/hint"
	"plinth/internal/prose"
	"plinth/internal/record"
)

// RunFormats are the formats that WriteRun and WriteTwoRuns know.
var RunFormats = []string{"text", "markdown", "csv", "json"}

// RunOptions is how a run is written.
type RunOptions struct {
	Width     int              // of the terminal, in characters; 80 when 0
	Every     int              // a table of steps of so many seconds; 0 is none (or, of two runs, one that fits a screen)
	Checklist figure.Checklist // what the run is held against
}

// WriteRun writes one run in one of RunFormats: a page for people, the same as
// data, or (csv) all columns of its points, or the steps that were asked for.
func WriteRun(w io.Writer, rec *record.Record, run *record.Run, format string, opts RunOptions) error {
	if err := checkRunFormat(format); err != nil {
		return err
	}
	p := newRunPage(rec, run)
	p.check(opts.Checklist)
	var text string
	var err error
	switch format {
	case "markdown":
		text = p.document(opts.Every).Markdown()
	case "csv":
		if p.Missing != "" {
			return fmt.Errorf("cannot write the points of %s: %s", p.Path, p.Missing)
		}
		text, err = p.fields(opts.Every).CSV()
	case "json":
		text, err = indented(p)
	default:
		text = p.document(opts.Every).Text(opts.width())
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", format, err)
	}
	_, err = io.WriteString(w, text)
	return err
}

func (o RunOptions) width() int {
	if o.Width <= 0 {
		return 80
	}
	return o.Width
}

func checkRunFormat(format string) error {
	if slices.Contains(RunFormats, format) {
		return nil
	}
	return hint.Errorf("one of "+strings.Join(RunFormats, ", "), "there is no format %q of a run", format)
}

// fields are a run for programs: steps of so many seconds, or all there is.
func (p *RunPage) fields(every int) prose.Table {
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
