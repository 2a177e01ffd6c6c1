package prediction

import (
	"fmt"
	"time"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
)

// The standard deviations of the logarithm of a ratio of speeds: as the user says, and of CoreMark, which is integer
// arithmetic within the caches. How far each is off for a database was not measured: these are assumptions.
const (
	declaredDoubt = 0.10
	coreMarkDoubt = 0.20
)

// doubt returns the standard deviation of the logarithm of the speed.
func (q Question) doubt() float64 {
	if q.CoreMark {
		return coreMarkDoubt
	}
	return declaredDoubt
}

// fastest is the ratio of speeds up to which a prediction is made: what a faster CPU does with memory and with the kernel
// is not known.
const fastest = 4

// checkCPUs refuses CPUs that the reference does not allow.
func (r *Reference) checkCPUs(q Question) error {
	switch {
	case q.CPUs == 0 && q.CPUSpeed == 0:
		return nil
	case len(r.Assumed) > 0:
		return hint.Errorf("measure the workload once with plinth run, and predict from that",
			"other CPUs cannot be predicted from an imported run: the CPU time of its transactions is assumed")
	case q.OtherMachine && r.System.Others > 0:
		return hint.Errorf("ask for --cpus and --cpu-speed", "the server was limited to %d CPUs: what is left to others on another machine is not known", r.System.CPUs)
	case q.CPUSpeed != 0 && (!(q.CPUSpeed > 0) || apart(q.CPUSpeed, 1) > fastest):
		return hint.Errorf("measure the workload on those CPUs", "CPUs that are %.3g times as fast are too far from the measured ones: the limit is a factor of %d", q.CPUSpeed, fastest)
	}
	return nil
}

// assumed lists what is taken for granted of a question.
func (q Question) assumed() []string {
	if q.CPUSpeed == 0 || !q.CoreMark {
		return q.Granted
	}
	return append([]string{fmt.Sprintf("a transaction gains as much from other CPUs as CoreMark does: %.2f times", q.CPUSpeed)}, q.Granted...)
}

// durability says where commits would survive other events on the disks that are asked for.
func (r *Reference) durability(q Question) (all []string) {
	for _, d := range []struct{ asked, measured *device.Device }{{q.Data, &r.System.Data}, {q.WAL, new(r.System.WALDisk())}} {
		if d.asked != nil && d.asked.Durability != d.measured.Durability && d.asked.Durability != "" && d.measured.Durability != "" {
			all = append(all, fmt.Sprintf("it is enough that data on %s survives %s (on %s, it survives %s)",
				d.asked.Name, d.asked.Durability, d.measured.Name, d.measured.Durability))
		}
	}
	return all
}

// withSpeed makes all CPUs of a system faster by a factor.
func withSpeed(s closed.System, factor float64) closed.System {
	for _, t := range []*time.Duration{&s.Client, &s.Server, &s.Sync, &s.LockWait, &s.Path, &s.Copy} {
		*t = scaled(*t, 1/factor)
	}
	s.Background /= factor
	if s.Loop != nil {
		loop := *s.Loop
		loop.Turn, loop.Follow = scaled(loop.Turn, 1/factor), scaled(loop.Follow, 1/factor)
		s.Loop = &loop
	}
	return s
}
