package report

import (
	"encoding/json"
	"fmt"
	"io"

	"plinth/internal/verdict"
)

// WriteComparison writes what a record (or two) says about which environment is
// better, in one of Formats. Options.Records are the records it was made of: text
// and Markdown say what weakens their runs, and gobench writes the runs.
func WriteComparison(w io.Writer, c *verdict.Comparison, format string, opts Options) error {
	if opts.Width <= 0 {
		opts.Width = 80
	}
	var text string
	var err error
	switch format {
	case "text", "markdown":
		text, err = comparisonPage(c, format, opts)
	case "csv":
		text, err = verdictFields(c).CSV()
	case "json":
		text, err = indented(c)
	case "gobench":
		text, err = comparedRuns(c, opts)
	default:
		return unknownFormat(format)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", format, err)
	}
	_, err = io.WriteString(w, text)
	return err
}

func comparisonPage(c *verdict.Comparison, format string, opts Options) (string, error) {
	shows, err := comparedShows(c, opts)
	if err != nil {
		return "", err
	}
	page := newComparison(c, opts.Records...).document(shows)
	if format == "markdown" {
		return page.Markdown(), nil
	}
	return page.Text(opts.Width), nil
}

func indented(v any) (string, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return string(data) + "\n", err
}
