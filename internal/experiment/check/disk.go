package check

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// disk checks a disk that is one thing: a device, a file, or an emulated device.
func (c *checker) disk(d *experiment.Disk, where string) {
	c.path(&d.Device, where)
	c.path(&d.File, where)
	c.path(&d.Backing, where)
	if d.File != "" && d.Size == 0 && c.Sound(&d.Size) {
		c.Add(c.Places[&d.File], "add size: 8GiB", "%s: a file needs a size", where)
	}
	c.misplaced(&d.Size, d.File != "" || d.Emulated(), "leave it out", where, "size belongs to a file or an emulated device")
	c.misplaced(&d.Backing, d.Emulated(), "leave it out", where, "backing is where the file behind an emulated device lies")
	c.changes(d, where)
	if c.Places[&d.Emulate] != nil {
		c.emulation(&d.Emulate, where+".emulate")
	}
}

// changes notes changes of a device that is not out of the catalog.
func (c *checker) changes(d *experiment.Disk, where string) {
	for _, key := range changesOf(&d.Changes) {
		switch {
		case !d.Emulated():
			c.misplaced(key.pointer, false, "add emulate: gp3, or leave it out", where, "%s is of an emulated device", key.name)
		case d.Emulate.Model != nil:
			c.misplaced(key.pointer, false, "change the figure in the device file", where, "%s changes a device of the catalog, not one of a file", key.name)
		}
	}
}

// change is one key of Changes.
type change struct {
	name    string
	pointer any
	without func(experiment.Changes) experiment.Changes
}

func changesOf(d *experiment.Changes) []change {
	return []change{
		{"iops", &d.IOPS, func(d experiment.Changes) experiment.Changes { d.IOPS = 0; return d }},
		{"throughput", &d.Throughput, func(d experiment.Changes) experiment.Changes { d.Throughput = 0; return d }},
		{"provisioned", &d.Provisioned, func(d experiment.Changes) experiment.Changes { d.Provisioned = 0; return d }},
		{"latency", &d.Latency, func(d experiment.Changes) experiment.Changes { d.Latency = 0; return d }},
		{"round_trip", &d.RoundTrip, func(d experiment.Changes) experiment.Changes { d.RoundTrip = 0; return d }},
		{"write_cache", &d.WriteCache, func(d experiment.Changes) experiment.Changes { d.WriteCache = ""; return d }},
	}
}

// emulation checks that what is emulated is one thing, said in full.
func (c *checker) emulation(e *experiment.Emulation, where string) {
	switch {
	case !c.Sound(e):
	case e.RAID == "" && e.Name == "" && e.Model == nil && c.Places[&e.Of] == nil:
		c.Add(c.Places[e], "give it a name of plinth devices, or raid: 10, of: gp3 and members: 8", "%s: which device?", where)
	case e.RAID == "":
		c.misplaced(&e.Of, false, "add raid: 10", where, "of belongs to an array")
		c.misplaced(&e.Members, false, "add raid: 10", where, "members belong to an array")
		c.misplaced(&e.Chunk, false, "leave it out", where, "chunk belongs to an array")
	case e.Name != "" || e.Model != nil:
		c.Add(c.Places[&e.RAID], "leave out one of the two; the members are said by of:", "%s: raid, and a device beside it", where)
	case e.Of == "":
		c.Add(c.Places[&e.RAID], "add of: gp3", "%s: an array of what?", where)
	default:
		c.levels(e.RAID, e.Members, e.Chunk, first(c.Places[&e.Members], c.Places[&e.RAID]), c.Places[&e.Chunk], where)
	}
}

// levels checks how many members an array has, and its chunk.
func (c *checker) levels(level string, members int, chunk unit.Size, at, chunkAt *yaml.Node, where string) {
	least := minMembers[level]
	hint := fmt.Sprintf("RAID %s takes %d or more", level, least)
	if level == "10" {
		hint += ", an even number"
	}
	switch {
	case members < least:
		c.Add(at, hint, "%s: %s for RAID %s", where, count(members, "member"), level)
	case members > maxMembers:
		c.Add(at, "", "%s: %d members, which is more than %d", where, members, maxMembers)
	case level == "10" && members%2 != 0:
		c.Add(at, hint, "%s: an odd number of members, %d, for RAID 10, which mirrors pairs", where, members)
	}
	switch {
	case chunkAt == nil:
	case level == "1":
		c.Add(chunkAt, "leave it out", "%s: RAID 1 deals out no chunks", where)
	case chunk&(chunk-1) != 0:
		c.Add(chunkAt, "", "%s: a chunk is a power of two, not %s", where, chunk.Exact())
	}
}

// alike notes members of an array that do not act as the first one: an array of
// emulated devices is told, and proved, as one model of equal members.
func (c *checker) alike(v *experiment.Volume, where string) {
	var first *experiment.Disk
	for i := range v.Members {
		m, at := &v.Members[i], fmt.Sprintf("%s.members.%d", where, i+1)
		switch {
		case !c.Sound(m, &m.Emulate) || len(c.kinds(m)) != 1:
		case ofModels(m):
			c.Add(c.Places[m], "let members be single devices, or say emulate: {raid: 0, of: gp3, members: 4} of the volume",
				"%s: an emulated array as a member of an array", at)
			return
		case first == nil:
			first = m
		case m.Emulated() != first.Emulated():
			c.Add(c.Places[m], "emulate all members, or none", "%s: emulated members and others in one array", at)
			return
		case m.Emulated() && !sameModel(m, first):
			c.Add(c.Places[m], "give all members the same device, with the same changes", "%s: it is emulated otherwise than the members before it", at)
			return
		}
	}
}

// sameModel says whether two disks act as the same device. Of what is no device
// others tell.
func sameModel(a, b *experiment.Disk) bool {
	one, err := a.Model()
	if err != nil {
		return true
	}
	other, err := b.Model()
	return err != nil || reflect.DeepEqual(one, other)
}

// ofModels says whether a disk is an emulated array.
func ofModels(d *experiment.Disk) bool {
	model, err := d.Model()
	return err == nil && model.Array != nil
}

// models checks that every emulated device is one that there can be.
func (c *checker) models() {
	for i := range c.e.Environments {
		env := &c.e.Environments[i]
		for where, v := range named(env) {
			for _, d := range v.Disks() {
				if d.Emulated() && c.Sound(v, d, &d.Emulate) && c.Places[v] != nil {
					c.model(d, where)
				}
			}
		}
	}
}

// model notes what is wrong with the model of one disk. What an array lacks was
// told before; here it would be told again in other words.
func (c *checker) model(d *experiment.Disk, where string) {
	if e := d.Emulate; e.Model != nil || e.RAID != "" && (e.Of == "" || e.Name != "") {
		return
	}
	named := &d.Emulate.Name
	if d.Emulate.RAID != "" {
		named = &d.Emulate.Of
	}
	if err := modelOf(*named, d.Changes); err != nil {
		c.Add(c.culprit(d, named), hint.Of(err), "%s: %v", where, err)
	}
}

// culprit is the place of the change without which there would be such a device,
// or of the device's name.
func (c *checker) culprit(d *experiment.Disk, named *string) *yaml.Node {
	for _, change := range changesOf(&d.Changes) {
		place := c.Places[change.pointer]
		if place != nil && modelOf(*named, change.without(d.Changes)) == nil {
			return place
		}
	}
	return c.Places[named]
}

// modelOf says whether there can be such a device.
func modelOf(name string, changes experiment.Changes) error {
	_, err := device.Configure(name, changes.Options())
	return err
}
