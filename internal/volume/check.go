package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// Check reports whether Make could create a volume, as far as that can be determined without
// changing anything: the directory, devices, programs and kernel features exist, nothing is in
// use, and everything is large enough.
func Check(ctx context.Context, o Options, part experiment.Part) error {
	v := part.Volume
	if v.Directory != "" {
		return CheckDirectory(v.Directory)
	}
	if err := o.checkMade(ctx, part); err != nil {
		return fmt.Errorf("cannot make the %s volume: %w", part.Role, err)
	}
	return nil
}

// CheckDirectory returns an error unless plinth can create a directory in path.
func CheckDirectory(path string) error {
	if err := checkDirectory(path); err != nil {
		return fmt.Errorf("cannot use %s: %w", path, err)
	}
	return nil
}

// checkDirectory returns an error unless plinth may write there and the path is outside all
// volumes.
func checkDirectory(path string) error {
	dir, err := resolve(path)
	if err != nil {
		return err
	}
	if dir == runDir || strings.HasPrefix(dir, runDir+"/") {
		return hint.Errorf("choose a permanent directory", "it is in another experiment's volume, which is removed when that experiment ends")
	}
	return notWritable(unix.Access(dir, unix.W_OK|unix.X_OK))
}

func (o Options) checkMade(ctx context.Context, part experiment.Part) error {
	v := part.Volume
	steps := []func() error{
		needRoot,
		func() error { return needFilesystem(v.FilesystemOr()) },
		func() error { return wholePages(v.ReadAhead) },
		func() error { return needArray(v.RAID) },
		func() error { return needUnsafe(v) },
		func() error { return o.checkDisks(ctx, part) },
	}
	for _, check := range steps {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// needUnsafe rejects options that can lose data, unless the experiment allows them.
func needUnsafe(v experiment.Volume) error {
	if risks := v.UnsafeOptions(); len(risks) > 0 && !v.Unsafe {
		return hint.Errorf("leave it out, or add unsafe: true; the numbers are then marked unsafe",
			"%s is not safe in a power cut: %s", risks[0].Option, risks[0].Loses)
	}
	return nil
}

func (o Options) checkDisks(ctx context.Context, part experiment.Part) error {
	least := int64(filesystems[part.Volume.FilesystemOr()].smallest) / int64(stripes(part.Volume))
	for _, d := range disksOf(part.Volume) {
		if err := o.checkDisk(ctx, part, d, least); err != nil {
			return err
		}
	}
	return nil
}

// checkDisk checks one disk, which must have least bytes.
func (o Options) checkDisk(ctx context.Context, part experiment.Part, d experiment.Disk, least int64) error {
	if d.Device != "" {
		c, err := o.checkDevice(ctx, d.Device, d.Erase, max(least, o.Size/int64(stripes(part.Volume))))
		if err != nil {
			return err
		}
		return needScheduler(filepath.Dir(queueOf(d.Device)), c.path, part.Volume.Scheduler)
	}
	if d.Size != 0 && int64(d.Size) < least {
		return hint.Errorf("choose a larger size", "%s is too small for %s: it needs at least %s",
			d.Size, part.Volume.FilesystemOr(), unit.Size(least))
	}
	if err := checkVirtual(d, part.Volume.Scheduler); err != nil {
		return err
	}
	if d.Emulated() {
		return o.checkEmulated(part, d)
	}
	if _, err := os.Lstat(d.File); err == nil {
		return hint.Errorf("move it away, or choose another place", "%s already exists and was not created by plinth", d.File)
	}
	return o.checkRoom(filepath.Dir(d.File), d, part)
}

func (o Options) checkEmulated(part experiment.Part, d experiment.Disk) error {
	model, err := d.Model()
	if err == nil {
		err = model.Check()
	}
	if err == nil {
		err = emulator.Available(emulator.LikelyForm())
	}
	if err != nil {
		return fmt.Errorf("cannot emulate %s: %w", d.Emulate.Name, err)
	}
	return o.checkRoom(d.Backing, d, part)
}

// checkRoom returns an error if the file of a disk does not fit into a directory.
func (o Options) checkRoom(dir string, d experiment.Disk, part experiment.Part) error {
	err := checkDirectory(dir)
	if err == nil {
		size := (&Volume{options: o, part: part}).sizeOf(d)
		if err = hasRoom(dir, int64(size)); err != nil && sizeHint(d) != "" {
			err = hint.Wrap(err, hint.Of(err)+"; "+sizeHint(d))
		}
	}
	if err != nil {
		return fmt.Errorf("cannot use %s: %w", dir, err)
	}
	return nil
}

// errNotThere returns the error for a missing kernel feature.
func errNotThere(what string) error { return errors.New("this kernel has no " + what) }

func needArray(level string) error {
	if level == "" {
		return nil
	}
	if _, err := mdadmProgram.find(); err != nil {
		return err
	}
	if _, err := os.Lstat("/proc/mdstat"); err != nil && !hasModule("md-mod") {
		return hint.Wrap(errNotThere("md (software RAID)"), "use a modelled array: emulate: {raid: 10, of: gp3, members: 8}")
	}
	return nil
}

const loopControl = "/dev/loop-control"

func needLoop() error {
	f, err := os.OpenFile(loopControl, os.O_RDWR, 0)
	if err != nil {
		return hint.Errorf("load the kernel module loop, or allow the container to use loop devices (docker run --privileged)",
			"this machine has no loop devices: %w", err)
	}
	return f.Close()
}

// anyOf returns the /sys directory of any device of a kind ("loop", "nbd"), since all are alike;
// "" if none exists yet.
func anyOf(kind string) string {
	dirs, _ := filepath.Glob("/sys/block/" + kind + "*")
	if len(dirs) == 0 {
		return ""
	}
	return dirs[0]
}

// needScheduler returns an error unless the device supports the scheduler. The kernel loads a
// scheduler module when it is selected. If the device does not exist yet (dir is ""), the check
// is left to Make.
func needScheduler(dir, device, scheduler string) error {
	if scheduler == "" || dir == "" {
		return nil
	}
	known := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(readWord(filepath.Join(dir, "queue/scheduler"))))
	if slices.Contains(known, scheduler) || hasModule(scheduler) || hasModule(scheduler+"-iosched") {
		return nil
	}
	return hint.Errorf("choose one of: "+strings.Join(known, ", "), "%s has no I/O scheduler %s", device, scheduler)
}

// wholePages returns an error if a read-ahead is not a number of whole pages, which the kernel would round.
func wholePages(ahead unit.Size) error {
	if page := unit.Size(os.Getpagesize()); ahead%page != 0 {
		return hint.Errorf("use a multiple of "+page.String(), "read_ahead: %s is not a number of whole pages", ahead.Exact())
	}
	return nil
}

// hasRoom returns an error if a file of size bytes does not fit into a directory.
func hasRoom(dir string, size int64) error {
	free, err := host.FreeSpace(dir)
	if err == nil && free < size {
		err = hint.Errorf("free some space, or choose a smaller size or another directory",
			"it is too full: %s needed, %s free", unit.Size(size), unit.Size(free))
	}
	return err
}
