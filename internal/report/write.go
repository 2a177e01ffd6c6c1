package report

import (
	"fmt"
	"io"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/record"
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
	var render func(*Show, *record.Record, Options) (string, error)
	switch format {
	case "text":
		render = func(s *Show, rec *record.Record, o Options) (string, error) {
			return s.document(rec, o.Brief).Text(o.Width), nil
		}
	case "markdown":
		render = func(s *Show, rec *record.Record, o Options) (string, error) {
			return s.document(rec, o.Brief).Markdown(), nil
		}
	case "csv":
		render = func(s *Show, _ *record.Record, _ Options) (string, error) { return s.cellTable().CSV() }
	case "json":
		render = func(s *Show, rec *record.Record, _ Options) (string, error) {
			s.compare(rec)
			s.takeApart(rec)
			return indented(s)
		}
	case "gobench":
		render = func(s *Show, _ *record.Record, _ Options) (string, error) { return s.gobench(), nil }
	default:
		return unknownFormat(format)
	}
	if opts.Width <= 0 {
		opts.Width = 80
	}
	show, err := gather(rec, opts, format == "csv" || format == "json")
	if err != nil {
		return err
	}
	text, err := render(show, rec, opts)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", format, err)
	}
	_, err = io.WriteString(w, text)
	return err
}

func unknownFormat(format string) error {
	return hint.Errorf("one of "+strings.Join(Formats, ", "), "there is no format %q", format)
}
