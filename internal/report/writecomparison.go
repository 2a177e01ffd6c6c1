package report

import (
	"io"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/report/compare"
	"plinth/internal/report/output"
	"plinth/internal/report/steps"
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
			return comparisonDocument(compare.New(c, opts.Records...), shows), nil
		},
		Table:   func() (prose.Table, error) { return comparisonTable(c, opts) },
		Value:   func() (any, error) { return comparisonValue(c, opts) },
		Gobench: func() (string, error) { return comparedRuns(c, opts) },
	})
}

// comparisonTable is the verdicts, with those that the table of steps has beside them.
func comparisonTable(c *verdict.Comparison, opts Options) (prose.Table, error) {
	if len(opts.Records) != 1 {
		return compare.VerdictFields(c), nil
	}
	shows, err := comparedShows(c, opts)
	if err != nil {
		return prose.Table{}, err
	}
	all := *c
	all.Verdicts = slices.Concat(c.Verdicts, shows[0].Steps.Beside(c.Verdicts))
	return compare.VerdictFields(&all), nil
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
		Steps    *steps.Table    `json:"steps,omitempty"`
		Ablation *steps.Ablation `json:"ablation,omitempty"`
	}{c, shows[0].Steps, shows[0].Ablation}, nil
}

// comparisonDocument is the whole of plinth compare.
func comparisonDocument(c *compare.Report, shows []*Summary) prose.Document {
	var d prose.Document
	d.Add(prose.Paragraph(strings.TrimSuffix(strings.Join(c.Records, " and ")+": "+c.Question, ": ")))
	d.Add(struckLines(c.Durability))
	for _, s := range shows {
		s.addTuningParts(&d)
	}
	c.Add(&d, showsOf(shows), false)
	return d
}
