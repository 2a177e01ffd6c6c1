package journal

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"plinth/internal/hint"
)

// Entry is one change that was noted and is not undone yet.
type Entry struct {
	ID   int             `json:"id"` // from 1, in the order of the changes
	Kind string          `json:"note"`
	Args json.RawMessage `json:"args"`
	Time time.Time       `json:"time"`
}

// Undoer undoes one kind of change. It is idempotent: the change may never have
// happened (a crash between the note and the change), or be undone already. It
// touches nothing that is not surely plinth's own.
//
// The context bounds how long it waits, for a process to end or a server to answer.
// Also when the context is done already it does what needs no waiting: files are
// removed, mounts unmounted.
type Undoer func(ctx context.Context, args json.RawMessage) error

// ErrStays is what an Undoer returns for an entry that has nothing to undo itself, and is
// needed as long as others of its journal are left.
var ErrStays = errors.New("needed by others")

// Undoers are undoers by the kind of change that they undo.
type Undoers map[string]Undoer

// know is an error unless there is an undoer for each entry.
func (u Undoers) know(entries []Entry) error {
	for _, e := range entries {
		if u[e.Kind] == nil {
			return hint.Errorf("use the plinth that made it, or a later one",
				"cannot put back %q: this plinth does not know how", e.Kind)
		}
	}
	return nil
}
