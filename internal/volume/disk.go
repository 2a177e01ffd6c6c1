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

// disk is one block device under a volume, as it was made.
type disk struct {
	path string // "/dev/loop3", "/dev/nvme1n1"
	made string // in words

	// Of an emulated one.
	form     emulator.Form
	emulator *emulator.Emulator
	mount    string            // its place: where its filesystem is mounted, or its control socket
	model    device.Device     // its rates scaled
	path8    emulator.PathCost // without any delay
	fitted   emulator.Path     // what is taken off each delay
	backing  string            // the filesystem that holds the data: "ext4 on /dev/vda"
}

// makeDisk makes disk number n of the volume.
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
		if _, err := wipefsProgram.run(ctx, v.options.Launcher, "--all", "--quiet", made.path); err != nil { // for good
			return fmt.Errorf("cannot erase %s: %w", c, err)
		}
		return nil
	}}
	if d.Erase {
		s.typed = []Command{wipefsProgram.typed("--all", d.Device)}
	}
	return v.take(ctx, s)
}

// Sizes are multiples of this, so that every filesystem can use all of it.
const sizeStep = unit.MiB

// sizeOf is how large a disk of this volume is made: as its part says, else so that
// all disks together hold what the volume has to.
func (v *Volume) sizeOf(d experiment.Disk) unit.Size {
	size := d.Size
	if size == 0 && v.sketch == nil {
		size = sizeFor(v.part.Volume, unit.Size(v.options.Size))
	}
	return size / sizeStep * sizeStep
}

// sizeFor is the size of each disk of a volume that has to hold data bytes. A
// filesystem keeps a part for itself: 5 % are reserved for root by ext4, inodes take
// 2 %, a journal or log up to 128 MiB, of these sizes; a quarter of the device by
// btrfs, which copies its metadata.
func sizeFor(v experiment.Volume, data unit.Size) unit.Size {
	whole := max(data+data/8+192*unit.MiB, filesystems[v.FilesystemOr()].smallest)
	if v.FilesystemOr() == "btrfs" {
		whole += data / 4
	}
	return (whole/unit.Size(stripes(v)) + sizeStep) / sizeStep * sizeStep
}

// stripes is how many disks of a volume add up.
func stripes(v experiment.Volume) int {
	switch v.RAID {
	case "0":
		return len(v.Members)
	case "10":
		return max(1, len(v.Members)/2)
	}
	return 1
}

// Takes is how many bytes of a directory's filesystem a part's disk takes.
type Takes struct {
	Directory string
	Bytes     int64
	// Hint is what else can be done where there is no room for it; "" for nothing.
	Hint string
}

// Takes are what the disks of a part take of filesystems that are there: all of
// them together have to have room. Of a directory it is the size of the options.
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

// sizeHint tells those who gave an emulated device the size of what it stands for
// where that size belongs: all of a size is really allocated.
func sizeHint(d experiment.Disk) string {
	if d.Size == 0 || !d.Emulated() {
		return ""
	}
	return fmt.Sprintf("size is what is really allocated here; what the volume was ordered with is provisioned: %s", d.Size)
}

// TooSmall is an error when a size that the experiment gives a disk of the part cannot
// hold what the disk has to, even without what a filesystem keeps for itself.
func (o Options) TooSmall(part experiment.Part) error {
	needed := unit.Size(o.Size / int64(stripes(part.Volume)))
	for _, d := range disksOf(part.Volume) {
		if d.Size != 0 && d.Size < needed {
			return hint.Errorf("choose a larger size, a smaller dataset.scale or max_wal_size",
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
