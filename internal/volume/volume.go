// Package volume lays out storage: the places where servers keep their data.
//
// A volume is a directory of plinth's own below one that is there:
//
//	PARENT/NAME/                made by plinth
//	PARENT/NAME/plinth-volume   the marker: the id that the journal knows
//	PARENT/NAME/data/           empty, private, the server's own
//
// or a filesystem that is made for it, on a block device that is there, a file, an
// emulated device, or an array of these. It is made of steps (step.go), from the disk up,
// and each is in the journal, synced, before it is done:
//
//	directory             the room: mount points and control sockets, in /run/plinth
//	file                  what holds the data of a loop device or an emulator
//	emulated-device       a process that serves a file as a filesystem of its own, or as
//	                      an nbd device, in the time of a model
//	loop-device           a block device on the file, with direct I/O
//	block-device-setting  write cache, scheduler, read-ahead
//	array                 by mdadm
//	filesystem, pool      by mkfs on a device that stays; by zpool
//	mount                 by mount
//
// They are undone in reverse order, by whoever has the journal. An undoer touches
// only what it can tell to be ours: a file by its inode and birth, a loop device by
// its file's inode, an array, a filesystem and a pool by the UUID or name that plinth
// chose for it, wherever its device is by now, a setting by its boot and the value that
// it was given, a directory by its marker, and a mount by being in a room. None of them
// hangs on an emulator that does not answer: its connection is aborted first, then the
// filesystem unmounted, the loop device freed, and the emulator's own filesystem
// unmounted last. The connection of an nbd device is aborted by killing its emulator,
// which is the process that listens at its socket.
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
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/record"
)

// Volume is a concrete place where data lives.
type Volume struct {
	Path string // where the server finds it: empty, private, its own
	Role string // "data", "wal", "temp" or "tablespace NAME"

	options Options
	part    experiment.Part
	name    string // of its directory or files
	facts   record.Volume
	journal *journal.Journal
	entries []journal.Entry

	// Of a volume with a filesystem of its own; disks and mounted are empty for a
	// directory.
	room    *os.Root // the directory for mount points and sockets, open
	roomAt  string   // its path
	mountAt string   // where its filesystem is mounted
	disks   []*disk
	mounted mount

	sketch *sketch // of a volume that is not made; else nil
}

// Make lays out what part asks for, from the disk up: backing files, emulators,
// loop devices, an array, a filesystem, its mount, and in it an empty directory
// for the owner. Each step is in the journal before it is done; when one fails
// those before it are undone.
func Make(ctx context.Context, o Options, part experiment.Part) (*Volume, error) {
	v := &Volume{Role: part.Role, options: o, part: part, name: o.Name, journal: o.Journal}
	if part.Role != experiment.RoleData {
		v.name += "-" + part.Name
	}
	if err := v.layOut(ctx); err != nil {
		in := ""
		if parent := part.Volume.Directory; parent != "" {
			in = " in " + parent
		}
		err = fmt.Errorf("cannot make the %s volume%s: %w", part.Role, in, endedBy(ctx, err))
		return nil, errors.Join(err, v.Remove(context.WithoutCancel(ctx)))
	}
	return v, nil
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
		return undoer[emulated](ctx, args)
	}
	return v.journal.Undo(ctx, undoers, v.entries).Causes()
}

// Options are what volumes are made with, whatever an experiment says of each.
type Options struct {
	Journal  *journal.Journal
	Launcher launch.Launcher // starts mkfs, mount, mdadm and emulators
	// Owner gets the directory; nil for plinth's own user.
	Owner *launch.User
	// Name is that of plinth's directory or files: "plinth-1a2b-env". What is not
	// the data volume has its role behind it.
	Name string
	// Size is how many bytes the volume has to hold, where its part does not say
	// how large it is. What a filesystem needs for itself comes on top.
	Size int64
	// RateScale multiplies IOPS and throughput of emulated devices; 0 is 1.
	RateScale float64
	// Form is that of emulated devices; the best that this machine has unless said.
	Form emulator.Form
	// Seed is where the randomness of emulated latencies begins.
	Seed uint64
}

func (o Options) rateScale() float64 {
	if o.RateScale == 0 {
		return 1
	}
	return o.RateScale
}
