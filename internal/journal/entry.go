package journal

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"plinth/internal/hint"
)

// Entry is a change that was noted and is not undone yet.
type Entry struct {
	ID   int             `json:"id"` // from 1, in the order of the changes
	Kind string          `json:"note"`
	Args json.RawMessage `json:"args"`
	Time time.Time       `json:"time"`
}

// Undoer undoes one kind of change. It is idempotent: the change may never have happened (a
// crash between the note and the change), or may already be undone. It touches only objects
// known to be plinth's.
//
// The context bounds waiting, as for a process to end or a server to answer. Even with a
// cancelled context the Undoer does everything that needs no waiting, such as removing files
// and unmounting.
type Undoer func(ctx context.Context, args json.RawMessage) error

// ErrStays is returned by an Undoer for an entry that itself needs no undo, but must stay as
// long as other entries of its journal remain.
var ErrStays = errors.New("needed by others")

// Undoers maps kinds of changes to their Undoer.
type Undoers map[string]Undoer

// know returns an error unless there is an Undoer for each entry.
func (u Undoers) know(entries []Entry) error {
	for _, e := range entries {
		if u[e.Kind] == nil {
			return hint.Errorf("use the plinth version that wrote it, or a later one",
				"cannot undo a change of the kind %q: this version of plinth does not support it", e.Kind)
		}
	}
	return nil
}
