package volume

import (
	"context"
	"fmt"
	"path/filepath"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// disk is one block device under a volume, as created.
type disk struct {
	path string // "/dev/loop3", "/dev/nvme1n1"
	made string // in words

	// The fields below are for emulated disks.
	form     emulator.Form
	emulator *emulator.Emulator
	mount    string            // its place: the mount point of its filesystem, or its control socket
	model    device.Device     // with scaled rates
	path8    emulator.PathCost // without any delay
	fitted   emulator.Path     // subtracted from each delay
	backing  string            // the filesystem that holds the data: "ext4 on /dev/vda"
}

// makeDisk sets up disk number n of the volume.
func (v *Volume) makeDisk(ctx context.Context, made *disk, n int, d experiment.Disk) error {
	switch {
	case d.Emulated():
		return v.emulate(ctx, made, n, d)
	case d.File != "":
		return v.makeLoop(ctx, made, d)
	}
	made.path, made.made = d.Device, "on "+d.Device
	s := step{do: func(ctx context.Context) (err error) {
		if made.path, err = filepath.EvalSymlinks(d.Device); err != nil {
			return err
		}
		c, err := v.options.checkDevice(ctx, made.path, d.Erase, 0)
		if err != nil || c.signature == "" {
			return err
		}
		if _, err := wipefsProgram.run(ctx, v.options.Launcher, "--all", "--quiet", made.path); err != nil { // irreversible
			return fmt.Errorf("cannot erase %s: %w", c, err)
		}
		return nil
	}}
	if d.Erase {
		s.typed = []Command{wipefsProgram.typed("--all", d.Device)}
	}
	return v.take(ctx, s)
}

// sizeStep is the granularity of sizes, so that every filesystem can use all of a disk.
const sizeStep = unit.MiB

// sizeOf returns the size of a disk: as configured, or such that all disks together hold the
// volume's data.
func (v *Volume) sizeOf(d experiment.Disk) unit.Size {
	size := d.Size
	if size == 0 && v.sketch == nil {
		size = sizeFor(v.part.Volume, unit.Size(v.options.Size))
	}
	return size / sizeStep * sizeStep
}

// sizeFor returns the size of each disk of a volume that has to hold data bytes. It allows for
// the filesystem's overhead: ext4 reserves 5 % for root, and inodes take 2 %, a journal or log up
// to 128 MiB at these sizes; btrfs, which duplicates its metadata, gets a quarter more.
func sizeFor(v experiment.Volume, data unit.Size) unit.Size {
	whole := max(data+data/8+192*unit.MiB, filesystems[v.FilesystemOr()].smallest)
	if v.FilesystemOr() == "btrfs" {
		whole += data / 4
	}
	return (whole/unit.Size(stripes(v)) + sizeStep) / sizeStep * sizeStep
}

// stripes returns the number of disks of a volume whose capacities add up.
func stripes(v experiment.Volume) int {
	switch v.RAID {
	case "0":
		return len(v.Members)
	case "10":
		return max(1, len(v.Members)/2)
	}
	return 1
}

// Takes is the space in bytes that a disk takes from the filesystem of a directory.
type Takes struct {
	Directory string
	Bytes     int64
	// Hint suggests another remedy if the space is not available; "" for none.
	Hint string
}

// Takes returns the space that a part's disks take from existing filesystems: all of them
// together must fit. For a directory it is Options.Size.
func (o Options) Takes(part experiment.Part) []Takes {
	if part.Volume.Directory != "" {
		return []Takes{{Directory: part.Volume.Directory, Bytes: o.Size}}
	}
	var takes []Takes
	for _, d := range disksOf(part.Volume) {
		size := int64((&Volume{options: o, part: part}).sizeOf(d))
		switch {
		case d.Emulated():
			takes = append(takes, Takes{d.Backing, size, sizeHint(d)})
		case d.File != "":
			takes = append(takes, Takes{filepath.Dir(d.File), size, ""})
		}
	}
	return takes
}

// sizeHint points out "provisioned" to users who gave an emulated device the size of the device
// that it models: size is fully allocated.
func sizeHint(d experiment.Disk) string {
	if d.Size == 0 || !d.Emulated() {
		return ""
	}
	return fmt.Sprintf("size is the space allocated here; to give the size of the modelled volume, set provisioned: %s", d.Size)
}

// TooSmall returns an error if a configured size of a disk of the part cannot hold its data, even
// without the filesystem's overhead.
func (o Options) TooSmall(part experiment.Part) error {
	needed := unit.Size(o.Size / int64(stripes(part.Volume)))
	for _, d := range disksOf(part.Volume) {
		if d.Size != 0 && d.Size < needed {
			return hint.Errorf("choose a larger size, or a smaller dataset.scale or max_wal_size",
				"the %s volume is too small: %s needed, and its size is %s", part.Role, needed, d.Size)
		}
	}
	return nil
}

func disksOf(v experiment.Volume) []experiment.Disk {
	if v.RAID != "" {
		return v.Members
	}
	return []experiment.Disk{v.Disk}
}
