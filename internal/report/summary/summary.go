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

// Summary is what plinth show says of a record: its numbers, how its environments
// compare, and what its tuning did.
type Summary struct {
	*show.Numbers
	// Comparison is what plinth compare says; absent where nothing is compared.
	Comparison *verdict.Comparison `json:"comparison,omitempty"`
	// Penalties are the effects of the comparison as ratios; absent unless all
	// workloads were driven at one load.
	Penalties []compare.Penalty `json:"penalties,omitempty"`
	// Steps is the step table of an experiment in steps, Ablation what each part of a
	// tuning is worth, where it was taken apart.
	Steps    *steps.Table    `json:"steps,omitempty"`
	Ablation *steps.Ablation `json:"ablation,omitempty"`
}

// Of gathers the numbers of a record.
func Of(rec *record.Record, opts Options, percentiles bool, only ...string) (*Summary, error) {
	numbers, err := show.Gather(rec, opts.Threads, percentiles, only...)
	if err != nil {
		return nil, err
	}
	return &Summary{Numbers: numbers}, nil
}

// Numbers are the numbers alone.
func Numbers(all []*Summary) []*show.Numbers {
	shows := make([]*show.Numbers, len(all))
	for i, s := range all {
		shows[i] = s.Numbers
	}
	return shows
}

// document is the whole report for people, in the order in which they read it.
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
	if brief && s.Comparison != nil {
		compare.New(s.Comparison, rec).Add(&d, []*show.Numbers{s.Numbers}, true)
		return d
	}
	s.penalizeOnly(rec)
	for _, e := range s.Environments {
		s.AddEnvironment(&d, e)
	}
	title, table := s.Averages()
	d.Add(prose.Heading(title), table)
	d = append(d, compare.PenaltyTable(s.Penalties, s.Words())...)
	d.Add(prose.Paragraph(s.OverallNote()), prose.Paragraph(s.LatencyNote()), prose.Paragraph(s.MissingNote()))
	d.Add(prose.List(phrase.Notes("warning: ", s.Warnings)))
	s.AddLost(&d, "")
	if !brief {
		environment.AddTuned(&d, environment.Of(rec, s.Names()))
		s.AddDatasets(&d)
		d.Add(prose.Heading("Method"), slices.Concat(s.MethodLines(), environment.SwitchLines(rec.Runs)))
	}
	return d
}

// addTuningParts adds the tables of steps, and of what each part of a tuning is worth,
// where the record has them.
func (s *Summary) addTuningParts(d *prose.Document) {
	if s.Steps != nil {
		d.Add(prose.Heading("Steps"))
		*d = append(*d, s.Steps.Document(s.Numbers)...)
	}
	if s.Ablation != nil {
		d.Add(prose.Heading("Which of these did it"))
		*d = append(*d, s.Ablation.Document(s.Numbers)...)
	}
}

// Compare adds the comparison of the environments. Where the record refuses one,
// what was measured is shown all the same.
func (s *Summary) Compare(rec *record.Record) {
	if len(s.Environments) < 2 {
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

// penalizeOnly makes the penalty ratios for tables beside which no verdicts stand. Where
// there is no comparison, its cause is told where verdicts are.
func (s *Summary) penalizeOnly(rec *record.Record) {
	if !s.IsOneLoad() || len(s.Environments) < 2 {
		return
	}
	if c, err := verdict.Of(rec, verdict.Options{}); err == nil {
		s.Penalties = compare.Penalties(c)
	}
}

// TakeApart adds the tables of an experiment in steps, and of one that takes a tuning
// apart. Both need the comparison of all environments, as it was declared; where there is
// none, somebody else tells why.
func (s *Summary) TakeApart(rec *record.Record) {
	c := s.Comparison
	if c == nil && len(s.Environments) > 1 {
		c, _ = verdict.Of(rec, verdict.Options{})
	}
	s.Steps, s.Ablation = steps.Of(s.Numbers, rec, c), steps.AblationOf(s.Numbers, rec, c)
}
