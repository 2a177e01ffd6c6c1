package volume

import (
	"context"
	"encoding/json"

	"plinth/internal/journal"
)

// step is one step of setting up a volume: how to undo it, how plinth does it, and what an
// administrator would type instead. layOut determines the order of the steps, for a volume that
// is created and for one that is only sketched.
type step struct {
	// change returns the journal entry, read from the machine just before the step. A nil func
	// means that the step is undone with an earlier one; a nil change means that there is nothing
	// to do.
	change func() (change, error)
	do     func(context.Context) error
	typed  []Command
}

// change is the journal entry of a step: enough to undo it.
type change interface {
	// kind returns the entry's kind in the journal.
	kind() string
	// undo undoes the step as a journal.Undoer: it is idempotent, and touches only what is
	// certainly plinth's own.
	undo(context.Context) error
}

// The kinds of changes of this package, as named in the journal.
const (
	directoryKind  = "directory"
	bindMountKind  = "bind-mount"
	fileKind       = "file"
	emulatorKind   = "emulated-device"
	loopKind       = "loop-device"
	settingKind    = "block-device-setting"
	arrayKind      = "array"
	filesystemKind = "filesystem"
	poolKind       = "pool"
	mountKind      = "mount"
)

func (directory) kind() string { return directoryKind }
func (bind) kind() string      { return bindMountKind }
func (file) kind() string      { return fileKind }
func (emulated) kind() string  { return emulatorKind }
func (loop) kind() string      { return loopKind }
func (setting) kind() string   { return settingKind }
func (array) kind() string     { return arrayKind }
func (made) kind() string      { return filesystemKind }
func (pool) kind() string      { return poolKind }
func (mount) kind() string     { return mountKind }

// Undoers returns the functions that undo this package's changes.
func Undoers() journal.Undoers {
	return journal.Undoers{
		directoryKind:  undoer[directory],
		bindMountKind:  undoer[bind],
		fileKind:       undoer[file],
		emulatorKind:   undoer[emulated],
		loopKind:       undoer[loop],
		settingKind:    undoer[setting],
		arrayKind:      undoer[array],
		filesystemKind: undoer[made],
		poolKind:       undoer[pool],
		mountKind:      undoer[mount],
	}
}

func undoer[C change](ctx context.Context, args json.RawMessage) error {
	var c C
	if err := json.Unmarshal(args, &c); err != nil {
		return err
	}
	return c.undo(ctx)
}

// take records a step in the journal, synced, and then does it. In a sketch it only collects the
// commands.
func (v *Volume) take(ctx context.Context, s step) error {
	if v.sketch != nil {
		v.sketch.commands = append(v.sketch.commands, s.typed...)
		return nil
	}
	if s.change != nil {
		c, err := s.change()
		if err != nil || c == nil {
			return err
		}
		e, err := v.journal.Note(c.kind(), c)
		if err != nil {
			return err
		}
		v.entries = append(v.entries, e)
	}
	return s.do(ctx)
}

// forgetLast removes the last journal entry, because its step was not carried out.
func (v *Volume) forgetLast() error {
	last := len(v.entries) - 1
	err := v.journal.Forget(v.entries[last])
	v.entries = v.entries[:last]
	return err
}
