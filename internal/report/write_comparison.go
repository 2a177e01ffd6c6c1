package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

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
		text, err = comparisonCSV(c, opts)
	case "json":
		text, err = comparisonJSON(c, opts)
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

// comparisonCSV is the verdicts, with those that the table of steps has beside them.
func comparisonCSV(c *verdict.Comparison, opts Options) (string, error) {
	if len(opts.Records) != 1 {
		return verdictFields(c).CSV()
	}
	shows, err := comparedShows(c, opts)
	if err != nil {
		return "", err
	}
	all := *c
	all.Verdicts = slices.Concat(c.Verdicts, shows[0].Steps.beside(c.Verdicts))
	return verdictFields(&all).CSV()
}

// comparisonJSON is the comparison with the tables of steps and parts that its record has.
func comparisonJSON(c *verdict.Comparison, opts Options) (string, error) {
	if len(opts.Records) != 1 {
		return indented(c)
	}
	shows, err := comparedShows(c, opts)
	if err != nil {
		return "", err
	}
	return indented(struct {
		*verdict.Comparison
		Steps    *TuningSteps `json:"steps,omitempty"`
		Ablation *Ablation    `json:"ablation,omitempty"`
	}{c, shows[0].Steps, shows[0].Ablation})
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
