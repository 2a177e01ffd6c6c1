package layout

import (
	"cmp"
	"fmt"
	"slices"

	"plinth/internal/device"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/placement"
	"plinth/internal/unit"
)

// drivesOf returns the local disks that the input has: its own, or those of its instance.
func (c *completed) drivesOf() (d Drives, nvme bool) {
	switch {
	case c.Drives.Number > 0:
		return c.Drives, true
	case c.instance == nil || c.instance.Drives.Disk || c.instance.Drives.Number == 0:
		return Drives{}, false
	}
	return Drives{Number: c.instance.Drives.Number, Size: c.instance.Drives.Size}, c.instance.Drives.NVMe
}

// group is local disks that are used as one: alone, or as a mirror.
type group struct {
	disks int
	wal   bool // for the WAL and temporary files
	data  bool
}

// groupsOf divides local disks: the WAL gets one of its own if there are two. Further ones are mirrored:
// the loss of a disk then is no loss of the machine.
func groupsOf(n int) []group {
	switch n {
	case 0:
		return nil
	case 1:
		return []group{{disks: 1, wal: true, data: true}}
	case 2:
		return []group{{disks: 1, data: true}, {disks: 1, wal: true}}
	}
	wal := 1 + (n+1)%2 // so that an even number is left
	return []group{{disks: n - wal, data: true}, {disks: wal, wal: true}}
}

// level returns the level of an array of so many local disks.
func (g group) level() int {
	if g.disks == 2 {
		return 1
	}
	return 10
}

// refuses returns what the group does not hold: no part of the database if that would be lost with the
// host.
func (g group) refuses(lost bool) (kinds []string) {
	if !g.data || lost {
		kinds = append(kinds, relation.Table, relation.Index)
	}
	if !g.wal || lost {
		kinds = append(kinds, placement.WAL)
	}
	if lost {
		kinds = append(kinds, placement.Temp)
	}
	return kinds
}

// locals returns the local disks. Without a standby they hold no part of the database, because a local
// disk does not outlive its host.
func (f *finder) locals() []candidate {
	d, nvme := f.in.drivesOf()
	if f.in.instance != nil && d.Number == 0 {
		f.note("%s has no local disks", f.in.instance.Name)
	}
	name, model := "nvme", "local-nvme"
	if !nvme {
		name, model = "ssd", "sata-ssd"
	}
	e, err := device.Find(model)
	if err != nil {
		return nil
	}
	each := cmp.Or(d.Use, d.Size)
	lost := f.in.Standby == NoStandby
	if lost && d.Number > 0 {
		f.note("local disks are not offered to the database: they do not outlive their host, and there is no standby (--standby async)")
	}
	var all []candidate
	first := 0
	for _, g := range groupsOf(d.Number) {
		c := candidate{medium: onLocal, fixed: true}
		c.Name, c.Device, c.Capacity = fmt.Sprintf("%s%d", name, first), e.Device, each
		if g.disks > 1 {
			c.Name = fmt.Sprintf("%s%d-%d", name, first, first+g.disks-1)
			c.Capacity = each * unit.Size(g.disks/2)
			if c.Device, err = device.RAID(g.level(), g.disks, 0, e.Device); err != nil {
				continue
			}
		}
		first += g.disks
		c.Refuses = g.refuses(lost)
		c.Accepts = func(o placement.Object) bool {
			return o.Kind != placement.Other || g.data && slices.Contains(f.in.Other[o.Name].On, Local)
		}
		all = append(all, c)
	}
	slices.Reverse(all) // the one of the WAL first: temporary files go there if both are as fast
	return all
}
