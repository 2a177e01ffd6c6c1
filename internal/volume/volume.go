// Package volume sets up storage: the places where servers keep their data.
//
// A volume is plinth's own directory below an existing one:
//
//	PARENT/NAME/                created by plinth
//	PARENT/NAME/plinth-volume   the marker: the ID that is in the journal
//	PARENT/NAME/data/           empty, private, the server's own
//
// or a new filesystem on an existing block device, a file, an emulated device, or an array of
// these. It is set up in steps (step.go), from the disk up. Each step is noted in the journal, and
// synced, before it is done:
//
//	directory             the room: a directory for mount points and sockets, in /run/plinth
//	file                  the data of a loop device or an emulator
//	emulated-device       a process that serves a file in its own filesystem, or as
//	                      an nbd device, with the timing of a model
//	loop-device           a block device on the file, with direct I/O
//	block-device-setting  write cache, scheduler, read-ahead
//	array                 created with mdadm
//	filesystem            created with mkfs on an existing device
//	pool                  created with zpool
//	mount                 of the filesystem
//
// Steps are undone in reverse order, by any process that has the journal. An undoer changes only
// what it can identify as plinth's: a file by its inode and birth time; a loop device by its file's
// inode; an array, a filesystem or a pool by the UUID or name that plinth chose, even if the device
// has another name now; a setting by its boot and the value that plinth set; a directory by its
// marker; and a mount by its place in a room. No undoer hangs on an emulator that does not answer:
// it aborts the emulator's connection first, then unmounts the filesystem, frees the loop device,
// and unmounts the emulator's own filesystem last. To abort the connection of an nbd device, it
// kills the emulator, the process that listens on the control socket.
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

// Volume is one place where a server keeps its data.
type Volume struct {
	Path string // the server's directory: empty, private, its own
	Role string // "data", "wal", "temp" or "tablespace NAME"

	options Options
	part    experiment.Part
	name    string // of its directory or files
	facts   record.Volume
	journal *journal.Journal
	entries []journal.Entry

	// For a volume with its own filesystem; disks and mounted are empty for a directory.
	room    *os.Root // the directory for mount points and sockets, open
	roomAt  string   // its path
	mountAt string   // the mount point of its filesystem
	disks   []*disk
	mounted mount

	sketch *sketch // nil unless the volume is only sketched
}

// Make sets up what part describes, from the disk up: backing files, emulators, loop devices, an
// array, a filesystem, its mount, and in it an empty directory for the owner. Each step is noted in
// the journal before it is done; if one fails, the earlier steps are undone.
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

// Facts describes where the volume is, and how much space was free before it was used.
func (v *Volume) Facts() record.Volume { return v.facts }

// Emulators returns the emulators of the volume's disks, in the order of an array's members; nil if
// nothing is emulated.
func (v *Volume) Emulators() []*emulator.Emulator {
	var emulators []*emulator.Emulator
	for _, d := range v.disks {
		if d.emulator != nil {
			emulators = append(emulators, d.emulator)
		}
	}
	return emulators
}

// Models returns the models of the devices in Emulators, in the same order, with scaled rates.
func (v *Volume) Models() []device.Device {
	var models []device.Device
	for _, d := range v.disks {
		if d.emulator != nil {
			models = append(models, d.model)
		}
	}
	return models
}

// Remove undoes everything that was done for the volume and deletes its contents. It is
// idempotent; steps that could not be undone stay in the journal.
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

// Options are the settings for creating volumes that do not come from the experiment's storage
// section.
type Options struct {
	Journal  *journal.Journal
	Launcher launch.Launcher // starts mkfs, mount, mdadm and emulators
	// Owner owns the server's directory; nil for plinth's own user.
	Owner *launch.User
	// Name is the name of plinth's directory or files: "plinth-1a2b-env". For roles other than
	// data, the part's name is appended.
	Name string
	// Size is how many bytes the volume must hold if its part does not set a size. The
	// filesystem's overhead is added.
	Size int64
	// RateScale multiplies IOPS and throughput of emulated devices; 0 means 1.
	RateScale float64
	// Form is the form of emulated devices; if empty, the best available one.
	Form emulator.Form
	// Seed seeds the random latencies of emulated devices.
	Seed uint64
}

func (o Options) rateScale() float64 {
	if o.RateScale == 0 {
		return 1
	}
	return o.RateScale
}
