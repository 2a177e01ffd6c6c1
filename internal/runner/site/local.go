package site

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"sync"
	"time"

	"plinth/internal/driver"
	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
	"plinth/internal/journal"
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/hosttuning"
	"plinth/internal/runner/observer"
	"plinth/internal/runner/stand"
	"plinth/internal/runner/tuning"
	"plinth/internal/telemetry"
	"plinth/internal/tune"
	"plinth/internal/volume"
)

// Local is the machine that plinth runs on.
type Local struct {
	// Replaced in tests.
	Machine Readers
	Make    func(context.Context, experiment.Environment) (*stand.Stand, error) // makes an environment, without starting it
	Lanes   func(*stand.Stand, *limit.Meter, *observer.Observer) []telemetry.Lane
	Driver  driver.Driver

	experiment *experiment.Experiment // with the tuning resolved
	tuning     *tuning.Tuning
	host       *hosttuning.Host
	sideBySide bool
	facts      host.Facts
	access     map[string]engine.Access

	lock     *journal.Lock // against other experiments
	journal  *journal.Journal
	launcher launch.Launcher
	scratch  string // private directory for pipes
	builder  *stand.Builder
	stage    *stand.Stage
	witness  *witnessed // nil while no fault is expected from elsewhere

	revived []record.Note // on datasets that were loaded again, until the next run of their environment has taken them

	mu  sync.Mutex // a call that its caller gave up can still be in progress
	run *session   // nil between runs
}

// Readers are the functions that read this machine.
type Readers struct {
	Facts      func() (host.Facts, error)
	Conditions func() (host.Conditions, error)
	Processes  func() (*watch.Processes, error)
	Look       tuning.Look
	Clock      func() time.Duration   // wall clock minus monotonic clock
	State      func() (string, error) // the directory of the journal and the lock
	Addresses  func() ([]netip.Addr, error)
}

// NewLocal returns this machine, before anything is done on it.
func NewLocal() *Local {
	l := &Local{
		Machine: Readers{host.ReadFacts, host.ReadConditions, watch.ReadProcesses, host.ReadInventory, host.ClockOffset,
			journal.StateDir, host.Addresses},
		launcher: launch.NewLocal(),
	}
	l.Make = func(ctx context.Context, e experiment.Environment) (*stand.Stand, error) {
		return l.builder.PutUp(ctx, e)
	}
	l.Lanes = l.lanesOf
	return l
}

// Machines describes this machine.
func (l *Local) Machines(context.Context) ([]Machine, error) {
	facts, err := l.Machine.Facts()
	if err != nil {
		return nil, err
	}
	m := Machine{Boot: host.BootID(), Facts: facts, Agent: Agent{PID: os.Getpid(), Namespace: host.PIDNamespace()}}
	if state, err := l.Machine.State(); err == nil {
		m.State, _ = host.Identity(state) // Open reports what is wrong with it
	}
	m.Addresses, err = l.Machine.Addresses()
	return []Machine{m}, err
}

// Adopt makes an experiment the one that is carried out, with its tuning as resolved. SideBySide
// says whether the servers of all environments stay up.
func (l *Local) Adopt(t *tuning.Tuning, sideBySide bool) {
	l.tuning, l.experiment, l.sideBySide = t, t.Experiment, sideBySide
	l.host = hosttuning.New(tune.Kernel{}, t.Requests(tune.Kernel{}))
}

// Open locks the machine against other experiments, which would disturb each other, opens the
// journal, locks the tuning of the machine if it changes, and keeps the CPUs awake if they should be.
func (l *Local) Open(ctx context.Context, o Opening) (Opened, error) {
	var err error
	if l.facts, err = l.Machine.Facts(); err != nil {
		return Opened{}, err
	}
	state, err := l.Machine.State()
	if err != nil {
		return Opened{}, err
	}
	if l.lock, err = journal.TakeLock(journal.ExperimentLock(state), "the experiment "+o.Label, o.By); err != nil {
		return Opened{}, err
	}
	if l.journal, err = journal.Open(state, o.Label); err != nil {
		return Opened{}, err
	}
	if err := l.host.Take(l.journal, state, o.Label); err != nil {
		return Opened{}, err
	}
	if l.scratch, err = volume.PipeDir(l.journal); err != nil {
		return Opened{}, err
	}
	l.access = o.Access
	l.stage = &stand.Stage{SideBySide: l.sideBySide, Host: l.host, Caches: l.experiment.Caches}
	l.builder = stand.NewBuilder(l.tuning, l.journal, l.launcher, l.scratch)
	l.builder.Series = o.Series
	return l.stayAwake(ctx, o)
}

// Scratch returns the private directory for pipes and for the files of a run in progress. Undoing the
// journal removes it.
func (l *Local) Scratch() string { return l.scratch }

// Close ends a run in progress, removes what was put up, and undoes every change. It can be called
// again if ctx ended before everything was undone.
func (l *Local) Close(ctx context.Context) error {
	if run := l.session(); run != nil {
		run.cancel()
	}
	l.leave()
	l.stopWitness(ctx)
	var left error
	if l.stage != nil {
		left = l.stage.Remove(ctx)
	}
	if l.journal != nil {
		left = errors.Join(left, l.journal.PutBack(ctx, engines.Undoers()))
		if left != nil && ctx.Err() != nil {
			return left
		}
		left = errors.Join(left, l.journal.Close())
	}
	if l.lock != nil {
		left = errors.Join(left, l.lock.Release())
	}
	l.lock, l.journal, l.stage = nil, nil, nil
	return left
}
