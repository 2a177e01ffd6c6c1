package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// reload reloads every dataset before a repeat with due runs, if the experiment asks for it:
// the variation between loads is then sampled once per repeat. The first repeat driven uses
// what prepare loaded. Environments are reloaded in the random order of the repeat's first
// block.
func (r *Runner) reload(ctx context.Context, slots []experiment.Slot) error {
	due := func(s experiment.Slot) bool {
		return r.book.ledger.Due(record.Block{Cell: s.Cell, Repeat: s.Repeat}) > 0
	}
	if r.experiment.Dataset.Reload != "repeat" || !slices.ContainsFunc(slots, due) {
		return nil
	}
	if !r.used {
		r.used = true
		return nil
	}
	began := time.Now()
	loaded, sharers := map[string]bool{}, map[string]bool{}
	for _, e := range r.experiment.Environments {
		sharers[e.Name] = e.DataOf != ""
	}
	for _, slot := range slots {
		if loaded[slot.Environment] || sharers[slot.Environment] {
			continue
		}
		loaded[slot.Environment] = true
		if err := r.site.Reload(ctx, slot.Environment, r.steps(slot.Environment)); err != nil {
			return site.InEnvironment(slot.Environment, fmt.Errorf("cannot reload the dataset: %w", err))
		}
	}
	r.reloaded = time.Since(began)
	return nil
}

// inLoadingOrder returns the environments in the order of their first load: file order, which
// users expect; or the order of the first repeat if datasets are reloaded, since loading is
// then part of what is compared.
func (r *Runner) inLoadingOrder() []experiment.Environment {
	all := slices.Clone(r.experiment.Environments)
	if r.experiment.Dataset.Reload != "repeat" {
		return all
	}
	first := r.experiment.Schedule()[0]
	turn := func(e experiment.Environment) int {
		loads := cmp.Or(e.DataOf, e.Name) // before those that share its data, which follow it in the file
		return slices.IndexFunc(first, func(s experiment.Slot) bool { return s.Environment == loads })
	}
	slices.SortStableFunc(all, func(a, b experiment.Environment) int { return cmp.Compare(turn(a), turn(b)) })
	return all
}
