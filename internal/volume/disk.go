package volume

import (
	"context"
	"fmt"
	"path/filepath"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/experiment"
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
		return v.makeLoop(made, d)
	}
	path, err := filepath.EvalSymlinks(d.Device)
	if err != nil {
		return err
	}
	made.path, made.made = path, "on "+d.Device
	return v.clear(ctx, path, d.Erase)
}

// makeLoop makes the file of a disk and a loop device on it.
func (v *Volume) makeLoop(made *disk, d experiment.Disk) (err error) {
	size := v.sizeOf(d)
	made.made = fmt.Sprintf("loop device of %s on %s", size, d.File)
	// Of directories that are links the kernel tells the real names only.
	dir, err := resolve(filepath.Dir(d.File))
	if err != nil {
		return fmt.Errorf("cannot use %s: %w", d.File, err)
	}
	file := filepath.Join(dir, filepath.Base(d.File))
	if err := v.makeFile(file, int64(size)); err != nil {
		return err
	}
	made.path, err = v.attach(file, "")
	return err
}

// Sizes are multiples of this, so that every filesystem can use all of it.
const sizeStep = unit.MiB

// sizeOf is how large a disk of this volume is made: as its part says, else so that
// all disks together hold what the volume has to.
func (v *Volume) sizeOf(d experiment.Disk) unit.Size {
	size := d.Size
	if size == 0 {
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

func backingOf(dir string) string {
	facts, err := readFacts(dir)
	if err != nil {
		return ""
	}
	return facts.Filesystem + " on " + facts.Source
}
