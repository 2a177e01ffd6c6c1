package volume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/journal"
	"plinth/internal/record"
)

// Volume is a concrete place where data lives.
type Volume struct {
	Path string // where the server finds it: empty, private, its own
	Role string // "data", "wal", "temp" or "tablespace NAME"

	options Options
	part    experiment.Part
	facts   record.Volume
	journal *journal.Journal
	entries []journal.Entry

	// Of a volume with a filesystem of its own; disks and mounted are empty for a
	// directory.
	room    *os.Root // the directory for mount points and sockets, open
	roomAt  string   // its path
	disks   []*disk
	mounted mount
}

// Make lays out what part asks for, from the disk up: backing files, emulators,
// loop devices, an array, a filesystem, its mount, and in it an empty directory
// for the owner. Each step is in the journal before it is done; when one fails
// those before it are undone.
func Make(ctx context.Context, o Options, part experiment.Part) (*Volume, error) {
	v := &Volume{Role: part.Role, options: o, part: part, journal: o.Journal}
	if err := v.make(ctx); err != nil {
		err = fmt.Errorf("cannot make the %s volume%s: %w", part.Role, in(part.Volume), endedBy(ctx, err))
		return nil, errors.Join(err, v.Remove(context.WithoutCancel(ctx)))
	}
	return v, nil
}

func (v *Volume) make(ctx context.Context) error {
	if parent := v.part.Volume.Directory; parent != "" {
		return v.makeBelow(parent)
	}
	return v.makeFilesystem(ctx)
}

func in(v experiment.Volume) string {
	if v.Directory == "" {
		return ""
	}
	return " in " + v.Directory
}

// Facts tell what the volume lies on, and how much was free before it was used.
func (v *Volume) Facts() record.Volume { return v.facts }

// Emulators are those of its emulated devices, in the order of the members of an
// array; nil where nothing is emulated.
func (v *Volume) Emulators() []*emulator.Emulator {
	var emulators []*emulator.Emulator
	for _, d := range v.disks {
		if d.emulator != nil {
			emulators = append(emulators, d.emulator)
		}
	}
	return emulators
}

// Models are what the emulated devices of Emulators act as, in the same order, with
// their rates scaled.
func (v *Volume) Models() []device.Device {
	var models []device.Device
	for _, d := range v.disks {
		if d.emulator != nil {
			models = append(models, d.model)
		}
	}
	return models
}

// Remove undoes all that was made for the volume, its content included. It may
// be called twice; what could not be undone stays in the journal.
func (v *Volume) Remove(ctx context.Context) error {
	v.hurry(ctx)
	if v.room != nil {
		_ = v.room.Close()
	}
	undoers := Undoers()
	undoers[emulatorKind] = func(ctx context.Context, args json.RawMessage) error {
		v.stopEmulator(ctx, args)
		return undoEmulator(ctx, args)
	}
	return v.journal.Undo(ctx, undoers, v.entries).Causes()
}

// note writes to the journal what is about to be made.
func (v *Volume) note(kind string, args any) error {
	e, err := v.journal.Note(kind, args)
	if err == nil {
		v.entries = append(v.entries, e)
	}
	return err
}

// forgetLast takes back the last note: what it named was not made.
func (v *Volume) forgetLast() error {
	last := len(v.entries) - 1
	err := v.journal.Forget(v.entries[last])
	v.entries = v.entries[:last]
	return err
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

// Undoers undo what this package makes.
func Undoers() journal.Undoers {
	return journal.Undoers{
		directoryKind:  undoDirectory,
		bindMountKind:  undoBindMount,
		fileKind:       undoFile,
		emulatorKind:   undoEmulator,
		loopKind:       undoLoop,
		settingKind:    undoSetting,
		arrayKind:      undoArray,
		filesystemKind: undoFilesystem,
		poolKind:       undoPool,
		mountKind:      undoMount,
	}
}
