package volume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
)

// emulated is the journal entry of an emulator: its place, which is the mount point of its
// filesystem or, for NBD, its control socket. The kernel removes an nbd device with its emulator,
// so it needs no entry.
type emulated struct {
	Mount string `json:"mount"`
}

// emulate sets up an emulated disk: its backing file, the emulator and, for FUSE, a loop device
// on the emulator's file. The disk is a pass-through until the volume is complete: mkfs on a slow
// device would take minutes, and the cost of the path has to be measured without any delay.
func (v *Volume) emulate(ctx context.Context, made *disk, n int, d experiment.Disk) error {
	model, err := d.Model()
	if err != nil {
		return err
	}
	size := v.sizeOf(d)
	made.model = device.Scale(model, v.options.rateScale())
	made.made = fmt.Sprintf("emulated %s of %s", model.Name, size)
	backing, err := v.resolve(d.Backing)
	if err != nil {
		return fmt.Errorf("cannot use %s for the data of an emulated device: %w", d.Backing, err)
	}
	if v.sketch == nil {
		if facts, err := readFacts(backing); err == nil {
			made.backing = facts.Filesystem + " on " + facts.Source
		}
	}
	file := filepath.Join(backing, fmt.Sprintf("%s-disk%d", v.name, n))
	opened, err := v.makeFile(ctx, file, size)
	if err != nil {
		return err
	}
	if opened != nil {
		defer opened.Close()
	}
	switch {
	case v.sketch != nil:
		v.options.Form = emulator.LikelyForm()
	case v.options.Form == "":
		if v.options.Form, err = FormFor(ctx, v.options.Launcher, len(disksOf(v.part.Volume))); err != nil {
			return err
		}
	}
	made.form = v.options.Form
	config := emulator.Config{Form: made.form, Backing: file, Size: int64(size), Device: passThrough(model), Seed: v.options.Seed + uint64(n)}
	image, err := v.startEmulator(ctx, n, config, opened, made)
	if err != nil {
		return err
	}
	defer freeAtEnd(ctx, []string{made.mount})()
	made.path = image // for NBD, the block device itself
	if made.form != emulator.NBD {
		if made.path, err = v.attach(ctx, image, nil, made.mount); err != nil {
			return err
		}
	}
	if err := v.setQueue(ctx, made); err != nil || v.sketch != nil {
		return err
	}
	return made.calibrate(ctx, int64(size))
}

// startEmulator starts the emulator in its own directory in the volume's room. It returns what
// the emulator serves: a file, or an nbd device.
func (v *Volume) startEmulator(ctx context.Context, n int, c emulator.Config, backing *os.File, d *disk) (string, error) {
	var image string
	own := fmt.Sprintf("emulator%d", n)
	c.Mount, c.Socket = filepath.Join(v.roomAt, own, "fuse"), filepath.Join(v.roomAt, own, "control")
	d.mount = c.Place()
	s := step{
		change: func() (change, error) {
			for _, dir := range []string{own, filepath.Join(own, "fuse")} {
				if err := v.room.Mkdir(dir, 0o700); err != nil {
					return nil, err
				}
			}
			return emulated{Mount: d.mount}, nil
		},
		do: func(ctx context.Context) (err error) {
			c.Open = pathOf(backing)
			if d.emulator, err = emulator.Start(ctx, v.options.Launcher, c); err == nil {
				image = d.emulator.Image()
			}
			return err
		},
	}
	if v.sketch != nil {
		image = v.sketch.image(c)
		s.typed = []Command{{Comment: fmt.Sprintf("emulated: %s; plinth serves %s as %s, with the model's latency", d.model.Name, c.Backing, image)}}
	}
	err := v.take(ctx, s)
	return image, err
}

// passThrough returns the model without its delays and limits. Its write cache stays, so that
// flushes work as in the model.
func passThrough(d device.Device) device.Device {
	return device.Device{Name: "pass-through", WriteCache: d.Cached()}
}

// measuredSpan is how much of a disk the measurement of the path writes, in bytes. The first
// flush writes all of it to the disk behind, and mkfs would wait for more.
const measuredSpan = 16 << 20

// measurePath takes more than a second, and fitPath almost one; tests that do not need them use
// faster ones.
var (
	measurePath = emulator.MeasurePath
	fitPath     = (*emulator.Emulator).Fit
)

// Uncalibrated makes this process use emulated devices without calibration: it takes cost as the
// path's cost and subtracts nothing from the delays, so no operation is faster than its model. It
// is for tests, which must not depend on how busy the machine is.
func Uncalibrated(cost emulator.PathCost) {
	measurePath = func(context.Context, string, int64) (emulator.PathCost, error) { return cost, nil }
	fitPath = func(*emulator.Emulator, context.Context, string, int64, device.Device) (emulator.Path, error) {
		return emulator.Path{}, nil
	}
}

// calibrate measures the cost of the path and subtracts it from each delay.
func (d *disk) calibrate(ctx context.Context, size int64) (err error) {
	if d.path8, err = measurePath(ctx, d.path, min(size, measuredSpan)); err != nil {
		return err
	}
	d.fitted, err = fitPath(d.emulator, ctx, d.path, min(size, measuredSpan), d.model)
	return err
}

// stopEmulator gracefully stops the emulator of a journal entry, if this process started it; undo
// does not depend on it.
func (v *Volume) stopEmulator(ctx context.Context, args json.RawMessage) {
	var noted emulated
	if json.Unmarshal(args, &noted) != nil {
		return
	}
	for _, d := range v.disks {
		if d.mount == noted.Mount && d.emulator != nil {
			_ = d.emulator.Stop(ctx)
		}
	}
}

// stopLimit is the timeout for unmounting an emulator's filesystem, even if the undoer's context
// is already done.
const stopLimit = 10 * time.Second

// undo unmounts the emulator's filesystem, or kills an emulator without one. Either ends the
// process, unless its guard has already ended it with the plinth that started it.
func (e emulated) undo(ctx context.Context) error {
	if !inRunDir(e.Mount) {
		return fmt.Errorf("cannot end the emulator at %q: it is not in %s", e.Mount, runDir)
	}
	if _, err := os.Lstat(filepath.Dir(e.Mount)); os.IsNotExist(err) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return emulator.End(ctx, e.Mount)
}

// FormFor returns the form for n simultaneous emulated devices. Devices that are compared must
// have the same form: a caller that creates several volumes passes it in their options.
func FormFor(ctx context.Context, l launch.Launcher, n int) (emulator.Form, error) {
	form, err := emulator.BestForm(ctx, l, n)
	if err != nil {
		return "", fmt.Errorf("cannot make emulated devices: %w", err)
	}
	return form, nil
}

// likeLoop configures the queue of an nbd device like a loop device's default, so that requests
// have the same order and size.
var likeLoop = []queueSetting{{"scheduler", "none"}, {"max_sectors_kb", "1024"}}

type queueSetting struct{ name, value string }

// setQueue declares whether an emulated device has a volatile write cache: the kernel sends
// flushes only if it has. An nbd device gets this from its emulator, unless it was changed
// before: newer kernels remember that a write cache was turned off.
func (v *Volume) setQueue(ctx context.Context, d *disk) error {
	cache := queueSetting{"write_cache", "write through"}
	if d.model.Cached() {
		cache.value = "write back"
	}
	if d.form != emulator.NBD {
		return v.set(ctx, d.path, cache.name, cache.value, d.mount, echo(cache.value, d.path, cache.name))
	}
	if err := v.set(ctx, d.path, cache.name, cache.value, d.mount); err != nil {
		return err
	}
	for _, s := range likeLoop {
		if err := v.set(ctx, d.path, s.name, s.value, d.mount, echo(s.value, d.path, s.name)); err != nil {
			return err
		}
	}
	return nil
}

// checkVirtual returns an error unless plinth can create a loop or nbd device with this
// scheduler.
func checkVirtual(d experiment.Disk, scheduler string) error {
	if d.Emulated() && emulator.LikelyForm() == emulator.NBD {
		return needScheduler(anyOf("nbd"), "an nbd device", scheduler)
	}
	if err := needLoop(); err != nil {
		return err
	}
	return needScheduler(anyOf("loop"), "a loop device", scheduler)
}

// Loading turns the emulated devices of a volume into pass-throughs, because loading a dataset
// would take an hour on some models. With loading false, it restores the models, with full buckets.
// It does nothing for a volume without emulated devices.
func (v *Volume) Loading(ctx context.Context, loading bool) error {
	return v.each(func(d *disk) error {
		if loading {
			return d.emulator.SetDevice(ctx, passThrough(d.model))
		}
		return errors.Join(d.emulator.SetDevice(ctx, d.model), d.emulator.Refill(ctx))
	})
}

// Refill fills the token buckets of the volume's emulated devices.
func (v *Volume) Refill(ctx context.Context) error {
	return v.each(func(d *disk) error { return d.emulator.Refill(ctx) })
}

// each calls do for each emulated disk.
func (v *Volume) each(do func(*disk) error) error {
	for _, d := range v.disks {
		if d.emulator == nil {
			continue
		}
		if err := do(d); err != nil {
			return fmt.Errorf("the %s volume: %w", v.Role, err)
		}
	}
	return nil
}

// hurry lets dirty pages be written at the speed of the disk behind the emulator, because
// measuring is over.
func (v *Volume) hurry(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), waits.hurry)
	defer cancel()
	_ = v.Loading(ctx, true)
}
