package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
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

// forMachines are arguments that tell people nothing.
var forMachines = []string{"id", "mount_point"}

// Describe says in words what the change was: its kind and its arguments.
func (e Entry) Describe() string {
	var args map[string]any
	decoder := json.NewDecoder(bytes.NewReader(e.Args))
	decoder.UseNumber()
	if decoder.Decode(&args) != nil {
		return e.Kind + " " + string(e.Args)
	}
	maps.DeleteFunc(args, func(name string, _ any) bool { return slices.Contains(forMachines, name) })
	words := make([]string, 0, len(args))
	for name, value := range args {
		if len(args) > 1 {
			value = fmt.Sprintf("%s %v", strings.ReplaceAll(name, "_", " "), value)
		}
		words = append(words, fmt.Sprint(value))
	}
	slices.Sort(words)
	return strings.TrimSpace(strings.ReplaceAll(e.Kind, "-", " ") + " " + strings.Join(words, ", "))
}
