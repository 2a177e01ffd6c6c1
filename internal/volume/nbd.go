package volume

import (
	"context"
	"fmt"
	"path/filepath"

	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
)

// FormFor is the form that n emulated devices have which are there at the same time.
// All that are compared must have the same one: whoever makes several volumes says it
// in their options.
func FormFor(ctx context.Context, l launch.Launcher, n int) (emulator.Form, error) {
	form, err := emulator.BestForm(ctx, l, n)
	if err != nil {
		return "", fmt.Errorf("cannot make emulated devices: %w", err)
	}
	return form, nil
}

// chooseForm decides on the form of this volume's emulated disks, where nobody has.
func (v *Volume) chooseForm(ctx context.Context) (err error) {
	if v.options.Form == "" {
		v.options.Form, err = FormFor(ctx, v.options.Launcher, len(disksOf(v.part.Volume)))
	}
	return err
}

// attachEmulated is the block device of an emulated disk: the emulator's own, or a loop
// device on its file.
func (v *Volume) attachEmulated(d *disk) (path string, err error) {
	if d.form == emulator.NBD {
		return d.emulator.Image(), nil
	}
	return v.attach(d.emulator.Image(), d.mount)
}

// likeLoop makes the queue of an nbd device what a loop device's is from the beginning,
// so that requests come in the same order and are as long.
var likeLoop = []struct{ name, value string }{{"scheduler", "none"}, {"max_sectors_kb", "1024"}}

// setQueue tells the kernel whether an emulated device has a volatile write cache: only
// then does it send flushes. An nbd device knows that already.
func (v *Volume) setQueue(d *disk) error {
	if err := v.set(d.path, "write_cache", cacheWord(d.model), d.mount); err != nil || d.form != emulator.NBD {
		return err
	}
	for _, s := range likeLoop {
		if err := v.set(d.path, s.name, s.value, d.mount); err != nil {
			return err
		}
	}
	return nil
}

// checkVirtual is an error unless there can be a disk of plinth's own, with a scheduler.
func checkVirtual(d experiment.Disk, scheduler string) error {
	if d.Emulated() && emulator.LikelyForm() == emulator.NBD {
		return needScheduler(anyNBD(), "an nbd device", scheduler)
	}
	if err := needLoop(); err != nil {
		return err
	}
	return needScheduler(anyLoop(), "a loop device", scheduler)
}

// anyNBD is the directory of an nbd device, which are all alike; "" where there is none.
func anyNBD() string {
	dirs, _ := filepath.Glob("/sys/block/nbd*")
	if len(dirs) == 0 {
		return ""
	}
	return dirs[0]
}
