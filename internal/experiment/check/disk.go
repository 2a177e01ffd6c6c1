package check

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// disk checks a disk of exactly one kind: a device, a file, or an emulated device.
func disk(notes *mistake.Notes, d *experiment.Disk, where string) {
	path(notes, &d.Device, where)
	path(notes, &d.File, where)
	path(notes, &d.Backing, where)
	if d.File != "" && d.Size == 0 && notes.Sound(&d.Size) {
		notes.Add(notes.Places[&d.File], "add size: 8GiB", "%s: a file needs a size", where)
	}
	misplaced(notes, &d.Size, d.File != "" || d.Emulated(), "leave it out", where, "size applies only to a file or an emulated device")
	misplaced(notes, &d.Backing, d.Emulated(), "leave it out", where, "backing applies only to an emulated device")
	changes(notes, d, where)
	if notes.Places[&d.Emulate] != nil {
		emulation(notes, &d.Emulate, where+".emulate")
	}
	said(notes, d, where)
}

// said checks what an existing disk is said to be.
func said(notes *mistake.Notes, d *experiment.Disk, where string) {
	misplaced(notes, &d.Is, !d.Emulated(), "leave it out: emulate already defines the device", where, "\"is\" applies only to an existing device, file or directory")
	if notes.Places[&d.Is] != nil {
		emulation(notes, &d.Is, where+".is")
	}
}

// changes notes changes of a device that is not from the catalog.
func changes(notes *mistake.Notes, d *experiment.Disk, where string) {
	for _, key := range changesOf(&d.Changes) {
		switch {
		case !d.Emulated() && !d.Said():
			misplaced(notes, key.pointer, false, "add emulate: gp3 (for an emulated device) or is: gp3 (for an existing one), or leave it out", where,
				"%s applies only with \"emulate\" or \"is\"", key.name)
		case d.Emulate.Model != nil || d.Is.Model != nil:
			misplaced(notes, key.pointer, false, "change the value in the model file", where, "%s applies only to a device from the catalog, not to a model file", key.name)
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

// emulation checks that an emulation defines exactly one device, completely.
func emulation(notes *mistake.Notes, e *experiment.Emulation, where string) {
	switch {
	case !notes.Sound(e):
	case e.RAID == "" && e.Name == "" && e.Model == nil && notes.Places[&e.Of] == nil:
		notes.Add(notes.Places[e], "give a name from plinth devices, or raid: 10, of: gp3 and members: 8", "%s: no device is given", where)
	case e.RAID == "":
		misplaced(notes, &e.Of, false, "add raid: 10", where, "\"of\" applies only to an array")
		misplaced(notes, &e.Members, false, "add raid: 10", where, "members apply only to an array")
		misplaced(notes, &e.Chunk, false, "leave it out", where, "chunk applies only to an array")
	case e.Name != "" || e.Model != nil:
		notes.Add(notes.Places[&e.RAID], "leave out one of the two; of: gives the device of each member", "%s: raid and a device are both given", where)
	case e.Of == "":
		notes.Add(notes.Places[&e.RAID], "add of: gp3", "%s: the array has no device for its members", where)
	default:
		levels(notes, e.RAID, e.Members, e.Chunk, first(notes.Places[&e.Members], notes.Places[&e.RAID]), notes.Places[&e.Chunk], where)
	}
}

// levels checks the number of members of an array, and its chunk size.
func levels(notes *mistake.Notes, level string, members int, chunk unit.Size, at, chunkAt *yaml.Node, where string) {
	least := minMembers[level]
	hint := fmt.Sprintf("RAID %s needs %d or more", level, least)
	if level == "10" {
		hint += ", an even number"
	}
	switch {
	case members < least:
		notes.Add(at, hint, "%s: %s for RAID %s", where, unit.Count(members, "member"), level)
	case members > maxMembers:
		notes.Add(at, "", "%s: %d members, more than the maximum of %d", where, members, maxMembers)
	case level == "10" && members%2 != 0:
		notes.Add(at, hint, "%s: an odd number of members, %d: RAID 10 mirrors pairs", where, members)
	}
	switch {
	case chunkAt == nil:
	case level == "1":
		notes.Add(chunkAt, "leave it out", "%s: RAID 1 has no chunks", where)
	case chunk&(chunk-1) != 0:
		notes.Add(chunkAt, "", "%s: the chunk size must be a power of two, not %s", where, chunk.Exact())
	}
}

// alike notes members of an array that differ from the first one: plinth describes and verifies an
// array of emulated devices as one model of identical members.
func alike(notes *mistake.Notes, v *experiment.Volume, where string) {
	var first *experiment.Disk
	for i := range v.Members {
		m, at := &v.Members[i], fmt.Sprintf("%s.members.%d", where, i+1)
		switch {
		case !notes.Sound(m, &m.Emulate) || len(kinds(notes, m)) != 1:
		case ofModels(m):
			notes.Add(notes.Places[m], "use single devices as members, or give the volume emulate: {raid: 0, of: gp3, members: 4}",
				"%s: an emulated array cannot be a member of an array", at)
			return
		case first == nil:
			first = m
		case m.Emulated() != first.Emulated():
			notes.Add(notes.Places[m], "emulate all members, or none", "%s: an array cannot mix emulated and real members", at)
			return
		case m.Emulated() && !sameModel(m, first):
			notes.Add(notes.Places[m], "give all members the same device, with the same changes", "%s: its device differs from that of the members before it", at)
			return
		}
	}
}

// sameModel reports whether two disks have the same model. It returns true if a model is invalid,
// which other checks report.
func sameModel(a, b *experiment.Disk) bool {
	one, err := a.Model()
	if err != nil {
		return true
	}
	other, err := b.Model()
	return err != nil || reflect.DeepEqual(one, other)
}

// ofModels reports whether a disk is an emulated array.
func ofModels(d *experiment.Disk) bool {
	model, err := d.Model()
	return err == nil && model.Array != nil
}

// models checks that every device that is emulated or named by is: is possible.
func models(notes *mistake.Notes, e *experiment.Experiment) {
	for i := range e.Environments {
		env := &e.Environments[i]
		for where, v := range named(env) {
			for _, d := range v.Disks() {
				if d.Emulated() && notes.Sound(v, d, &d.Emulate) && notes.Places[v] != nil {
					model(notes, d, &d.Emulate, where)
				} else if d.Said() && notes.Sound(v, d, &d.Is) && notes.Places[v] != nil {
					model(notes, d, &d.Is, where)
				}
			}
		}
	}
}

// model notes what is wrong with the model of one disk. It skips incomplete arrays, which emulation
// has already noted.
func model(notes *mistake.Notes, d *experiment.Disk, e *experiment.Emulation, where string) {
	if e.Model != nil || e.RAID != "" && (e.Of == "" || e.Name != "") {
		return
	}
	named := &e.Name
	if e.RAID != "" {
		named = &e.Of
	}
	if err := modelOf(*named, d.Changes); err != nil {
		notes.Add(culprit(notes, d, named), hint.Of(err), "%s: %v", where, err)
	}
}

// culprit returns the position of a change without which the device would be valid, or else that of
// the device's name.
func culprit(notes *mistake.Notes, d *experiment.Disk, named *string) *yaml.Node {
	for _, change := range changesOf(&d.Changes) {
		place := notes.Places[change.pointer]
		if place != nil && modelOf(*named, change.without(d.Changes)) == nil {
			return place
		}
	}
	return notes.Places[named]
}

// modelOf returns an error if a catalog device cannot have these changes.
func modelOf(name string, changes experiment.Changes) error {
	_, err := device.Configure(name, changes.Options())
	return err
}
