package report

import (
	"plinth/internal/prose"
)

// steps is what each step is worth.
func (f *Full) steps() prose.Document {
	if f.show.Steps == nil {
		return nil
	}
	return f.show.Steps.Document(f.show.Numbers)
}

// ablation is which part of a tuning did it.
func (f *Full) ablation() prose.Document {
	if f.show.Ablation == nil {
		return nil
	}
	return f.show.Ablation.Document(f.show.Numbers)
}
