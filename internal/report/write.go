package report

import (
	"io"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/output"
)

// Formats are the formats that Write knows.
var Formats = []string{"text", "markdown", "csv", "json", "gobench"}

// Options is what of a record is written, and how.
type Options struct {
	Threads int  // only the cells with this thread count; 0 is the mean over all
	Width   int  // of the terminal, in characters; 80 when 0
	Brief   bool // the verdicts over all cells, as a run ends (text and markdown)

	// Records are those that were compared (WriteComparison alone reads them).
	Records []*record.Record
}

// Write writes the tables of rec in one of Formats.
func Write(w io.Writer, rec *record.Record, format string, opts Options) error {
	return output.Write(w, format, opts.Width, output.Forms{
		Document: func() (prose.Document, error) {
			s, err := summarize(rec, opts, false)
			if err != nil {
				return nil, err
			}
			return s.document(rec, opts.Brief), nil
		},
		Table: func() (prose.Table, error) {
			s, err := summarize(rec, opts, true)
			if err != nil {
				return prose.Table{}, err
			}
			return s.CellTable(), nil
		},
		Value: func() (any, error) {
			s, err := summarize(rec, opts, true)
			if err != nil {
				return nil, err
			}
			s.compare(rec)
			s.takeApart(rec)
			return s, nil
		},
		Gobench: func() (string, error) {
			s, err := summarize(rec, opts, false)
			if err != nil {
				return "", err
			}
			return s.Gobench(), nil
		},
	})
}
