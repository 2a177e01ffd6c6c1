// Package observer observes one machine before, during and after a load: it collects the evidence
// by which the run is judged, and telemetry once a second. The caller passes the servers to query.
// This machine's clock delimits the measured window.
package observer

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"plinth/internal/engine"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
	"plinth/internal/record"
	"plinth/internal/telemetry"
)

// pace is the interval at which the machine and the load generator are read during a run: short
// enough for a window of one second, at a negligible cost.
const pace = 200 * time.Millisecond

// Options selects what a Reader reads.
type Options struct {
	Servers    []Server           // the experiment's running servers
	Beside     map[string]int     // PIDs of processes beside the load, by name
	Idle       []watch.IdleThread // threads that keep CPUs awake
	CPUs       int                // CPUs that plinth may run on
	Neighbours []int              // PIDs of plinth's other processes here, whose children are plinth's, too
	Foreign    []int              // PIDs of the experiment's servers, under load or not, that are not plinth's own; 0 for an unknown one

	Apart bool // the server under load is not plinth's own

	Conditions func() (host.Conditions, error)
	Processes  func() (*watch.Processes, error)
}

// Server is a server of the experiment.
type Server struct {
	Environment string
	Driven      bool // it is the one under load
	Activity    func(context.Context) (engine.Activity, error)
}

// Observer reads the machine around and during one load. A value that cannot be read is a gap and
// does not fail the run.
type Observer struct {
	options Options
	before  reading

	collector *telemetry.Collector // nil with telemetry off

	mu     sync.Mutex   // a driver may start its load generator from any goroutine
	watch  *watch.Watch // of the load generator; nil before its start
	pid    int          // of the load generator
	window time.Time    // start of the measured window; zero until the driver reports it
}

// Begin takes the first reading.
func Begin(ctx context.Context, o Options) *Observer {
	r := &Observer{options: o}
	r.before = r.read(ctx)
	return r
}

// reading holds what is read before and after the load.
type reading struct {
	at            time.Time
	conditions    host.Conditions
	conditionsErr error
	processes     *watch.Processes
	processesErr  error
	servers       []activity // in the order of Options.Servers
}

type activity struct {
	engine.Activity
	err error
}

// Launcher wraps l and watches the first program started, the load generator.
func (r *Observer) Launcher(l launch.Launcher) launch.Launcher { return watching{l, r} }

type watching struct {
	launch.Launcher
	reader *Observer
}

// Start starts a program and watches it if it is the first.
func (w watching) Start(c launch.Command) (launch.Process, error) {
	process, err := w.Launcher.Start(c)
	if err != nil {
		return nil, err
	}
	r := w.reader
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watch == nil {
		r.watch, r.pid = watch.New(process.PID(), pace, r.options.Idle...), process.PID()
	}
	return process, nil
}

// WatchMachine watches the machine alone: the load generator is on another one.
func (r *Observer) WatchMachine() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watch = watch.New(os.Getpid(), pace, r.options.Idle...) // a process of plinth's control group
}

// Generator returns the PID of the load generator; 0 before its start.
func (r *Observer) Generator() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pid
}

// Server returns the PID of the main process of the server under load; 0 if unknown.
func (r *Observer) Server() int {
	for i, s := range r.options.Servers {
		if s.Driven {
			return r.before.servers[i].PID
		}
	}
	return 0
}

// read reads each server, the machine's settings, and all processes.
func (r *Observer) read(ctx context.Context) reading {
	var now reading
	for _, s := range r.options.Servers {
		did, err := s.Activity(ctx)
		now.servers = append(now.servers, activity{did, err})
	}
	now.conditions, now.conditionsErr = r.options.Conditions()
	now.processes, now.processesErr = r.options.Processes()
	now.at = time.Now()
	return now
}

// Stop ends all reading. It may be called twice.
func (r *Observer) Stop() {
	r.StopWatching()
	if r.collector != nil {
		r.collector.Stop()
	}
}

// StopWatching ends the watch over the load generator, which has exited.
func (r *Observer) StopWatching() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watch != nil {
		r.watch.Stop()
	}
}

// Evidence returns what happened between the first reading and now. Begin and end bound the
// measured window.
func (r *Observer) Evidence(ctx context.Context, begin, end time.Time) *record.Evidence {
	after := r.read(ctx)
	e := &record.Evidence{Load: after.at.Sub(r.before.at).Seconds()}
	r.inWindow(e, begin, end)
	r.rest(e, after)
	if err := cmp.Or(r.before.conditionsErr, after.conditionsErr); err != nil {
		gap(e, "changed", err)
	} else {
		e.Changed = r.before.conditions.Changes(after.conditions)
	}
	for i, s := range r.options.Servers {
		server(e, s, r.before.servers[i], after.servers[i])
	}
	return e
}

// Reasons for missing figures.
var (
	errNotOwn       = errors.New("the processes of a server of the experiment are not known here, so they cannot be distinguished from others")
	errNotPermitted = errors.New("only root can read this for every process")
)

func gap(e *record.Evidence, what string, err error) {
	e.Gaps = append(e.Gaps, record.Gap{What: what, Why: err.Error()})
}

// figures maps each gap of a Usage to the names of the missing figures in Evidence.
var figures = map[string][]string{
	"cpu":          {"machine.user_s", "machine.system_s", "machine.idle_s", "machine.iowait_s", "machine.steal_s"},
	"steal":        {"machine.steal_s"},
	"thermal":      {"machine.thermal_events"},
	"throttled":    {"machine.throttled_s"},
	"swap":         {"machine.swapped_in_pages", "machine.swapped_out_pages"},
	"memory_stall": {"machine.memory_stall_s"},
	"process":      {"generator"},
}

// inWindow adds what the machine and the load generator did in the measured window.
func (r *Observer) inWindow(e *record.Evidence, begin, end time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watch == nil {
		return // the driver started no program
	}
	u, err := r.watch.Between(begin, end)
	if err != nil {
		gap(e, "covered_s", err)
		return
	}
	e.Covered = u.Covered.Seconds()
	e.Machine = record.MachineEvidence{
		CPUs: r.options.CPUs, User: u.User, System: u.System, Idle: u.Idle, IOWait: u.IOWait, Steal: u.Steal,
		Throttled: u.Throttled, Thermal: u.Thermal, SwapIn: u.SwapIn, SwapOut: u.SwapOut, MemoryStall: u.MemoryStall,
	}
	if r.pid != 0 {
		e.Generator = record.GeneratorEvidence{
			Covered: u.Process.Covered.Seconds(), Threads: u.Process.Threads, CPU: u.Process.CPU, Waiting: u.Process.Waiting,
		}
	}
	for _, g := range u.Gaps {
		for _, what := range figures[g.What] {
			e.Gaps = append(e.Gaps, record.Gap{What: what, Why: g.Why})
		}
	}
}

// rest adds the usage of processes outside plinth's process trees, which include its servers
// and load generators, and outside those of the experiment's other servers. Those that are not seen
// on this machine may run on it nevertheless.
func (r *Observer) rest(e *record.Evidence, after reading) {
	err := r.before.processesErr
	if after.processesErr != nil {
		err = after.processesErr
	}
	if slices.Contains(r.options.Foreign, 0) {
		err = errNotOwn
	}
	if err != nil {
		gap(e, "machine.others_cpu_s", err)
		gap(e, "machine.others_io_bytes", err)
		return
	}
	ours := slices.Concat(r.options.Neighbours, r.options.Foreign, []int{os.Getpid()})
	others := r.before.processes.Rest(after.processes, ours...)
	e.Machine.Others, e.Machine.OthersIO = others.CPU, others.IO
	if others.IO < 0 {
		e.Machine.OthersIO = 0
		gap(e, "machine.others_io_bytes", errNotPermitted)
	}
}

// server adds the counters of one server.
func server(e *record.Evidence, s Server, before, after activity) {
	what := "neighbours." + s.Environment
	if s.Driven {
		what = "server"
	}
	if err := cmp.Or(before.err, after.err); err != nil {
		gap(e, what, err)
		return
	}
	counts := between(before.Activity, after.Activity)
	if !s.Driven {
		e.Neighbours = append(e.Neighbours, record.NeighbourEvidence{Environment: s.Environment, Counts: counts})
		return
	}
	e.Server = record.ServerEvidence{Counts: counts, Restarted: !before.Started.Equal(after.Started)}
}

// between returns the difference of a server's counters between two readings, plus work in
// progress at the second one. A counter that one of them lacks, or that was reset, is left out.
func between(before, after engine.Activity) map[string]int64 {
	counts := map[string]int64{}
	for name, now := range after.Counts {
		if then, known := before.Counts[name]; known && now >= then {
			counts[name] = now - then + after.Busy[name]
		}
	}
	return counts
}
