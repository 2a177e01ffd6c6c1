package kernel

import (
	"fmt"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

var schedstatMetrics = from("/proc/schedstat", "Documentation/scheduler/sched-stats.rst",
	metric.Metric{Name: "schedstat.run_delay", Kind: metric.Rate, Unit: "s/s",
		Help: "time that threads which could run waited for a CPU, over all CPUs; a wait counts when it ends"},
)

// schedstat is the source of how long threads wait for a CPU.
type schedstat struct {
	file   file
	idlers idlers
	cpus   int // at the last reading
	slot   telemetry.Slot
	bound  bool
}

func openSchedstat(m *machine) (reader, error) {
	return &schedstat{file: newFile(m.Root, "proc/schedstat"), idlers: newIdlers(m.Root, m.Idle)}, nil
}

func (s *schedstat) close() {
	s.file.close()
	s.idlers.close()
}

func (s *schedstat) readTo(b *telemetry.Board) error {
	text, err := s.file.read()
	if err != nil {
		return err
	}
	delay, cpus, err := proc.RunDelay(text)
	if err != nil {
		return fmt.Errorf("%s %w", s.file.path, err)
	}
	if !s.bound {
		s.slot, s.cpus, s.bound = b.Column(schedstatMetrics[0]), cpus, true
	}
	if cpus != s.cpus { // it tells of those only that are online, with all their past
		b.Anew(fmt.Sprintf("%d CPUs were online, and then %d", s.cpus, cpus))
		s.cpus = cpus
	}
	b.Put(s.slot, float64(delay-min(delay, s.idlers.waits()))/1e9)
	return nil
}
