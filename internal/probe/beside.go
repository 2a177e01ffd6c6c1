package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"plinth/internal/host/proc"
	"plinth/internal/host/watch"
)

// beside watches what else happens during the steps: other I/O on the disks, and what slows fio
// down.
type beside struct {
	disks []*probe
	begin time.Time
	bytes int64
	known bool
	host  *watch.Watch
}

// seen holds what happened during the steps.
type seen struct {
	disks        int     // that are probed: the volume, and its local disk
	ours, others float64 // bytes a second of all disks; others is 0 if unknown
	usage        watch.Usage
	covered      time.Duration
	alone        spare
}

// moment is a time in which a step with one request at a time was running.
type moment struct {
	from, to time.Time
	fio      float64 // CPUs that fio used
}

// spare is the use of the CPUs while steps with one request at a time were running, in seconds of
// CPU time: idle (waiting for I/O included), by fio itself, and the total.
type spare struct{ idle, fio, all float64 }

// watchBeside begins to watch probes of disks, which take turns. Several readings fall into each step.
func watchBeside(disks []*probe, step time.Duration) *beside {
	w := &beside{disks: disks, begin: time.Now(), host: watch.New(os.Getpid(), min(step/5, pace))}
	w.bytes, w.known = w.diskBytes()
	return w
}

// diskBytes returns the bytes read from and written to all disks since boot; false if they are not
// known of each.
func (w *beside) diskBytes() (sum int64, known bool) {
	for _, p := range w.disks {
		bytes, known := diskBytes(p.target.Device)
		if !known {
			return 0, false
		}
		sum += bytes
	}
	return sum, true
}

func (w *beside) seen() seen {
	end := time.Now()
	s := seen{disks: len(w.disks), covered: end.Sub(w.begin)}
	ours, alone := int64(0), []moment(nil)
	for _, p := range w.disks {
		for _, results := range p.measured {
			for _, r := range results {
				ours += r.Read.Bytes + r.Write.Bytes
			}
		}
		alone = append(alone, p.alone...)
	}
	s.ours = float64(ours) / s.covered.Seconds()
	if after, ok := w.diskBytes(); ok && w.known {
		s.others = max(float64(after-w.bytes-ours)/s.covered.Seconds(), 0)
	}
	w.host.Stop()
	s.usage, _ = w.host.Between(w.begin, end) // unknown values cause no warning
	s.alone = w.spare(alone)
	return s
}

// spare adds up the use of the CPUs in moments. It leaves out a moment in which the machine was read
// less than twice.
func (w *beside) spare(moments []moment) (s spare) {
	for _, m := range moments {
		u, err := w.host.Between(m.from, m.to)
		if err != nil || u.Covered > m.to.Sub(m.from) {
			continue
		}
		s.idle += u.Idle + u.IOWait
		s.all += cpuTime(u)
		s.fio += m.fio * u.Covered.Seconds()
	}
	return s
}

// cpuTime returns the CPU time of all CPUs, in seconds.
func cpuTime(u watch.Usage) float64 { return u.User + u.System + u.Idle + u.IOWait + u.Steal }

// diskBytes returns the bytes read from and written to a block device since boot
// (Documentation/block/stat.rst).
func diskBytes(device string) (int64, bool) {
	var n proc.Disk
	if device == "" || proc.CutNumbers([]byte(word("/sys/class/block/"+device+"/stat")), n[:]) < proc.FewestDisk {
		return 0, false
	}
	if begin, end := proc.NVMePaths(device); n == (proc.Disk{}) && begin != "" {
		paths, _ := filepath.Glob("/sys/class/block/" + begin + "*" + end + "/stat") // the pattern is well formed
		for _, path := range paths {
			var one proc.Disk
			n.Add(one, proc.CutNumbers([]byte(word(path)), one[:]))
		}
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
	// leastIdle is the share of the CPU time that must be idle while latencies are measured, so that
	// none of them includes waiting for a CPU (README of Longhorn's kbench, 2021, as of November
	// 2026).
	leastIdle = 0.4
	// leastRest is the share of the CPU time, beside fio's own, of which an idle share is known.
	leastRest = 0.1
)

// notes returns what weakens the figures because of other activity.
func (s seen) notes() []Note {
	var notes []Note
	if s.others > muchElse*s.ours && s.others > 1<<20 {
		notes = append(notes, Note{"other-load", fmt.Sprintf("other processes read and wrote %.0f MiB/s on %s during the probe, plinth %.0f MiB/s", s.others/(1<<20), s.where(), s.ours/(1<<20)),
			"probe it again when it is idle"})
	}
	u, covered := s.usage, s.covered.Seconds()
	if u.Throttled > muchTime*covered {
		notes = append(notes, Note{"throttled", fmt.Sprintf("a CPU quota of the control group throttled fio for %.1f s of %.0f s", u.Throttled, covered), "probe outside of the control group"})
	}
	all := cpuTime(u)
	if all > 0 && u.Steal/all > muchTime {
		notes = append(notes, Note{"steal", fmt.Sprintf("the hypervisor gave %.0f %% of the CPU time to other virtual machines (steal)", 100*u.Steal/all),
			"use dedicated CPUs, or measure when other virtual machines on the host are quiet"})
	}
	switch idle, known := s.alone.share(); {
	case all > 0 && (u.User+u.System)/all > busy:
		notes = append(notes, Note{"busy-cpus", fmt.Sprintf("the CPUs were %.0f %% busy: they, rather than the disk, may have limited the figures", 100*(u.User+u.System)/all), "probe it again when the machine is idle"})
	case known && idle < leastIdle:
		notes = append(notes, Note{"cpu-wait", fmt.Sprintf("with one request at a time, %.0f %% of the CPU time that fio did not use was idle, less than %.0f %%: the latencies include waiting for a CPU", 100*idle, 100*leastIdle),
			"probe it again when the machine is idle, or with more CPUs"})
	}
	return notes
}

func (s seen) where() string {
	if s.disks > 1 {
		return "these disks"
	}
	return "this disk"
}

// share returns the idle share of the CPU time that fio did not use: fio does not wait for the CPU
// that it is running on, for example to poll. It returns false if fio used nearly all of it.
func (s spare) share() (idle float64, known bool) {
	rest := s.all - s.fio
	if rest <= leastRest*s.all {
		return 0, false
	}
	return min(s.idle/rest, 1), true
}
