package layout

import (
	"math"
	"slices"

	"plinth/internal/device"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/placement"
	"plinth/internal/unit"
)

// Media of disks, for the conditions of rules.
const (
	onLocal    = "local"   // a disk of the machine
	onNetwork  = "network" // an SSD volume of EBS
	onSpinning = "hdd"     // an HDD volume of EBS
)

// Devices of the catalog that layouts use.
const (
	gp3          = "gp3"
	io2          = "io2"
	blockExpress = "io2-block-express"
)

var (
	spinning = []string{"st1", "sc1"}
	// places are the devices that Other.On may list.
	places = append([]string{Local, gp3, io2, blockExpress}, spinning...)
	// placesOfOther is Other.On if it is absent.
	placesOfOther = append([]string{gp3}, spinning...)
)

// candidate is a store to choose from.
type candidate struct {
	placement.Store
	medium string
	wal    bool      // for the WAL alone
	least  unit.Size // of a volume with these IOPS
	step   unit.Size // sizes are multiples of it
	fixed  bool      // the size of the volume is the capacity; otherwise it follows from what the volume holds
	own    bool      // of the user
}

// base returns the device of the catalog that the store is made of.
func (c candidate) base() string { return c.Device.Member().Name }

// Sizes of volumes are multiples of a step; those of arrays such that each member has whole GiB.
const (
	oneStep   = 10 * unit.GiB
	arrayStep = mostMembers * unit.GiB
)

// size returns the size of the volume that holds so many bytes: they fill the share that may be used.
func (c candidate) size(held unit.Size) unit.Size {
	if c.fixed {
		return c.Capacity
	}
	return max(c.least, roomFor(held, max(c.step, unit.GiB)))
}

// roomFor returns the size of a volume for so many bytes, a multiple of a step.
func roomFor(held, step unit.Size) unit.Size {
	need := float64(held) / float64(placement.ShareOfCapacity)
	return unit.Size(math.Ceil((need-1)/float64(step))) * step
}

// ebsOperation is the largest request that an SSD volume of EBS counts as one, as in the catalog.
const ebsOperation = 256 * unit.KiB

// need holds the operations and bytes a second of all relations and temporary files together, divided by
// the share of a limit that may be used.
type need struct{ reads, writes, bytes float64 }

func needOf(objects []placement.Object, kinds ...string) (n need) {
	for _, o := range objects {
		if slices.Contains(kinds, o.Kind) {
			writes := o.Writes.Likely + o.Durable.Likely
			counted := math.Ceil(float64(o.Operation) / float64(ebsOperation))
			n.reads += counted * o.Reads / float64(placement.ShareOfRate)
			n.writes += counted * writes / float64(placement.ShareOfRate)
			n.bytes += (o.Reads + writes) * float64(o.Operation) / float64(placement.ShareOfRate)
		}
	}
	return n
}

// candidates returns what there is to choose from: local disks first, so that what costs the same
// everywhere is there.
func (f *finder) candidates() ([]candidate, error) {
	if f.choice.Stores != nil {
		return f.given(), nil
	}
	all := f.locals()
	data := needOf(f.work.Objects, relation.Table, relation.Index, placement.Temp)
	wal := needOf(f.work.Objects, placement.WAL)
	network, err := f.network(data, wal)
	if err != nil {
		return nil, err
	}
	return append(append(all, network...), f.spinning()...), nil
}

// given returns the stores of the user. HDD volumes do not take the WAL.
func (f *finder) given() []candidate {
	var all []candidate
	for _, s := range f.choice.Stores {
		c := candidate{Store: s, own: true, fixed: s.Capacity > 0, medium: onNetwork}
		switch {
		case slices.Contains(spinning, c.base()):
			c.medium = onSpinning
			c.Refuses = append(slices.Clone(s.Refuses), placement.WAL)
		case !s.Device.OfEBS():
			c.medium = onLocal
		}
		all = append(all, c)
	}
	fits := func(o Other) bool {
		return slices.ContainsFunc(all, func(c candidate) bool { return c.takes(o) })
	}
	for i, c := range all {
		all[i].Accepts = func(o placement.Object) bool {
			other, is := f.in.Other[o.Name]
			return o.Kind != placement.Other || !is || c.takes(other) || !fits(other)
		}
	}
	return all
}

// takes reports whether something that shares the storage may be on the store.
func (c candidate) takes(o Other) bool {
	on := o.On
	if len(on) == 0 {
		on = placesOfOther
	}
	return slices.Contains(on, c.base()) || c.medium == onLocal && slices.Contains(on, Local)
}

// accepted returns what may be placed on a volume of EBS.
func (f *finder) accepted(c candidate) func(placement.Object) bool {
	return func(o placement.Object) bool {
		switch {
		case c.wal || o.Kind == placement.WAL:
			return c.wal && o.Kind == placement.WAL
		case o.Kind == placement.Other:
			return c.takes(f.in.Other[o.Name])
		}
		return c.medium != onSpinning || o.Temperature == placement.Cold && o.Size >= leastSpinning
	}
}

// leastSpinning is the least size of an HDD volume of EBS: below it, the volume is paid for nothing.
const leastSpinning = 125 * unit.GiB

// spinning returns HDD volumes, if there is something for them: what is cold and large, and what is not
// a part of the database and may be there. Their throughput follows from their size.
func (f *finder) spinning() []candidate {
	var all []candidate
	for _, name := range spinning {
		e, err := device.Find(name)
		if err != nil {
			continue
		}
		c := candidate{medium: onSpinning, step: oneStep, least: multiple(e.Offer.LeastSize, oneStep)}
		c.Name, c.Device, c.Capacity = name, e.Device, e.Offer.MostSize
		c.Accepts = f.accepted(c)
		held := unit.Size(0)
		for _, o := range f.work.Objects {
			if c.Accepts(o) {
				held += o.Size
			}
		}
		if held == 0 {
			continue
		}
		size := min(max(roomFor(held, oneStep), e.Offer.LeastSize), e.Offer.MostSize)
		if c.Device, err = device.Configure(name, device.Options{Provisioned: size}); err == nil {
			all = append(all, c)
		}
	}
	return all
}
