package volume

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// Claim is a disk that a volume of an experiment uses. Its identities are those of the kernel, so
// claims of two containers can be compared.
type Claim struct {
	Who  string // "the data of one"
	What string // the device or file, as written in the experiment

	ID    string // the same for every name of the disk
	Whole string // the ID of the disk of which it is a partition, or its own

	Queue     string // its directory; empty for a file, and for a device that is missing
	ReadAhead unit.Size
	Scheduler string
}

// Claims returns the disks that the volumes of environments use. An emulated disk is never shared.
func Claims(environments []experiment.Environment) (all []Claim) {
	for _, e := range environments {
		for _, part := range e.Parts() {
			if part.Volume.Directory != "" {
				continue
			}
			for _, d := range disksOf(part.Volume) {
				if d.Device+d.File == "" {
					continue
				}
				c := Claim{Who: fmt.Sprintf("the %s of %s", part.Role, e.Name), What: d.Device + d.File,
					ReadAhead: part.Volume.ReadAhead, Scheduler: part.Volume.Scheduler}
				if part.Volume.RAID != "" {
					c.ReadAhead = 0 // an array's read-ahead applies to its own device
				}
				c.identify(d.Device != "")
				all = append(all, c)
			}
		}
	}
	return all
}

// identify uses the number of a device: it can have other names in a container, and names do not
// tell a partition (sda1, nvme0n1p1, mmcblk0p1).
func (c *Claim) identify(device bool) {
	number, err := "", error(nil)
	if device {
		number, err = deviceNumber(c.What)
	}
	if number == "" || err != nil { // volume.Check reports what is wrong with a device
		if c.ID, err = host.Identity(c.What); err != nil {
			c.ID = filepath.Clean(c.What)
		}
		c.Whole = c.ID
		return
	}
	c.ID, c.Whole = number, number
	dir, err := filepath.EvalSymlinks("/sys/dev/block/" + number)
	if err != nil {
		return
	}
	if _, err := os.Lstat(filepath.Join(dir, "partition")); err == nil {
		dir = filepath.Dir(dir)
		c.Whole = readWord(filepath.Join(dir, "dev"))
	}
	c.Queue = filepath.Join(dir, "queue")
}

// Conflict returns an error if two volumes use the same device, a disk and one of its partitions, or
// the same file, or want different settings for the queue that partitions share. Each volume is
// created from scratch, and is there during the whole experiment.
func Conflict(claims []Claim) error {
	for i, c := range claims {
		for _, other := range claims[:i] {
			if c.ID == other.ID || c.ID == other.Whole || c.Whole == other.ID {
				used := other.What
				if c.What != other.What {
					used += " and " + c.What
				}
				return hint.Errorf("give each volume its own device or file; several can share a directory",
					"%s and %s use the same disk: %s", other.Who, c.Who, used)
			}
			if err := c.sameQueue(other); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameQueue returns an error if another volume requests different settings for the same queue:
// partitions share their disk's. A volume without a setting expects the kernel's default, not another
// volume's value.
func (c Claim) sameQueue(other Claim) error {
	if c.Queue == "" || c.Queue != other.Queue || c.ReadAhead == other.ReadAhead && c.Scheduler == other.Scheduler {
		return nil
	}
	return hint.Errorf("give both the same read_ahead and scheduler, or separate disks",
		"%s and %s are on partitions of one disk, which has one queue: %s on %s, %s on %s",
		other.Who, c.Who, other.settings(), other.What, c.settings(), c.What)
}

func (c Claim) settings() string {
	return "read_ahead " + cmp.Or(sizeWord(c.ReadAhead), "default") + " and scheduler " + cmp.Or(c.Scheduler, "default")
}
