package report

import (
	"plinth/internal/prose"
	"plinth/internal/record"
)

// takeApart adds the tables of an experiment in steps, and of one that takes a tuning
// apart.
func (s *Show) takeApart(rec *record.Record) {
	s.Steps, s.Ablation = stepsOf(s, rec), ablationOf(s, rec)
}

// steps is what each step is worth.
func (f *Full) steps() (d prose.Document) {
	f.show.addSteps(&d, false)
	return d
}

// ablation is which part of a tuning did it.
func (f *Full) ablation() (d prose.Document) {
	f.show.addAblation(&d, false)
	return d
}
