package volume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// setting is the journal entry of a queue setting of a block device.
type setting struct {
	File     string `json:"file"` // "/sys/block/nvme1n1/queue/read_ahead_kb"
	Was      string `json:"was"`
	Set      string `json:"set"`
	Emulator string `json:"emulator,omitempty"`
	// Boot is the boot ID under which Was was read: a boot resets all settings to the kernel's or
	// an administrator's values, and may give the device's name to another device.
	Boot string `json:"boot,omitempty"`
	// Coupled are the values of settings of the same queue that the kernel resets with this one, by name.
	Coupled map[string]string `json:"coupled,omitempty"`
}

// coupled are the settings that a change of the scheduler resets (block/elevator.c, blk-wbt.c).
var coupled = []string{"nr_requests", "wbt_lat_usec"}

// sysBlock is the directory of all block devices and partitions.
const sysBlock = "/sys/class/block"

// queueDir returns the directory of a device's queue; partitions use their disk's.
func queueDir(block string) (string, error) {
	path, err := filepath.EvalSymlinks(block)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(sysBlock, sysName(path)))
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(filepath.Join(dir, "partition")); err == nil {
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, "queue"), nil
}

// sysName returns a device's name in /sys: "cciss!c0d0" for /dev/cciss/c0d0.
func sysName(block string) string {
	return strings.ReplaceAll(strings.TrimPrefix(block, "/dev/"), "/", "!")
}

// set changes a queue setting of a device, unless it already has the value.
func (v *Volume) set(ctx context.Context, block, name, value, emulator string, typed ...Command) error {
	s := setting{Set: value, Emulator: emulator, Boot: host.BootID()}
	return v.take(ctx, step{
		change: func() (change, error) {
			dir, err := queueDir(block)
			if err == nil {
				s.File = filepath.Join(dir, name)
				s.Was, err = readSetting(s.File)
			}
			if err != nil {
				return nil, fmt.Errorf("cannot set %s of %s: %w", name, block, err)
			}
			if s.Was == value {
				return nil, nil
			}
			if name == "scheduler" {
				s.Coupled = map[string]string{}
				for _, other := range coupled {
					if was, err := readSetting(filepath.Join(dir, other)); err == nil { // not every queue has all of them
						s.Coupled[other] = was
					}
				}
			}
			return s, nil
		},
		do: func(context.Context) error {
			if err := os.WriteFile(s.File, []byte(value), 0); err != nil {
				return fmt.Errorf("cannot set %s of %s to %s: %w", name, block, value, err)
			}
			now, err := readSetting(s.File)
			if err == nil && now == value {
				return nil
			}
			_ = os.WriteFile(s.File, []byte(s.Was), 0) // undo knows only the value that was asked for
			return hint.Errorf("choose a value that the device accepts", "cannot set %s of %s to %s: the kernel set %s", name, block, value, now)
		},
		typed: typed,
	})
}

// echo returns the shell command for a queue setting.
func echo(value, block, name string) Command {
	return Command{Argv: []string{"echo", value}, Into: filepath.Join("/sys/block", sysName(block), "queue", name)}
}

// readSetting returns the value; for a choice ("[none] mq-deadline"), the selected one.
func readSetting(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	value := strings.TrimSpace(string(text))
	if _, rest, found := strings.Cut(value, "["); found {
		value, _, _ = strings.Cut(rest, "]")
	}
	return value, nil
}

// undo restores the value, unless it was changed since, the device is gone, or the machine has
// rebooted.
func (s setting) undo(_ context.Context) error {
	if !strings.HasPrefix(s.File, "/sys/") || filepath.Base(filepath.Dir(s.File)) != "queue" {
		return fmt.Errorf("cannot restore %q: it is not a block device setting", s.File)
	}
	if s.Boot != "" && s.Boot != host.BootID() {
		return nil
	}
	freeHung(s.Emulator, waits.answer)
	now, err := readSetting(s.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || now != s.Set {
		return err
	}
	err = os.WriteFile(s.File, []byte(s.Was), 0)
	for name, was := range s.Coupled {
		other := filepath.Join(filepath.Dir(s.File), name)
		if now, failed := readSetting(other); err != nil || failed != nil || now == was || !slices.Contains(coupled, name) {
			continue
		}
		err = os.WriteFile(other, []byte(was), 0)
	}
	if errors.Is(err, unix.EINVAL) && isEmpty(filepath.Dir(filepath.Dir(s.File))) {
		return nil // the write cache of a detached loop device cannot be set (Linux 6.1)
	}
	return err
}

// tune sets read-ahead on the device under the filesystem, and the scheduler on the disks,
// because an array has none.
func (v *Volume) tune(ctx context.Context, block string) error {
	if scheduler := v.part.Volume.Scheduler; scheduler != "" {
		for _, d := range v.disks {
			if err := v.set(ctx, d.path, "scheduler", scheduler, d.mount, echo(scheduler, d.path, "scheduler")); err != nil {
				return err
			}
		}
	}
	ahead, emulator := v.part.Volume.ReadAhead, ""
	if v.part.Volume.RAID == "" {
		emulator = v.disks[0].mount
		if d := disksOf(v.part.Volume)[0]; ahead == 0 && (d.Emulated() || d.File != "") {
			ahead = usualReadAhead
		}
	}
	if ahead == 0 {
		return nil
	}
	return v.set(ctx, block, "read_ahead_kb", strconv.FormatInt(int64(ahead/unit.KiB), 10), emulator,
		typed("blockdev", "--setra", strconv.FormatInt(int64(ahead/sectorSize), 10), block))
}

// usualReadAhead is the read-ahead of a disk that plinth makes: what the kernel gives a disk without a seek time that names
// no optimal size of a request, such as a cloud volume (VM_READAHEAD_PAGES). From Linux 6.17 on, loop devices have 2.5 MiB
// instead, like rotating disks: pages that a real volume would not read would take the place of others in the page cache. The
// read-ahead of an array depends on its chunks and not on its disks (md's optimal size of a request).
const usualReadAhead = 128 * unit.KiB
