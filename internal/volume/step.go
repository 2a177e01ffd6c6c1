package volume

import (
	"context"
	"encoding/json"

	"plinth/internal/journal"
)

// step is one step of a layout as one value: what undoes it, how plinth does it, and
// what an administrator would type in its place. The order of all steps is that of
// layOut, for a volume that is made and for one that is only sketched.
type step struct {
	// change is what the journal keeps, read from the machine just before. A nil func is a
	// step that goes with what an earlier one made; a nil change means nothing to do.
	change func() (change, error)
	do     func(context.Context) error
	typed  []Command
}

// change is what the journal keeps of a step: enough to undo it.
type change interface {
	// kind is its name in the journal.
	kind() string
	// undo undoes it as a journal.Undoer does: it is idempotent, and touches only what is
	// surely plinth's own.
	undo(context.Context) error
}

// The kinds of change of this package, as the journal names them.
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

// Undoers undo what this package makes.
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

// take notes a step in the journal, synced, and then does it. Of a sketch it keeps what
// would be typed, and does nothing.
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

// forgetLast takes back the last note: what it named was not made.
func (v *Volume) forgetLast() error {
	last := len(v.entries) - 1
	err := v.journal.Forget(v.entries[last])
	v.entries = v.entries[:last]
	return err
}
