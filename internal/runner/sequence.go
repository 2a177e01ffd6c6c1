package runner

import (
	"context"
	"errors"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// sequence drives every run that is still due, in schedule order.
func (r *Runner) sequence(ctx context.Context) error {
	r.progress.started = time.Now() // the first run is next
	r.progress.lastEnd = r.progress.started
	err := r.repeats(ctx)
	if err != nil && !errors.As(err, new(*decidedError)) {
		return err
	}
	if err := r.injectFaults(ctx); err != nil {
		return err
	}
	if missing := r.book.missing(); err == nil && len(missing) > 0 && !r.options.Once {
		return &NoValidRunError{missing}
	}
	return err
}

// repeats drives the due runs of each repeat. It returns a decidedError if the rest is not
// needed.
func (r *Runner) repeats(ctx context.Context) error {
	for i, slots := range r.experiment.Schedule() {
		if err := r.book.decided(i); err != nil {
			return err
		}
		if err := r.reload(ctx, slots); err != nil {
			return err
		}
		if err := r.repeat(ctx, slots); err != nil {
			return err
		}
		if err := r.book.save(record.Running, ""); err != nil {
			return err
		}
	}
	return nil
}

// repeat drives one repeat, then, unless options.Once, drives again each block with a run that was not valid. Blocks
// are repeated as a whole, since a single later run would not share the conditions of the
// others. The machine must be the one on which the experiment began.
func (r *Runner) repeat(ctx context.Context, slots []experiment.Slot) error {
	if err := r.sameMachines(ctx, r.book.summary); err != nil {
		return err
	}
	for _, again := range []bool{false, true} {
		if again && r.options.Once {
			break
		}
		due := r.book.dueIn(slots, again)
		if again {
			r.progress.planned += len(due) * len(r.experiment.Environments)
		}
		for _, slot := range slots {
			attempt := due[slot.Cell]
			if attempt == 0 {
				continue
			}
			if err := r.measure(ctx, slot, attempt); err != nil {
				return err
			}
		}
	}
	return nil
}
