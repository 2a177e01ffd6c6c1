package prediction

import (
	"time"

	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
)

// SpeedSource says where the ratio of a CPU's speed to that of the reference comes from.
type SpeedSource string

// The sources. How far each is off for a database was not measured: these are assumptions, for the interval alone.
const (
	Declared SpeedSource = "declared" // by the user, who may have measured it with the same workload
	CoreMark SpeedSource = "coremark" // of the catalog of instances: integer arithmetic within the caches
)

// doubts are the standard deviations of the logarithm of a ratio, by source.
var doubts = map[SpeedSource]float64{Declared: 0.10, CoreMark: 0.20}

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
	case q.CPUSpeed != 0 && (!(q.CPUSpeed > 0) || apart(q.CPUSpeed, 1) > fastest):
		return hint.Errorf("measure it there", "CPUs that are %.3g times as fast are too far from those that were measured: more than %d times", q.CPUSpeed, fastest)
	}
	return nil
}

// withSpeed makes all CPUs of a system faster by a factor.
func withSpeed(s closed.System, factor float64) closed.System {
	for _, t := range []*time.Duration{&s.Client, &s.Server, &s.Sync, &s.LockWait, &s.Path, &s.Copy} {
		*t = scaled(*t, 1/factor)
	}
	s.Background /= factor
	if s.Loop != nil {
		loop := *s.Loop
		loop.Turn = scaled(loop.Turn, 1/factor)
		s.Loop = &loop
	}
	return s
}
