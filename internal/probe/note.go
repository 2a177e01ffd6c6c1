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

// notes returns what weakens the figures because of the measurement.
func (r *Result) notes(expect *device.Device) []Note {
	var notes []Note
	switch {
	case r.Slices == 1:
		notes = append(notes, Note{"few-slices", fmt.Sprintf("one slice of %s: no interval", r.Slice), "--for 60s"})
	case r.Slices < mostSlices:
		notes = append(notes, Note{"few-slices", fmt.Sprintf("%d of %d slices: too few for a 95 %% interval; ranges are shown", r.Slices, mostSlices), "--for 60s"})
	}
	var names []string
	for _, m := range r.Steps {
		if m.Fastest > manyTimes*m.Slowest {
			names = append(names, m.Name)
		}
	}
	if len(names) > 0 {
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

// seen is what happened during the steps.
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
		notes = append(notes, Note{"other-load", fmt.Sprintf("others read and wrote %.0f MiB a second on this disk meanwhile, plinth %.0f MiB", s.others/(1<<20), s.ours/(1<<20)),
			"probe it again when it is idle"})
	}
	u, covered := s.usage, s.covered.Seconds()
	if u.Throttled > muchTime*covered {
		notes = append(notes, Note{"throttled", fmt.Sprintf("a CPU quota of the control group held fio back for %.1f s of %.0f s", u.Throttled, covered), "probe outside of the control group"})
	}
	all := u.User + u.System + u.Idle + u.IOWait + u.Steal
	if all > 0 && u.Steal/all > muchTime {
		notes = append(notes, Note{"steal", fmt.Sprintf("the hypervisor gave %.0f %% of this machine's CPU time to others", 100*u.Steal/all), ""})
	}
	if all > 0 && (u.User+u.System)/all > busy {
		notes = append(notes, Note{"busy-cpus", fmt.Sprintf("the CPUs were %.0f %% busy: what they could do may be below what the disk could", 100*(u.User+u.System)/all), "probe it again when the machine is idle"})
	}
	return notes
}
