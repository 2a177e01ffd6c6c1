package summary

import (
	"io"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/durability"
	"plinth/internal/report/output"
	"plinth/internal/report/steps"
	"plinth/internal/verdict"
)

// Formats holds the formats of Write.
var Formats = []string{"text", "markdown", "csv", "json", "gobench"}

// Options selects what is written of a record, and how.
type Options struct {
	Threads int  // only the cells with this thread count; 0 means the mean over all
	Width   int  // of the terminal, in characters; 80 if 0
	Brief   bool // only the verdicts over all cells, as at the end of a run (text and markdown)
	// Columns holds the metrics that tables of environments show; none: those of the experiment.
	Columns []string

	// Records holds the compared records; only WriteComparison uses them.
	Records []*record.Record
}

// Write writes the tables of rec in one of Formats.
func Write(w io.Writer, rec *record.Record, format string, opts Options) error {
	return output.Write(w, format, opts.Width, output.Forms{
		Document: func() (prose.Document, error) {
			s, err := Of(rec, opts, false)
			if err != nil {
				return nil, err
			}
			return s.document(rec, opts.Brief), nil
		},
		Table: func() (prose.Table, error) {
			s, err := Of(rec, opts, true)
			if err != nil {
				return prose.Table{}, err
			}
			return s.CellTable(), nil
		},
		Value: func() (any, error) {
			s, err := Of(rec, opts, true)
			if err != nil {
				return nil, err
			}
			s.Compare(rec)
			s.TakeApart(rec)
			return s, nil
		},
		Gobench: func() (string, error) {
			s, err := Of(rec, opts, false)
			if err != nil {
				return "", err
			}
			return s.Gobench(), nil
		},
	})
}

// WriteComparison writes the comparison within one record or between two, in one of Formats.
// Options.Records are the compared records: text and Markdown show the warnings of their runs,
// and gobench writes the runs.
func WriteComparison(w io.Writer, c *verdict.Comparison, format string, opts Options) error {
	return output.Write(w, format, opts.Width, output.Forms{
		Document: func() (prose.Document, error) {
			shows, err := Compared(c, opts)
			if err != nil {
				return nil, err
			}
			var d prose.Document
			d.Add(prose.Paragraph(strings.TrimSuffix(strings.Join(c.Records, " and ")+": "+c.Question, ": ")))
			d.Add(durability.Lines(c.Durability))
			for _, s := range shows {
				s.addTuningParts(&d)
			}
			compare.New(c, opts.Records...).Add(&d, Numbers(shows))
			return d, nil
		},
		Table: func() (prose.Table, error) { return comparisonTable(c, opts) },
		Value: func() (any, error) { return comparisonValue(c, opts) },
		// The compared runs, for benchstat: -col /env shows the environments of one record side
		// by side, -col record two records.
		Gobench: func() (string, error) {
			shows, err := Compared(c, opts)
			var b strings.Builder
			for _, s := range shows {
				b.WriteString(s.Gobench())
			}
			return b.String(), err
		},
	})
}

// comparisonTable returns the verdicts, including those that only the table of steps has.
func comparisonTable(c *verdict.Comparison, opts Options) (prose.Table, error) {
	if len(opts.Records) != 1 {
		return compare.VerdictFields(c), nil
	}
	shows, err := Compared(c, opts)
	if err != nil {
		return prose.Table{}, err
	}
	all := *c
	all.OtherPairs = slices.Concat(c.OtherPairs, shows[0].Steps.Beside(slices.Concat(c.Verdicts, c.OtherPairs)), shows[0].Ablation.Effects())
	return compare.VerdictFields(&all), nil
}

// comparisonValue returns the comparison with the record's tables of steps and parts.
func comparisonValue(c *verdict.Comparison, opts Options) (any, error) {
	if len(opts.Records) != 1 {
		return c, nil
	}
	shows, err := Compared(c, opts)
	if err != nil {
		return nil, err
	}
	return struct {
		*verdict.Comparison
		Steps    *steps.Table    `json:"steps,omitempty"`
		Ablation *steps.Ablation `json:"ablation,omitempty"`
	}{c, shows[0].Steps, shows[0].Ablation}, nil
}

// Compared returns the numbers and warnings of each compared record.
func Compared(c *verdict.Comparison, opts Options) ([]*Summary, error) {
	var only []string // the environments of one record that c compares
	screened := c.Plan.Effects > 0 && !slices.ContainsFunc(c.Verdicts, func(v record.Verdict) bool {
		return v.Baseline != experiment.AblationAll || v.Other != experiment.AblationNone
	})
	if len(c.Records) == 1 && !screened { // the effects of a screening design rest on all environments
		for _, v := range c.Verdicts {
			only = append(only, v.Baseline, v.Other)
		}
	}
	var shows []*Summary
	for _, rec := range opts.Records {
		show, err := Of(rec, opts, false, only...)
		if err != nil {
			return nil, err
		}
		if len(c.Records) == 1 {
			show.TakeApart(rec)
		}
		shows = append(shows, show)
	}
	return shows, nil
}
