package report

import (
	"encoding/json"
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
	Brief   bool // the environments side by side alone, as a run ends (text and markdown)
}

// Write writes the tables of rec in one of Formats.
func Write(w io.Writer, rec *record.Record, format string, opts Options) error {
	var render func(*Show, *record.Record, Options) (string, error)
	switch format {
	case "text":
		render = func(s *Show, rec *record.Record, o Options) (string, error) {
			return s.document(rec.Path, o.Brief).text(o.Width), nil
		}
	case "markdown":
		render = func(s *Show, rec *record.Record, o Options) (string, error) {
			return s.document(rec.Path, o.Brief).markdown(), nil
		}
	case "csv":
		render = func(s *Show, _ *record.Record, _ Options) (string, error) { return s.cellTable().csv() }
	case "json":
		render = func(s *Show, _ *record.Record, _ Options) (string, error) { return marshal(s) }
	case "gobench":
		render = func(s *Show, _ *record.Record, _ Options) (string, error) { return s.gobench(), nil }
	default:
		return hint.Errorf("one of "+strings.Join(Formats, ", "), "there is no format %q", format)
	}
	if opts.Width <= 0 {
		opts.Width = 80
	}
	show, err := gather(rec, opts.Threads, format == "csv" || format == "json")
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

func marshal(show *Show) (string, error) {
	data, err := json.MarshalIndent(show, "", "  ")
	return string(data) + "\n", err
}
