package runner

import (
	"context"
	"errors"

	"plinth/internal/hint"
	"plinth/internal/journal"
)

// Clean puts back what earlier plinths that ended by force have left, and says
// so. With forget, what cannot be put back is dropped from their journals: a
// database in a server that is no longer there, say. The error is a PutBackError,
// or an InputError when there is no place for journals.
func Clean(ctx context.Context, view View, forget bool) error {
	state, err := journal.StateDir()
	if err != nil {
		return &InputError{err}
	}
	leftovers, err := journal.Leftovers(state)
	if err != nil {
		return &PutBackError{err}
	}
	var failures []error
	for _, leftover := range leftovers {
		view.Say("an earlier plinth ended by force; putting back what it left for " + leftover.Label())
		err := leftover.PutBack(ctx, undoers())
		if err != nil && forget {
			view.Say("forgotten: " + err.Error())
			err = leftover.Forget()
		}
		failures = append(failures, err, leftover.Close())
	}
	if err = errors.Join(failures...); err == nil {
		return nil
	}
	if hint.Of(err) == "" {
		err = hint.Wrap(err, "mend the cause and run plinth clean again, or drop the rest with plinth clean --forget")
	}
	return &PutBackError{err}
}

// Leftovers are the journals of plinths that ended without putting things back.
func Leftovers() ([]*journal.Leftover, error) {
	state, err := journal.StateDir()
	if err != nil {
		return nil, err
	}
	return journal.Leftovers(state)
}
