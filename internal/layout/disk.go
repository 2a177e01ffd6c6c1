package layout

import (
	"plinth/internal/placement"
	"plinth/internal/unit"
)

// Disk is a disk, a volume of EBS or an array that the layout uses.
type Disk struct {
	Name   string `json:"name"`
	Device string `json:"device"` // the model
	Medium string `json:"medium"` // local, network or hdd
	// Level is that of an array of Members; -1 without one.
	Level   int `json:"raid_level"`
	Members int `json:"members"`
	// IOPS and Throughput are provisioned, of each member.
	IOPS       float64   `json:"iops,omitempty"`
	Throughput unit.Rate `json:"throughput,omitempty"`
	Size       unit.Size `json:"size"` // usable
	Now        unit.Size `json:"data_now"`
	Later      unit.Size `json:"data_later"` // after the months
	// Filled is the share of the size that is used then.
	Filled  float64           `json:"filled"`
	Use     placement.Use     `json:"use"` // of its limits, without the capacity
	Demand  placement.Demand  `json:"demand"`
	Margin  float64           `json:"margin"`
	Dollars placement.Dollars `json:"price"`
	// Full is the months until the share of the size that may be used is reached; -1: it does not grow.
	Full float64 `json:"full_in_months"`

	holds []int // objects of the plan
}

// disks returns the stores that hold something.
func (f *finder) disks(plan placement.Plan) []Disk {
	var all []Disk
	for i, load := range plan.Stores {
		c := f.stores[i]
		d := Disk{
			Name: c.Name, Device: c.base(), Medium: c.medium, Level: -1, Members: 1,
			Demand: load.After, Use: load.Use, Margin: load.Margin, Dollars: load.Dollars, Full: -1,
		}
		growth := unit.Size(0)
		for k, o := range plan.Objects {
			if o.To != c.Name {
				continue
			}
			now, monthly := f.in.now(o.Object)
			d.holds, d.Now, d.Later, growth = append(d.holds, k), d.Now+now, d.Later+o.Size, growth+monthly
		}
		if len(d.holds) == 0 {
			continue
		}
		if a := c.Device.Array; a != nil {
			d.Level, d.Members = a.Level, a.Members
		}
		if one := c.Device.Member(); c.medium != onLocal {
			d.IOPS, d.Throughput = one.IOPS.Rate, one.Throughput.Rate
		}
		d.Size = c.size(d.Later)
		d.Filled, d.Use.Capacity = float64(d.Later)/float64(d.Size), 0
		if growth > 0 {
			d.Full = max(0, float64(d.Size)*float64(placement.ShareOfCapacity)-float64(d.Now)) / float64(growth)
		}
		all = append(all, d)
	}
	return all
}

// now returns the size of an object before it grows, and its growth a month.
func (c *completed) now(o placement.Object) (size, growth unit.Size) {
	switch o.Kind {
	case placement.WAL, placement.Temp:
		return o.Size, 0
	case placement.Other:
		return c.Other[o.Name].Size, c.Other[o.Name].Growth
	}
	for name, from := range c.Objects {
		if relationName(name) == o.Relation {
			return from.Size, from.Growth
		}
	}
	return o.Size, 0
}
