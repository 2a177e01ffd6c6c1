package probe

import (
	"fmt"
	"strings"

	"plinth/internal/device"
)

// Note is a fact that weakens or explains the figures. Rule is short and stable.
type Note struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// notes returns what weakens the figures because of the target.
func (p *probe) notes() []Note {
	var notes []Note
	add := func(holds bool, rule, text, hint string) {
		if holds {
			notes = append(notes, Note{rule, text, hint})
		}
	}
	t := p.target
	add(t.place.InMemory, "in-memory", "this is memory, not a disk: its times are not those of a disk, and no model file is written", "give a directory on a disk")
	add(t.place.Network, "network", "a network filesystem: the figures include the network and the cache of another machine", "")
	add(!t.Direct, "page-cache", "direct I/O is not supported: the page cache answered, not the disk, and no model file is written", "")
	add(t.Raw && word("/sys/class/block/"+t.Device+"/loop/dio") == "0", "page-cache", "requests to the device go through the page cache of the filesystem that holds its file", "use losetup --direct-io=on")
	for _, l := range t.place.Layers {
		add(l.Kind == "loop" && !strings.Contains(l.Detail, ", direct"), "page-cache",
			fmt.Sprintf("requests to %s go through the page cache of the filesystem that holds its file", l.Name), "use losetup --direct-io=on")
		add(l.Missing > 0, "degraded", fmt.Sprintf("array %s is degraded (missing disks: %d)", l.Name, l.Missing), "")
		add(l.Sync != "" && l.Sync != "idle", "resync", fmt.Sprintf("array %s is running its %s", l.Name, l.Sync), "probe it again when that has finished")
	}
	virtual := p.machine.Virtualisation
	add(virtual != "" && !t.place.InMemory, "virtual-disk", fmt.Sprintf("a disk of a virtual machine (%s): the host may cache, limit or share it without reporting that", virtual), "")
	limits := p.machine.Cgroup.IOLimits
	add(limits != "", "io-limits", "plinth's control group has I/O limits: "+limits, "probe outside of the control group")
	return notes
}

// notes returns what weakens the figures because of the measurement.
func (r *Result) notes(expect *device.Device) []Note {
	var notes []Note
	switch {
	case r.Slices == 1:
		notes = append(notes, Note{"few-slices", fmt.Sprintf("only one slice of %s: no confidence interval", r.Slice), "use --for 60s"})
	case r.Slices < mostSlices:
		notes = append(notes, Note{"few-slices", fmt.Sprintf("%d of %d slices: too few for a 95 %% confidence interval, so ranges are shown", r.Slices, mostSlices), "use --for 60s"})
	}
	var names []string
	for _, m := range r.Steps {
		if m.Fastest > manyTimes*m.Slowest {
			names = append(names, m.Name)
		}
	}
	if len(names) > 0 {
		notes = append(notes, Note{"unsteady", fmt.Sprintf("the slices of these steps differ by more than a factor of %d: %s", manyTimes, strings.Join(names, ", ")), "probe it again when nothing else uses the disk"})
	}
	if r.Target.ReadOnly {
		notes = append(notes, Note{"read-only", "nothing was written to the device, so commits were not measured and no model file is written", "use --erase, which destroys all data on it"})
	}
	if r.Target.Array != nil && expect == nil {
		notes = append(notes, Note{"array", fmt.Sprintf("this is a %s array of %d members", r.Target.Array.Level, r.Target.Array.Members),
			"use --expect MEMBER (a device listed by plinth devices, or a file) to compare it with the published formulas"})
	}
	if commit, ok := r.step(Commit); ok && r.Target.WriteCache == "write back" {
		write, _ := r.step(Write1)
		if commit.P50 < write.P50/5 {
			notes = append(notes, Note{"no-flush", "fdatasync takes less than a fifth of the time of a write, although the disk has a write cache: flushes may not reach the disk", "check what backs this disk, and whether it passes flushes on"})
		}
	}
	return notes
}

// manyTimes is the maximum ratio between the slices of a steady step.
const manyTimes = 2
