package report

import (
	"io"
	"slices"

	"plinth/internal/prose"
	"plinth/internal/report/output"
	"plinth/internal/verdict"
)

// WriteComparison writes what a record (or two) says about which environment is
// better, in one of Formats. Options.Records are the records it was made of: text
// and Markdown say what weakens their runs, and gobench writes the runs.
func WriteComparison(w io.Writer, c *verdict.Comparison, format string, opts Options) error {
	return output.Write(w, format, opts.Width, output.Forms{
		Document: func() (prose.Document, error) {
			shows, err := comparedShows(c, opts)
			if err != nil {
				return nil, err
			}
			return newComparison(c, opts.Records...).document(shows), nil
		},
		Table:   func() (prose.Table, error) { return comparisonTable(c, opts) },
		Value:   func() (any, error) { return comparisonValue(c, opts) },
		Gobench: func() (string, error) { return comparedRuns(c, opts) },
	})
}

// comparisonTable is the verdicts, with those that the table of steps has beside them.
func comparisonTable(c *verdict.Comparison, opts Options) (prose.Table, error) {
	if len(opts.Records) != 1 {
		return verdictFields(c), nil
	}
	shows, err := comparedShows(c, opts)
	if err != nil {
		return prose.Table{}, err
	}
	all := *c
	all.Verdicts = slices.Concat(c.Verdicts, shows[0].Steps.beside(c.Verdicts))
	return verdictFields(&all), nil
}

// comparisonValue is the comparison with the tables of steps and parts that its record has.
func comparisonValue(c *verdict.Comparison, opts Options) (any, error) {
	if len(opts.Records) != 1 {
		return c, nil
	}
	shows, err := comparedShows(c, opts)
	if err != nil {
		return nil, err
	}
	return struct {
		*verdict.Comparison
		Steps    *TuningSteps `json:"steps,omitempty"`
		Ablation *Ablation    `json:"ablation,omitempty"`
	}{c, shows[0].Steps, shows[0].Ablation}, nil
}
