package probe

import (
	"fmt"
	"strings"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// likelyCache is the size of what a disk or its controller may hold in memory.
const likelyCache = 8 * unit.GiB

// notes are what weakens the figures by what the target is.
func (p *probe) notes() []Note {
	var notes []Note
	add := func(holds bool, rule, text, hint string) {
		if holds {
			notes = append(notes, Note{rule, text, hint})
		}
	}
	t := p.target
	add(t.place.InMemory, "in-memory", "this is memory, not a disk: it takes none of a disk's time, and no device file is made", "name a directory on a disk")
	add(t.place.Network, "network", "a network filesystem: what is measured is the network and another machine's cache as well", "")
	add(!t.Direct, "page-cache", "it takes no direct requests: the page cache answered, not the disk, and no device file is made", "")
	add(t.Raw && word("/sys/class/block/"+t.Device+"/loop/dio") == "0", "page-cache", "it goes through the page cache of what its file lies on", "losetup --direct-io=on")
	for _, l := range t.place.Layers {
		add(l.Kind == "loop" && !strings.Contains(l.Detail, ", direct"), "page-cache",
			fmt.Sprintf("%s goes through the page cache of what its file lies on", l.Name), "losetup --direct-io=on")
		add(l.Missing > 0, "degraded", fmt.Sprintf("the array %s lacks %d of its disks", l.Name, l.Missing), "")
		add(l.Sync != "" && l.Sync != "idle", "resync", fmt.Sprintf("the array %s is at its %s", l.Name, l.Sync), "probe it again when that is done")
	}
	virtual := p.machine.Virtualisation
	add(virtual != "" && !t.place.InMemory, "virtual-disk", fmt.Sprintf("a disk of a virtual machine (%s): its host may cache, limit or share it, and say nothing", virtual), "")
	limits := p.machine.Cgroup.IOLimits
	add(limits != "", "io-limits", "the control group of plinth has I/O limits: "+limits, "probe outside of the control group")
	add(virtual == "" && !t.place.InMemory && t.Size < likelyCache, "small-file",
		fmt.Sprintf("only %s of the disk were used, which a cache of the disk or its controller may hold", t.Size), "--size 16GiB")
	return notes
}

// notes are what weakens the figures by how they were made.
func (r *Result) notes(expect *device.Device) []Note {
	var notes []Note
	switch {
	case r.Slices == 1:
		notes = append(notes, Note{"few-slices", fmt.Sprintf("one slice of %s: no interval", r.Slice), "--for 60s"})
	case r.Slices < mostSlices:
		notes = append(notes, Note{"few-slices", fmt.Sprintf("%d of %d slices: too few for a 95 %% interval; ranges are shown", r.Slices, mostSlices), "--for 60s"})
	}
	if names := r.unsteady(); len(names) > 0 {
		notes = append(notes, Note{"unsteady", fmt.Sprintf("slices are more than %d times apart: %s", manyTimes, strings.Join(names, ", ")), "probe it again when nothing else uses the disk"})
	}
	if r.Target.ReadOnly {
		notes = append(notes, Note{"read-only", "nothing was written to the device, so nothing is known of commits, and no device file is made", "--erase, which destroys what is on it"})
	}
	if r.Target.Array != nil && expect == nil {
		notes = append(notes, Note{"array", fmt.Sprintf("this is %s of %d members", r.Target.Array.Level, r.Target.Array.Members),
			"--expect MEMBER, a device of plinth devices or a file, holds it against the published formulas"})
	}
	if commit, ok := r.step(Commit); ok && r.Target.WriteCache == "write back" {
		write, _ := r.step(Write1)
		if commit.P50 < write.P50/5 {
			notes = append(notes, Note{"no-flush", "fdatasync takes less than a fifth of a write, although the disk has a write cache: does anything reach it?", "see what backs this disk, and whether flushes are passed on"})
		}
	}
	return notes
}

// manyTimes is how far apart slices of one step may be.
const manyTimes = 2

// unsteady are the steps whose slices are far apart.
func (r *Result) unsteady() []string {
	var names []string
	for _, m := range r.Steps {
		if m.Fastest > manyTimes*m.Slowest {
			names = append(names, m.Name)
		}
	}
	return names
}
