package probe

import (
	"fmt"
	"strings"
	"time"

	"plinth/internal/device"
	"plinth/internal/driver/fio"
	"plinth/internal/host/proc"
	"plinth/internal/host/watch"
	"plinth/internal/unit"
)

// Note is a fact that weakens or explains the figures. Rule is short and stable.
type Note struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// likelyCache is the amount that a disk or its controller may cache in memory.
const likelyCache = 8 * unit.GiB

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
	add(virtual == "" && !t.place.InMemory && t.Size < likelyCache, "small-file",
		fmt.Sprintf("only %s of the disk were used, which may fit in a cache of the disk or its controller", t.Size), "use --size 16GiB")
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

// beside watches what else happens during the steps: other I/O on the disk, and what slows fio
// down.
type beside struct {
	device string
	begin  time.Time
	bytes  int64
	known  bool
	host   *watch.Watch
}

// seen holds what happened during the steps.
type seen struct {
	ours, others float64 // bytes a second of the disk; others is 0 if unknown
	usage        watch.Usage
	covered      time.Duration
}

func (w *beside) seen(measured map[string][]fio.Result) seen {
	end := time.Now()
	s := seen{covered: end.Sub(w.begin)}
	ours := int64(0)
	for _, results := range measured {
		for _, r := range results {
			ours += r.Read.Bytes + r.Write.Bytes
		}
	}
	s.ours = float64(ours) / s.covered.Seconds()
	if after, ok := diskBytes(w.device); ok && w.known {
		s.others = max(float64(after-w.bytes-ours)/s.covered.Seconds(), 0)
	}
	w.host.Stop()
	s.usage, _ = w.host.Between(w.begin, end) // unknown values cause no warning
	return s
}

// diskBytes returns the bytes read from and written to a block device since boot
// (Documentation/block/stat.rst).
func diskBytes(device string) (int64, bool) {
	var n proc.Disk
	if device == "" || proc.CutNumbers([]byte(word("/sys/class/block/"+device+"/stat")), n[:]) < proc.FewestDisk {
		return 0, false
	}
	return int64(n[2]+n[6]) * 512, true
}

const (
	// muchElse is the share of the bytes above which other I/O is reported, if it also exceeds 1
	// MiB/s: a filesystem journal stays below, and steps with one request at a time suffer from
	// little.
	muchElse = 0.02
	// muchTime is the share of time above which throttling and steal are reported.
	muchTime = 0.01
	// busy is the share of all CPUs above which they may limit the result.
	busy = 0.9
)

// notes returns what weakens the figures because of other activity.
func (s seen) notes() []Note {
	var notes []Note
	if s.others > muchElse*s.ours && s.others > 1<<20 {
		notes = append(notes, Note{"other-load", fmt.Sprintf("other processes read and wrote %.0f MiB/s on this disk during the probe, plinth %.0f MiB/s", s.others/(1<<20), s.ours/(1<<20)),
			"probe it again when it is idle"})
	}
	u, covered := s.usage, s.covered.Seconds()
	if u.Throttled > muchTime*covered {
		notes = append(notes, Note{"throttled", fmt.Sprintf("a CPU quota of the control group throttled fio for %.1f s of %.0f s", u.Throttled, covered), "probe outside of the control group"})
	}
	all := u.User + u.System + u.Idle + u.IOWait + u.Steal
	if all > 0 && u.Steal/all > muchTime {
		notes = append(notes, Note{"steal", fmt.Sprintf("the hypervisor gave %.0f %% of the CPU time to other virtual machines (steal)", 100*u.Steal/all),
			"use dedicated CPUs, or measure when other virtual machines on the host are quiet"})
	}
	if all > 0 && (u.User+u.System)/all > busy {
		notes = append(notes, Note{"busy-cpus", fmt.Sprintf("the CPUs were %.0f %% busy: they, rather than the disk, may have limited the figures", 100*(u.User+u.System)/all), "probe it again when the machine is idle"})
	}
	return notes
}
