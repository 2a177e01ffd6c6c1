package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Journal is the journal of this plinth. Its methods may be called concurrently.
type Journal struct {
	mu      sync.Mutex
	file    *file
	last    int
	entries []Entry
}

// Note notes a change that is about to be made, with what its undoer needs to
// know, and returns when that is on disk. No secrets: people are shown it.
func (j *Journal) Note(kind string, args any) (Entry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	raw, err := json.Marshal(args)
	if err != nil {
		return Entry{}, fmt.Errorf("cannot note %s in the journal: %w", kind, err)
	}
	e := Entry{ID: j.last + 1, Kind: kind, Args: raw, Time: time.Now().UTC()}
	if err := j.file.add(e); err != nil {
		return Entry{}, fmt.Errorf("cannot note %s in the journal: %w", kind, err)
	}
	j.last = e.ID
	j.entries = append(j.entries, e)
	return e, nil
}

// Forget notes that a change was undone. Forgetting twice is fine.
func (j *Journal) Forget(e Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := slices.IndexFunc(j.entries, func(other Entry) bool { return other.ID == e.ID })
	if at < 0 {
		return nil
	}
	if err := j.file.add(forgotten{e.ID, true}); err != nil {
		return fmt.Errorf("cannot note in the journal that %s was undone: %w", e.Describe(), err)
	}
	j.entries = slices.Delete(j.entries, at, at+1)
	return nil
}

type forgotten struct {
	ID     int  `json:"id"`
	Forget bool `json:"forget"`
}

// Entries are the changes that are not undone, in the order in which they were made.
func (j *Journal) Entries() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.entries)
}

// PutBack undoes all changes that are left, the last one first. A failure does
// not keep it from the others; what failed stays in the journal. Nor does a
// context that is done: it bounds the waiting of the undoers, and all that needs
// none is undone. With a kind that no undoer knows it changes nothing: the others
// may depend on it.
func (j *Journal) PutBack(ctx context.Context, undoers Undoers) error {
	left := j.Entries()
	if err := undoers.know(left); err != nil {
		return err
	}
	var failures []error
	for _, e := range slices.Backward(left) {
		err := undoers[e.Kind](ctx, e.Args)
		if errors.Is(err, ErrStays) {
			continue
		}
		if err == nil {
			err = j.Forget(e)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("cannot put back %s: %w", e.Describe(), err))
		}
	}
	return errors.Join(failures...)
}

// Close ends the journal. It is removed when nothing is left to undo, and kept
// for Leftovers otherwise.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var err error
	if len(j.entries) == 0 {
		err = j.file.remove()
	}
	return errors.Join(err, j.file.Close())
}
