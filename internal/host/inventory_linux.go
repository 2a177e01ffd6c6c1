package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"plinth/internal/host/sysfs"
)

// busyLook is how long the inventory observes CPU usage: thirty ticks of 10 ms, so that a
// thirtieth of a CPU is visible.
const busyLook = 300 * time.Millisecond

// ReadInventory inspects this machine and the places, which map roles to directories or
// files ("data": "/var/lib/postgresql"). It only reads, does not need root and takes a third
// of a second, nearly all of it waiting. What cannot be read is a gap; it returns an error
// only if /proc and /sys show nothing at all, or if ctx ends.
func ReadInventory(ctx context.Context, places map[string]string) (Inventory, error) {
	look := lookAtProcesses()
	i, err := readInventory(os.DirFS("/"))
	if err != nil {
		return Inventory{}, fmt.Errorf("cannot inspect this machine: %w", err)
	}
	if err := i.addRunning(); err != nil {
		i.gap("facts", err)
	}
	for _, role := range slices.Sorted(maps.Keys(places)) {
		place, err := PlaceOf(role, places[role])
		if err != nil {
			i.gap("places", err)
			continue
		}
		i.Places = append(i.Places, place)
	}
	if err := look.end(ctx, &i); err != nil {
		return Inventory{}, fmt.Errorf("cannot inspect this machine: %w", err)
	}
	return i, nil
}

// readInventory reads the inventory from the file system below root: that of this machine, or
// captured files of another one.
func readInventory(root fs.FS) (Inventory, error) {
	if err := tellsSomething(root); err != nil {
		return Inventory{}, err
	}
	var i Inventory
	i.addFacts(root)
	i.addVirtualisation(root)
	i.addCPU(root)
	i.addNodes(root)
	i.addMemory(root)
	i.addSwap(root)
	i.addSysctl(root)
	i.addMitigations(root)
	i.addClock(root)
	i.addCgroup(root)
	i.addLimits(root)
	i.addDisks(root)
	i.addLoad(root)
	return i, nil
}

// tellsSomething returns nil if /proc or /sys has any entry.
func tellsSomething(root fs.FS) error {
	var failed error
	for _, dir := range []string{"proc", "sys"} {
		entries, err := fs.ReadDir(root, dir)
		if len(entries) > 0 {
			return nil
		}
		failed = cmp.Or(failed, err)
	}
	if failed == nil {
		return errors.New("/proc and /sys are empty")
	}
	return errors.New(why(failed))
}

func (i *Inventory) addFacts(root fs.FS) {
	facts, err := readFacts(root)
	i.Facts = facts
	if err != nil {
		i.gap("facts", err)
	}
	i.Hostname = sysfs.Word(root, "proc/sys/kernel/hostname")
}

func (i *Inventory) addClock(root fs.FS) {
	const dir = "sys/devices/system/clocksource/clocksource0/"
	text, err := fs.ReadFile(root, dir+"current_clocksource")
	if err != nil {
		i.gap("clock_source", err)
		return
	}
	i.Clock = strings.TrimSpace(string(text))
	i.Clocks = strings.Fields(sysfs.Word(root, dir+"available_clocksource"))
}

// gap records what could not be read.
func (i *Inventory) gap(what string, err error) {
	i.Gaps = append(i.Gaps, Gap{What: what, Why: why(err)})
}

// why returns the file and the cause, without the steps that led there, and adds that root
// may read what this user may not.
func why(err error) string {
	text := err.Error()
	var file *fs.PathError
	if errors.As(err, &file) {
		text = "/" + strings.TrimPrefix(file.Path, "/") + ": " + file.Err.Error()
	}
	if errors.Is(err, fs.ErrPermission) && os.Geteuid() != 0 {
		text += " (readable by root)"
	}
	return text
}

// addLoad reads "0.47 0.65 1.68 3/95 1438" (proc_loadavg(5)).
func (i *Inventory) addLoad(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/loadavg")
	if err != nil {
		i.gap("load", err)
		return
	}
	var l LoadAverage
	if _, err := fmt.Sscanf(string(text), "%f %f %f %d/%d", &l.One, &l.Five, &l.Fifteen, &l.Running, &l.Threads); err != nil {
		i.gap("load", fmt.Errorf("/proc/loadavg holds %q", text))
		return
	}
	i.Load = l
}
