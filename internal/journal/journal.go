// Package journal records changes so that they can be undone. Each plinth process has its own
// journal file. Before a change is made, it is noted in this file, which is synced to disk. After a
// process has died, any other process can find its journal and undo the changes.
//
// A journal consists of lines of JSON: a header, then a note for each change, and a line with
// "forget" for each change that has been undone:
//
//	{"schema":"plinth/journal/v1","pid":17,"boot":"084478c8…","machine":"a408bc38…","started":"…","label":"results/quick-…"}
//	{"id":1,"note":"directory","args":{"path":"/mnt/nvme0/plinth-7f3a"},"time":"…"}
//	{"id":2,"note":"bind-mount","args":{…},"time":"…"}
//	{"id":2,"forget":true}
//
// A process holds a lock (flock) on its journal. The kernel releases the lock when the process
// exits for any reason, so locks are never stale.
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

// Journal is the journal of this process. Its methods may be called concurrently.
type Journal struct {
	mu      sync.Mutex
	file    *file
	last    int
	entries []Entry
}

// Note records a change that is about to be made, with the arguments that its Undoer needs, and
// returns when the note is on disk. The arguments must not contain secrets: they are displayed.
func (j *Journal) Note(kind string, args any) (Entry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	raw, err := json.Marshal(args)
	if err != nil {
		return Entry{}, fmt.Errorf("cannot record %s in the journal: %w", kind, err)
	}
	e := Entry{ID: j.last + 1, Kind: kind, Args: raw, Time: time.Now().UTC()}
	if err := j.file.add(e); err != nil {
		return Entry{}, fmt.Errorf("cannot record %s in the journal: %w", kind, err)
	}
	j.last = e.ID
	j.entries = append(j.entries, e)
	return e, nil
}

// Forget records that a change was undone. It is idempotent.
func (j *Journal) Forget(e Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := slices.IndexFunc(j.entries, func(other Entry) bool { return other.ID == e.ID })
	if at < 0 {
		return nil
	}
	if err := j.file.add(forgotten{e.ID, true}); err != nil {
		return fmt.Errorf("cannot record in the journal that %s was undone: %w", e.Describe(), err)
	}
	j.entries = slices.Delete(j.entries, at, at+1)
	return nil
}

type forgotten struct {
	ID     int  `json:"id"`
	Forget bool `json:"forget"`
}

// Entries returns the changes that are not undone, in the order in which they were made.
func (j *Journal) Entries() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.entries)
}

// PutBack undoes all remaining changes, the last one first. It continues after a failure, and
// the failed entry stays in the journal. It also continues with a cancelled context, which only
// bounds the waiting of the Undoers. If any entry is of an unknown kind, it changes nothing,
// because other entries may depend on that one.
func (j *Journal) PutBack(ctx context.Context, undoers Undoers) error {
	left := j.Entries()
	if err := undoers.know(left); err != nil {
		return err
	}
	return j.Undo(ctx, undoers, left).Err()
}

// Undo undoes entries of this journal, the last one first, and continues after a failure.
// Entries that failed, or that others still need, stay in the journal.
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

// Failures holds the failures of one Undo.
type Failures []Failure

// Err returns an error with each change that could not be undone and the cause; nil for none.
func (f Failures) Err() error {
	var all []error
	for _, one := range f {
		all = append(all, fmt.Errorf("cannot undo a change (%s): %w", one.Entry.Describe(), one.Cause))
	}
	return errors.Join(all...)
}

// Causes returns the causes alone, for callers that name the changes themselves; nil for none.
func (f Failures) Causes() error {
	var all []error
	for _, one := range f {
		all = append(all, one.Cause)
	}
	return errors.Join(all...)
}

// Close closes the journal. It removes the file if nothing is left to undo, and keeps it for
// Leftovers otherwise.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var err error
	if len(j.entries) == 0 {
		err = j.file.remove()
	}
	return errors.Join(err, j.file.Close())
}
