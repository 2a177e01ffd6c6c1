package summary

import (
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/durability"
	"plinth/internal/report/environment"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
	"plinth/internal/report/steps"
	"plinth/internal/verdict"
)

// Summary is the output of plinth show: the numbers of a record, the comparison of its
// environments, and the effects of its tuning.
type Summary struct {
	*show.Numbers
	// Comparison is the output of plinth compare; absent without a comparison.
	Comparison *verdict.Comparison `json:"comparison,omitempty"`
	// Penalties holds the effects of the comparison as ratios; absent unless all workloads have
	// one load.
	Penalties []compare.Penalty `json:"penalties,omitempty"`
	// Steps is the table of an experiment in steps. Ablation has the effect of each part of a
	// tuning, if the experiment has an ablation.
	Steps    *steps.Table    `json:"steps,omitempty"`
	Ablation *steps.Ablation `json:"ablation,omitempty"`
}

// Of computes the numbers of a record.
func Of(rec *record.Record, opts Options, percentiles bool, only ...string) (*Summary, error) {
	numbers, err := show.Gather(rec, opts.Threads, percentiles, only...)
	if err != nil {
		return nil, err
	}
	if len(opts.Columns) > 0 {
		if err := numbers.Choose(opts.Columns); err != nil {
			return nil, err
		}
	}
	return &Summary{Numbers: numbers}, nil
}

// Numbers returns the numbers of all summaries.
func Numbers(all []*Summary) []*show.Numbers {
	shows := make([]*show.Numbers, len(all))
	for i, s := range all {
		shows[i] = s.Numbers
	}
	return shows
}

// document returns the report as a document, in reading order.
func (s *Summary) document(rec *record.Record, brief bool) prose.Document {
	var d prose.Document
	d.Add(prose.Paragraph(strings.TrimSuffix(s.Record.Experiment+": "+s.Record.Question, ": ")))
	s.AddState(&d, rec.Path)
	d.Add(durability.Lines(s.Durability))
	if brief {
		s.Compare(rec)
	}
	s.TakeApart(rec)
	s.addTuningParts(&d)
	command := "plinth show " + phrase.ShellWord(rec.Path)
	if brief && s.Comparison != nil {
		compare.New(s.Comparison, rec).AddBrief(&d, s.Numbers, command)
		return d
	}
	c := s.penalize(rec)
	for _, e := range s.Environments {
		s.AddEnvironment(&d, e)
	}
	title, table := s.Averages()
	d.Add(prose.Heading(title), table, environment.LeftOut(rec))
	d = append(d, compare.PenaltyTable(s.Penalties, s.Words())...)
	d.Add(prose.Paragraph(s.OverallNote()), prose.Paragraph(s.LatencyNote()), prose.Paragraph(s.MissingNote()))
	weak := c.AllWeaknesses([]*show.Numbers{s.Numbers})
	if brief {
		return append(d, weak.Brief(command)...)
	}
	d = append(d, weak)
	s.AddLost(&d, "")
	environment.AddTuned(&d, environment.Of(rec, s.Names()))
	s.AddDatasets(&d)
	d.Add(prose.Heading("Method"), slices.Concat(s.MethodLines(), environment.SwitchLines(rec.Runs)))
	return d
}

// addTuningParts adds the tables of steps and of an ablation, if the record has them.
func (s *Summary) addTuningParts(d *prose.Document) {
	if s.Steps != nil {
		d.Add(prose.Heading("Steps"))
		*d = append(*d, s.Steps.Document(s.Numbers)...)
	}
	if s.Ablation != nil {
		d.Add(prose.Heading("The effect of each part"))
		*d = append(*d, s.Ablation.Document(s.Numbers)...)
	}
}

// Compare adds the comparison of the environments; if the experiment cannot be read, it is the stored
// one. If that fails, it adds a warning; the measurements are shown nevertheless.
func (s *Summary) Compare(rec *record.Record) {
	if len(s.Environments) < 2 {
		return
	}
	if s.Unread {
		s.Comparison = show.Stored(rec)
		return
	}
	c, err := verdict.Of(rec, verdict.Options{})
	if err != nil {
		s.Warnings = append(s.Warnings, record.Note{Rule: "no-verdict", Text: err.Error(), Hint: hint.Of(err)})
		return
	}
	s.Comparison = c
	if s.IsOneLoad() {
		s.Penalties = compare.Penalties(c)
	}
}

// penalize computes the penalty ratios for output without verdicts, and returns the comparison
// for its warnings. It ignores errors, which are shown with the verdicts.
func (s *Summary) penalize(rec *record.Record) *compare.Report {
	if len(s.Environments) > 1 {
		if c, err := verdict.Of(rec, verdict.Options{}); err == nil {
			if s.IsOneLoad() {
				s.Penalties = compare.Penalties(c)
			}
			return compare.New(c, rec)
		}
	}
	return compare.New(&verdict.Comparison{})
}

// TakeApart adds the tables of steps and of an ablation. Both need the declared comparison of
// all environments. It ignores errors, which are shown with the verdicts.
func (s *Summary) TakeApart(rec *record.Record) {
	c := s.Comparison
	if c == nil && len(s.Environments) > 1 {
		c, _ = verdict.Of(rec, verdict.Options{})
	}
	s.Steps, s.Ablation = steps.Of(s.Numbers, rec, c), steps.AblationOf(s.Numbers, rec, c)
}
