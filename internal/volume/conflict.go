package volume

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// claim is one disk that a volume of an experiment uses.
type claim struct {
	who  string // "the data of one"
	what string // the device or file, as written in the experiment
}

// Conflicts returns an error if two volumes of an experiment use the same device, a disk and one
// of its partitions, or the same file. Each volume is created from scratch, and the servers of
// all environments stay up side by side.
func Conflicts(environments []experiment.Environment) error {
	taken, queues := map[string]claim{}, map[string]queue{}
	for _, e := range environments {
		for _, part := range e.Parts() {
			if part.Volume.Directory != "" {
				continue
			}
			for _, d := range disksOf(part.Volume) {
				c := claim{fmt.Sprintf("the %s of %s", part.Role, e.Name), d.Device + d.File}
				if err := c.enter(taken); err != nil {
					return err
				}
				q := queue{by: c, readAhead: part.Volume.ReadAhead, scheduler: part.Volume.Scheduler}
				if part.Volume.RAID != "" {
					q.readAhead = 0 // an array's read-ahead applies to its own device
				}
				if err := q.enter(queues, d.Device); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// enter registers the disk, or returns an error if it is taken.
func (c claim) enter(taken map[string]claim) error {
	if c.what == "" {
		return nil // an emulated disk is never shared
	}
	name := withoutLinks(c.what)
	for other, by := range taken {
		if other == name || isPartitionOf(name, other) || isPartitionOf(other, name) {
			used := by.what
			if c.what != by.what {
				used += " and " + c.what
			}
			return hint.Errorf("give each volume its own device or file; several can share a directory",
				"%s and %s use the same disk: %s", by.who, c.who, used)
		}
	}
	taken[name] = c
	return nil
}

// withoutLinks resolves symlinks, also for a file that does not exist yet.
func withoutLinks(path string) string {
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return filepath.Clean(path)
}

// isPartitionOf uses /sys: names are not conclusive (sda1, nvme0n1p1, mmcblk0p1).
func isPartitionOf(part, disk string) bool {
	if !strings.HasPrefix(part, "/dev/") || !strings.HasPrefix(disk, "/dev/") {
		return false
	}
	_, err := filepath.EvalSymlinks(filepath.Join(sysBlock, sysName(disk), sysName(part)))
	return err == nil
}

// queue holds the queue settings that a volume requests for a disk.
type queue struct {
	by        claim
	readAhead unit.Size
	scheduler string
}

// enter returns an error if another volume requests different settings for the same queue:
// partitions share their disk's. A volume without a setting expects the kernel's default, not
// another volume's value.
func (q queue) enter(queues map[string]queue, device string) error {
	dir := queueOf(device)
	if device == "" || dir == "" {
		return nil // emulated or a file, or missing
	}
	other, shared := queues[dir]
	if !shared {
		queues[dir] = q
		return nil
	}
	if other.readAhead == q.readAhead && other.scheduler == q.scheduler {
		return nil
	}
	return hint.Errorf("give both the same read_ahead and scheduler, or separate disks",
		"%s and %s are on partitions of one disk, which has one queue: %s on %s, %s on %s",
		other.by.who, q.by.who, other, other.by.what, q, q.by.what)
}

func (q queue) String() string {
	return "read_ahead " + cmp.Or(sizeWord(q.readAhead), "default") + " and scheduler " + cmp.Or(q.scheduler, "default")
}
