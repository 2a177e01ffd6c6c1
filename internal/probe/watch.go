package probe

import (
	"fmt"
	"os"
	"time"

	"plinth/internal/driver/fio"
	"plinth/internal/host"
	"plinth/internal/host/proc"
)

// watch is what is looked at beside the steps: what else the disk did, and what
// held fio back.
type watch struct {
	device string
	begin  time.Time
	bytes  int64
	known  bool
	host   *host.Watch
}

func startWatch(device string) *watch {
	w := &watch{device: device, begin: time.Now(), host: host.NewWatch(os.Getpid(), pace)}
	w.bytes, w.known = diskBytes(device)
	return w
}

func (w *watch) stop() { w.host.Stop() }

// seen is what happened while the steps were measured.
type seen struct {
	ours, others float64 // bytes a second of the disk; others is 0 where it is unknown
	usage        host.Usage
	covered      time.Duration
}

func (w *watch) seen(measured map[string][]fio.Result) seen {
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
	s.usage, _ = w.host.Between(w.begin, end) // what is not known is no warning
	return s
}

// diskBytes is what was read from and written to a block device since the machine
// started (Documentation/block/stat.rst).
func diskBytes(device string) (int64, bool) {
	var n proc.Disk
	if device == "" || proc.CutNumbers([]byte(word("/sys/class/block/"+device+"/stat")), n[:]) < proc.FewestDisk {
		return 0, false
	}
	return int64(n[2]+n[6]) * 512, true
}

const (
	// muchElse is the share of the bytes at which others' count, when it is more than
	// 1 MiB/s as well: the journal of a filesystem stays below, and steps of one
	// request at a time suffer from little.
	muchElse = 0.02
	// muchTime is the share of the time that throttling may take.
	muchTime = 0.01
	// busy is the share of all CPUs above which they may be what is measured.
	busy = 0.9
)

// notes are what weakens the figures by what else went on.
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
