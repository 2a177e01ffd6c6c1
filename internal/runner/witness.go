package runner

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"plinth/internal/engine"
	"plinth/internal/host"
	"plinth/internal/record"
)

// pace is how often the machine and the load generator are read during a run:
// often enough to meet a window of a second, at a cost that cannot be seen.
const pace = 200 * time.Millisecond

// witness gathers the evidence of one run: readings around the load, and of the
// load generator while it runs. What cannot be read is a gap, and costs no run.
type witness struct {
	host.Launcher // starts the load generator, and then watches it

	stage      *stage
	driven     *place
	company    map[string]int // processes beside the load, by name
	idle       []host.IdleThread
	cpus       int // that plinth may run on
	conditions func() (host.Conditions, error)
	processes  func() (*host.Processes, error)

	before reading
	mu     sync.Mutex // a driver may start its generator from anywhere
	watch  *host.Watch
	pid    int // of the load generator; 0 before it is started
}

// reading is all that is read before and after the load.
type reading struct {
	at            time.Time
	conditions    host.Conditions
	conditionsErr error
	processes     *host.Processes
	processesErr  error
	servers       map[*place]engine.Activity
	serverErrs    map[*place]error
}

func (r *Runner) newWitness(ctx context.Context, p *place) *witness {
	w := &witness{Launcher: r.launcher, stage: r.stage, driven: p, idle: r.ground.IdleThreads(), cpus: r.summary.Machine.CPUs, conditions: r.conditions, processes: r.processes}
	w.before = w.read(ctx)
	return w
}

// Start starts a program and watches it.
func (w *witness) Start(c host.Command) (host.Process, error) {
	process, err := w.Launcher.Start(c)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watch == nil {
		w.watch, w.pid = host.NewWatch(process.PID(), pace, w.idle...), process.PID()
	}
	return process, nil
}

// generator is the process of the load generator; 0 while there is none.
func (w *witness) generator() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pid
}

// read reads the machine's settings, all processes, and each server that is up.
func (w *witness) read(ctx context.Context) reading {
	r := reading{servers: map[*place]engine.Activity{}, serverErrs: map[*place]error{}}
	for _, p := range w.stage.places {
		if !w.stage.sideBySide && p != w.driven {
			continue // its server is down
		}
		if activity, err := p.server.Activity(ctx); err != nil {
			r.serverErrs[p] = err
		} else {
			r.servers[p] = activity
		}
	}
	r.conditions, r.conditionsErr = w.conditions()
	r.processes, r.processesErr = w.processes()
	r.at = time.Now()
	return r
}

// stop ends the watch over the load generator.
func (w *witness) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watch != nil {
		w.watch.Stop()
	}
}

// evidence is what was seen between the first reading and now. Begin and end are
// the measured window.
func (w *witness) evidence(ctx context.Context, begin, end time.Time) *record.Evidence {
	after := w.read(ctx)
	e := &record.Evidence{Load: after.at.Sub(w.before.at).Seconds()}
	w.window(e, begin, end)
	w.rest(e, after)
	w.changes(e, after)
	for _, p := range w.stage.places {
		if w.stage.sideBySide || p == w.driven {
			w.server(e, p, after)
		}
	}
	return e
}

// Why a figure is missing.
var (
	errNotOwn       = errors.New("a server of the experiment is not plinth's own, so its processes cannot be told from others")
	errNotPermitted = errors.New("only root may read it of all processes")
)

func gap(e *record.Evidence, what string, err error) {
	e.Gaps = append(e.Gaps, record.Gap{What: what, Why: err.Error()})
}

// figures are the names in Evidence of what a Usage may lack.
var figures = map[string][]string{
	"cpu":          {"machine.user_s", "machine.system_s", "machine.idle_s", "machine.iowait_s", "machine.steal_s"},
	"steal":        {"machine.steal_s"},
	"thermal":      {"machine.thermal_events"},
	"throttled":    {"machine.throttled_s"},
	"swap":         {"machine.swapped_in_pages", "machine.swapped_out_pages"},
	"memory_stall": {"machine.memory_stall_s"},
	"process":      {"generator"},
}

// window enters what the machine and the load generator did in the window.
func (w *witness) window(e *record.Evidence, begin, end time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watch == nil {
		return // the driver started no program
	}
	u, err := w.watch.Between(begin, end)
	if err != nil {
		gap(e, "covered_s", err)
		return
	}
	e.Covered = u.Covered.Seconds()
	e.Machine = record.MachineEvidence{
		CPUs: w.cpus, User: u.User, System: u.System, Idle: u.Idle, IOWait: u.IOWait, Steal: u.Steal,
		Throttled: u.Throttled, Thermal: u.Thermal, SwapIn: u.SwapIn, SwapOut: u.SwapOut, MemoryStall: u.MemoryStall,
	}
	e.Generator = record.GeneratorEvidence{
		Covered: u.Process.Covered.Seconds(), Threads: u.Process.Threads, CPU: u.Process.CPU, Waiting: u.Process.Waiting,
	}
	for _, g := range u.Gaps {
		for _, what := range figures[g.What] {
			e.Gaps = append(e.Gaps, record.Gap{What: what, Why: g.Why})
		}
	}
}

// rest enters what processes used that are none of plinth's: servers and load
// generators are its descendants. Where a server is not plinth's own, nobody can
// tell its processes from others.
func (w *witness) rest(e *record.Evidence, after reading) {
	err := w.before.processesErr
	if after.processesErr != nil {
		err = after.processesErr
	}
	for _, p := range w.stage.places {
		if p.described.Kind != "own" {
			err = errNotOwn
		}
	}
	if err != nil {
		gap(e, "machine.others_cpu_s", err)
		gap(e, "machine.others_io_bytes", err)
		return
	}
	others := w.before.processes.Rest(after.processes, os.Getpid())
	e.Machine.Others, e.Machine.OthersIO = others.CPU, others.IO
	if others.IO < 0 {
		e.Machine.OthersIO = 0
		gap(e, "machine.others_io_bytes", errNotPermitted)
	}
}

func (w *witness) changes(e *record.Evidence, after reading) {
	for _, err := range []error{w.before.conditionsErr, after.conditionsErr} {
		if err != nil {
			gap(e, "changed", err)
			return
		}
	}
	e.Changed = w.before.conditions.Changes(after.conditions)
}

// server enters what a server did by itself.
func (w *witness) server(e *record.Evidence, p *place, after reading) {
	what := "neighbours." + p.environment.Name
	if p == w.driven {
		what = "server"
	}
	for _, err := range []error{w.before.serverErrs[p], after.serverErrs[p]} {
		if err != nil {
			gap(e, what, err)
			return
		}
	}
	a, b := w.before.servers[p], after.servers[p]
	if p != w.driven {
		e.Neighbours = append(e.Neighbours, record.NeighbourEvidence{Environment: p.environment.Name, Counts: between(a, b)})
		return
	}
	e.Server = record.ServerEvidence{Counts: between(a, b), Restarted: !a.Started.Equal(b.Started)}
}

// between is what a server did between two readings: what ended, and what was going
// on at the second. A counter that one of them lacks, or that was set back, is not
// known.
func between(before, after engine.Activity) map[string]int64 {
	counts := map[string]int64{}
	for name, now := range after.Counts {
		if then, told := before.Counts[name]; told && now >= then {
			counts[name] = now - then + after.Busy[name]
		}
	}
	return counts
}
