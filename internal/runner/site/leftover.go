package site

import (
	"context"
	"errors"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/runner/engines"
	"plinth/internal/tune"
)

// Clean undoes what earlier plinth processes left behind when they were killed, and reports it.
// With forget, entries that cannot be undone are dropped from their journals: a database on a
// server that no longer exists, for example. The error is a PutBackError, or an InputError if
// the state directory for journals is not available.
func Clean(ctx context.Context, say func(string), forget bool) error {
	state, err := journal.StateDir()
	if err != nil {
		return &InputError{err}
	}
	leftovers, err := journal.Leftovers(state)
	failures := []error{err}     // one that cannot be read does not keep the others from being undone
	facts, _ := host.ReadFacts() // without its ID, a machine's journal is taken for its own
	for _, leftover := range leftovers {
		if id := leftover.Machine(); leftover.Damage() == nil && id != "" && facts.MachineID != "" && id != facts.MachineID { // the directory is shared
			say("the journal " + leftover.Path() + " belongs to another machine: run plinth clean there")
			failures = append(failures, leftover.Close())
			continue
		}
		say("an earlier plinth process crashed; undoing what was left behind by " + leftover.Label())
		err := leftover.PutBack(ctx, engines.Undoers())
		if err != nil && forget {
			say("dropped: " + err.Error())
			err = leftover.Forget()
		}
		failures = append(failures, err, leftover.Close())
	}
	failures = append(failures, cleanTuning(ctx, state, say, forget))
	if err = errors.Join(failures...); err == nil {
		return nil
	}
	if hint.Of(err) == "" {
		err = hint.Wrap(err, "fix the cause and run plinth clean again, or drop the rest with plinth clean --forget")
	}
	return &PutBackError{err}
}

// cleanTuning rolls back a tuning that was not completed. A completed tuning is kept until
// the user rolls it back.
func cleanTuning(ctx context.Context, state string, say func(string), forget bool) error {
	kept, err := crashedTuning(state)
	if err != nil || kept == nil {
		return err
	}
	if err := kept.Close(); err != nil {
		return err
	}
	lock, err := journal.TakeLock(tune.LockPath(state), "plinth clean", journal.Starter())
	if errors.As(err, new(*journal.LockedError)) {
		return nil // the process that holds it undoes the tuning first
	}
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	if kept, err = crashedTuning(state); err != nil || kept == nil {
		return err
	}
	say("an earlier plinth process crashed; undoing its tuning")
	_, err = kept.Rollback(ctx, tune.Kernel{})
	if err == nil || !forget {
		return err
	}
	say("dropped: " + err.Error())
	if kept, err = tune.Kept(state); err != nil || kept == nil {
		return err
	}
	return kept.Adopt(tune.Kernel{})
}

// crashedTuning returns a tuning that was not completed; nil if there is none.
func crashedTuning(state string) (*tune.KeptState, error) {
	kept, err := tune.Kept(state)
	if err != nil || kept == nil || kept.Crashed || kept.Damage() != nil {
		return kept, err
	}
	return nil, kept.Close()
}

// Leftovers returns the journals of plinth processes that exited without undoing their changes.
func Leftovers() ([]*journal.Leftover, error) {
	state, err := journal.StateDir()
	if err != nil {
		return nil, err
	}
	return journal.Leftovers(state)
}
