package report

import (
	"plinth/internal/prose"
)

// steps is what each step is worth.
func (f *Full) steps() prose.Document {
	if f.show.Steps == nil {
		return nil
	}
	return f.show.Steps.document(f.show.Show)
}

// ablation is which part of a tuning did it.
func (f *Full) ablation() prose.Document {
	if f.show.Ablation == nil {
		return nil
	}
	return f.show.Ablation.document(f.show.Show)
}
