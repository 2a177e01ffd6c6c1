package kernel

import (
	"fmt"
	"strconv"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

var (
	statMode = metric.Metric{Name: "stat.cpu.{mode}", Kind: metric.Rate, Unit: "s/s",
		Help: "CPU time of all CPUs in that mode: user, nice, system, idle, iowait, irq, softirq, steal, guest (included in user), guest_nice (included in nice); in steps of 10 ms"}
	statBusy = metric.Metric{Name: "stat.cpu{cpu}.busy", Kind: metric.Rate, Unit: "s/s",
		Help: "time that one CPU was busy: the sum of all modes, including steal, but without idle and iowait"}
	statCounts = []metric.Metric{ // in the order of statRest
		{Name: "stat.intr", Kind: metric.Rate, Unit: "1/s", Help: "interrupts"},
		{Name: "stat.ctxt", Kind: metric.Rate, Unit: "1/s", Help: "context switches"},
		{Name: "stat.processes", Kind: metric.Rate, Unit: "1/s", Help: "processes and threads created"},
		{Name: "stat.procs_running", Kind: metric.Gauge, Unit: "1", Help: "runnable threads: running or waiting for a CPU, including the thread that reads the file"},
		{Name: "stat.procs_blocked", Kind: metric.Gauge, Unit: "1", Help: "threads blocked on disk I/O"},
	}
	statMetrics = from("/proc/stat", "proc_stat(5)", append([]metric.Metric{statMode, statBusy}, statCounts...)...)
)

// stat is the source of CPU activity.
type stat struct {
	file    file
	idlers  idlers
	rested  uint64 // of the idlers, moved from nice to idle
	text    proc.Stat
	held    proc.Stat // what is reported: text, without small decreases
	readIt  bool      // whether the last reading succeeded
	online  int       // CPUs at the last reading
	slots   struct{ modes, cpus, rest []telemetry.Slot }
	columns bool // whether the slots exist
}

func openStat(m *machine) (reader, error) {
	return &stat{file: newFile(m.Root, "proc/stat"), idlers: newIdlers(m.Root, m.Idle)}, nil
}

func (s *stat) close() {
	s.file.close()
	s.idlers.close()
}

func (s *stat) readTo(b *telemetry.Board) error {
	s.readIt = false
	text, err := s.file.read()
	if err != nil {
		return err
	}
	if err := s.text.Parse(text); err != nil {
		return fmt.Errorf("%s %w", s.file.path, err)
	}
	s.readIt = true
	s.rested = s.idlers.rest(&s.text)
	s.hold()
	s.bind(b)
	s.put(b)
	return nil
}

// hold updates the held values from the text.
func (s *stat) hold() {
	hold(&s.held.Total, &s.text.Total)
	for len(s.held.CPUs) < len(s.text.CPUs) {
		s.held.CPUs = append(s.held.CPUs, proc.CPUTicks{})
	}
	for i := range s.text.CPUs {
		hold(&s.held.CPUs[i], &s.text.CPUs[i])
	}
}

// bind creates the columns at the first reading, and those of CPUs that appear later.
func (s *stat) bind(b *telemetry.Board) {
	if s.columns {
		s.bindCPUs(b)
		return
	}
	s.columns, s.online = true, s.text.Online()
	for i, mode := range proc.ModeNames {
		s.slots.modes = append(s.slots.modes, b.Column(statMode, mode))
		switch {
		case i >= s.text.Total.Known:
			b.Absent(statMode, "this kernel does not count it", mode)
		case i == proc.ModeIowait && len(s.idlers) > 0:
			b.Absent(statMode, whyAwake, mode)
		}
	}
	s.bindCPUs(b)
	for _, m := range statCounts {
		s.slots.rest = append(s.slots.rest, b.Column(m))
	}
}

func (s *stat) bindCPUs(b *telemetry.Board) {
	for i := len(s.slots.cpus); i < len(s.text.CPUs); i++ {
		s.slots.cpus = append(s.slots.cpus, b.Column(statBusy, strconv.Itoa(i)))
	}
}

func (s *stat) put(b *telemetry.Board) {
	if online := s.text.Online(); online != s.online {
		// The kernel then takes the idle time of that CPU from another clock.
		b.Anew(fmt.Sprintf("the number of online CPUs changed from %d to %d", s.online, online))
		s.online = online
	}
	for i := range s.text.Total.Known {
		if i == proc.ModeIowait && len(s.idlers) > 0 {
			continue
		}
		b.Put(s.slots.modes[i], float64(s.held.Total.Modes[i])/proc.Ticks)
	}
	for i := range s.text.CPUs {
		if s.text.CPUs[i].Known > 0 {
			b.Put(s.slots.cpus[i], float64(s.held.CPUs[i].Busy())/proc.Ticks)
		}
	}
	for i, v := range s.text.Counts {
		if i == runningAt {
			v.N -= min(v.N, uint64(len(s.idlers)))
		}
		if v.There {
			b.Put(s.slots.rest[i], float64(v.N))
		}
	}
}

// used returns how many seconds CPUs were in use since boot, including the threads that
// keep CPUs awake; known is false if the last reading failed.
func (s *stat) used() (seconds float64, known bool) {
	if s == nil || !s.readIt {
		return 0, false
	}
	return float64(s.held.Total.Used()+s.rested) / proc.Ticks, true
}

// forks returns how many processes and threads started since boot.
func (s *stat) forks() (n uint64, known bool) {
	if s == nil || !s.readIt {
		return 0, false
	}
	return s.text.Counts[forksAt].N, s.text.Counts[forksAt].There
}

const forksAt, runningAt = 2, 3 // in statRest

// hold keeps the reported modes of a CPU from decreasing slightly. idle and iowait may go
// back by some ticks (proc_stat(5): "not reliable"), and so may others where the kernel
// accounts time continuously. Treating each decrease as a counter reset would lose a second
// without need; the next growth makes up for the held value. A decrease of a second or more
// is a reset.
func hold(c, now *proc.CPUTicks) {
	for i := range now.Modes {
		if then := c.Modes[i]; now.Known > 0 && then > now.Modes[i] && then-now.Modes[i] < proc.Ticks {
			now.Modes[i] = then
		}
	}
	if now.Known > 0 {
		*c = *now
	}
}

var schedstatMetrics = from("/proc/schedstat", "Documentation/scheduler/sched-stats.rst",
	metric.Metric{Name: "schedstat.run_delay", Kind: metric.Rate, Unit: "s/s",
		Help: "time that runnable threads waited for a CPU, over all CPUs; a wait is counted when it ends"},
)

// schedstat is the source of the time that threads wait for a CPU.
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
	if cpus != s.cpus { // the file lists only CPUs that are online, with all their history
		b.Anew(fmt.Sprintf("the number of online CPUs changed from %d to %d", s.cpus, cpus))
		s.cpus = cpus
	}
	b.Put(s.slot, float64(delay-min(delay, s.idlers.waits()))/1e9)
	return nil
}
