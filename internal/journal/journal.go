// Package journal is what undoes a change: a file of its own for each plinth, in
// which a change is noted, and synced to disk, before it is made. Whoever finds
// the journal of a dead plinth can put back what that one could not.
//
// A journal is lines of JSON: a header, then notes and what was forgotten:
//
//	{"schema":"plinth/journal/v1","pid":17,"boot":"084478c8…","machine":"a408bc38…","started":"…","label":"results/quick-…"}
//	{"id":1,"note":"directory","args":{"path":"/mnt/nvme0/plinth-7f3a"},"time":"…"}
//	{"id":2,"note":"bind-mount","args":{…},"time":"…"}
//	{"id":2,"forget":true}
//
// A plinth holds a lock (flock) on its journal while it lives, and the kernel
// drops the lock when it dies, however it dies: there are no stale locks.
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
	return j.Undo(ctx, undoers, left).Err()
}

// Undo undoes entries of this journal, the last one first, going on after a failure. What
// failed, and what others still need, stays in the journal.
func (j *Journal) Undo(ctx context.Context, undoers Undoers, entries []Entry) Failures {
	var failures Failures
	for _, e := range slices.Backward(entries) {
		err := undoers[e.Kind](ctx, e.Args)
		if errors.Is(err, ErrStays) {
			continue
		}
		if err == nil {
			err = j.Forget(e)
		}
		if err != nil {
			failures = append(failures, Failure{e, err})
		}
	}
	return failures
}

// Failure is a change that could not be undone.
type Failure struct {
	Entry Entry
	Cause error
}

// Failures are those of one putting back.
type Failures []Failure

// Err says of each what could not be put back, and why; nil for none.
func (f Failures) Err() error {
	var all []error
	for _, one := range f {
		all = append(all, fmt.Errorf("cannot put back %s: %w", one.Entry.Describe(), one.Cause))
	}
	return errors.Join(all...)
}

// Causes are why each could not be undone, for a caller that says of what; nil for none.
func (f Failures) Causes() error {
	var all []error
	for _, one := range f {
		all = append(all, one.Cause)
	}
	return errors.Join(all...)
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
