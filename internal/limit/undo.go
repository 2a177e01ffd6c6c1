package limit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/journal"
)

// The kinds of change of this package in the journal.
const (
	groupKind       = "control-group"
	controllersKind = "control-group-controllers"
)

// Undoers returns the undoers of this package's changes.
func Undoers() journal.Undoers {
	return journal.Undoers{groupKind: undoGroup, controllersKind: undoControllers}
}

// directory is the journal entry of a group that plinth created.
type directory struct {
	Path string `json:"path"`
}

// patience is how long to wait for the processes in a group: their guards are ending them.
const patience = 15 * time.Second

// Remove removes the groups, which must be empty or become so within seconds, and disables
// the controllers that were enabled for them. Controllers that other groups now use stay
// enabled and in the journal, for PutBack. It may be called twice.
func (g *Group) Remove(ctx context.Context) error {
	undoers := Undoers()
	undoers[controllersKind] = func(ctx context.Context, args json.RawMessage) error {
		err := undoControllers(ctx, args)
		if errors.Is(err, errInUse) {
			return journal.ErrStays
		}
		return err
	}
	return g.journal.Undo(ctx, undoers, g.entries).Causes()
}

// undoGroup removes a group. The kernel refuses that while it has processes: undoGroup waits
// for them to end, but does not end them.
func undoGroup(ctx context.Context, args json.RawMessage) error {
	var d directory
	if err := json.Unmarshal(args, &d); err != nil {
		return err
	}
	if !filepath.IsAbs(d.Path) || !strings.HasPrefix(filepath.Base(d.Path), namePrefix) {
		return fmt.Errorf("cannot remove %q: the journal entry is incomplete", d.Path)
	}
	if _, err := os.Stat(filepath.Join(d.Path, "cgroup.procs")); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(d.Path); !errors.Is(err, fs.ErrNotExist) {
			return hint.Errorf("inspect it, and remove it by hand if it is not needed", "cannot remove %s: it is not a control group", d.Path)
		}
		return nil
	}
	if err := d.remove(ctx); err != nil {
		return fmt.Errorf("cannot remove the control group %s: %w", d.Path, err)
	}
	return nil
}

func (d directory) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := syscall.Rmdir(d.Path)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !errors.Is(err, syscall.EBUSY) {
			return err
		}
		select {
		case <-ctx.Done():
			return d.busy(err)
		case <-tick.C:
		}
	}
}

// busy adds the processes in the group to err.
func (d directory) busy(err error) error {
	pids, _ := readWord(d.Path, "cgroup.procs")
	if pids == "" {
		return hint.Wrap(err, "run plinth clean")
	}
	return hint.Errorf("end them, and run plinth clean", "it has processes: %s: %w",
		strings.Join(strings.Fields(pids), ", "), err)
}

var errInUse = errors.New("other control groups use it")

// undoControllers disables the controllers that were enabled, unless another group uses them.
func undoControllers(_ context.Context, args json.RawMessage) error {
	var e enabling
	if err := json.Unmarshal(args, &e); err != nil {
		return err
	}
	if !filepath.IsAbs(e.Path) || len(e.Controllers) == 0 {
		return fmt.Errorf("cannot disable controllers of %q: the journal entry is incomplete", e.Path)
	}
	if e.Boot != "" && e.Boot != host.BootID() {
		return nil
	}
	e.Controllers = slices.DeleteFunc(e.Controllers, func(c string) bool {
		return len(lacking(e.Path, "cgroup.subtree_control", []string{c})) > 0
	})
	if len(e.Controllers) == 0 {
		return nil // a crash came first, or the group is gone
	}
	for _, controller := range e.Controllers {
		if user := userOf(e.Path, controller); user != "" {
			return hint.Errorf("run plinth clean when that group is gone",
				"cannot disable the controller %s in %s: %w: %s", controller, e.Path, errInUse, user)
		}
	}
	if err := e.write("-"); err != nil {
		return fmt.Errorf("cannot disable %s in %s: %w", strings.Join(e.Controllers, ", "), e.Path, err)
	}
	return nil
}

// unlimited holds the default values of a group's files, by controller
// (Documentation/admin-guide/cgroup-v2.rst).
var unlimited = map[string]map[string]string{
	cpusetController: {"cpuset.cpus": "", "cpuset.mems": ""},
	cpuController:    {"cpu.max": "max 100000", "cpu.weight": "100", "cpu.idle": "0"},
	memoryController: {"memory.max": "max", "memory.high": "max", "memory.low": "0", "memory.min": "0", "memory.swap.max": "max"},
}

// userOf returns a child group of dir that uses a controller: one that enables it for its
// own children, or one with a limit or a weight, which would be lost with the controller; "" for none.
func userOf(dir, controller string) string {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		below := filepath.Join(dir, entry.Name())
		if !entry.IsDir() {
			continue
		}
		if len(lacking(below, "cgroup.subtree_control", []string{controller})) == 0 {
			return below
		}
		for file, none := range unlimited[controller] {
			if value, err := readWord(below, file); err == nil && value != none {
				return below
			}
		}
	}
	return ""
}
