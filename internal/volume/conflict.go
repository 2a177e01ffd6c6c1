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
	what string // the device or file, as it was given
}

// Conflicts is an error when two volumes of an experiment use one device, a disk and
// a partition of it, or one file: each of them is made anew, and the servers of all
// environments stay up side by side.
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
					q.readAhead = 0 // that of an array is of its own device
				}
				if err := q.enter(queues, d.Device); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// enter enters all names by which the disk is taken.
func (c claim) enter(taken map[string]claim) error {
	if c.what == "" {
		return nil // an emulated one is nobody else's
	}
	name := withoutLinks(c.what)
	for other, by := range taken {
		if other == name || isPartitionOf(name, other) || isPartitionOf(other, name) {
			used := by.what
			if c.what != by.what {
				used += " and " + c.what
			}
			return hint.Errorf("give each volume a device or file of its own",
				"%s and %s use one disk: %s", by.who, c.who, used)
		}
	}
	taken[name] = c
	return nil
}

// withoutLinks is the real path, also of a file that is not there yet.
func withoutLinks(path string) string {
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return filepath.Clean(path)
}

// isPartitionOf goes by /sys: names tell too little (sda1, nvme0n1p1, mmcblk0p1).
func isPartitionOf(part, disk string) bool {
	if !strings.HasPrefix(part, "/dev/") || !strings.HasPrefix(disk, "/dev/") {
		return false
	}
	_, err := filepath.EvalSymlinks(filepath.Join(sysBlock, sysName(disk), sysName(part)))
	return err == nil
}

// queue is what a volume has the queue of a disk be.
type queue struct {
	by        claim
	readAhead unit.Size
	scheduler string
}

// enter is an error when another volume has the same queue be otherwise: partitions
// share that of their disk. One that says nothing gets the kernel's, and not what
// another one said.
func (q queue) enter(queues map[string]queue, device string) error {
	dir := queueOf(device)
	if device == "" || dir == "" {
		return nil // of its own, or not there
	}
	other, shared := queues[dir]
	if !shared {
		queues[dir] = q
		return nil
	}
	if other.readAhead == q.readAhead && other.scheduler == q.scheduler {
		return nil
	}
	return hint.Errorf("give both the same read_ahead and scheduler, or disks of their own",
		"%s and %s are on partitions of one disk, which has one queue: %s on %s, %s on %s",
		other.by.who, q.by.who, other, other.by.what, q, q.by.what)
}

func (q queue) String() string {
	return "read_ahead " + cmp.Or(sizeWord(q.readAhead), "unsaid") + " and scheduler " + cmp.Or(q.scheduler, "unsaid")
}
