// Package site carries out, on one machine, what an experiment needs there. A site puts up
// environments, makes each ready for its runs, drives loads, reads the machine meanwhile, and
// puts everything back. The runner keeps the order, the ledger, the verdicts and the record, and
// does not know where a site is.
package site

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"plinth/internal/driver"
	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/watch"
	"plinth/internal/record"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/stand"
)

// A Site is one machine with the roles that it has in an experiment. Telemetry and evidence have
// no interface of their own: each role reads its machine by that machine's clock and returns the
// readings with its result, so that a run costs three calls in sequence.
type Site interface {
	Stand
	Generator

	// Machines describes the machines. There is one, unless the site stands for several.
	Machines(ctx context.Context) ([]Machine, error)

	// Open takes the machine for the experiment: its journal and its locks. Nothing may be put up
	// or driven before.
	Open(ctx context.Context, o Opening) (Opened, error)

	// Close removes what was put up, undoes every change, and continues after a failure.
	Close(ctx context.Context) error
}

// A Stand puts up the environments of one machine, makes each ready for its runs, and checks it
// afterwards.
type Stand interface {
	// Foresee resolves the tuning of the experiment's environments for this machine, predicts what
	// they need, and finds what would stop them later. It changes nothing. If a check fails, the
	// preview is complete nevertheless.
	Foresee(ctx context.Context, p Plan) (Foreseen, error)

	// SettleRates chooses the rates of all emulated devices: the given ones, or those that this
	// machine can emulate. It returns lines for the user, too.
	SettleRates(ctx context.Context, given *stand.Rates) (stand.Rates, []string, error)

	// PutUp creates an environment, loads its dataset, and describes what is really under test.
	PutUp(ctx context.Context, environment string, report func(Step)) (record.Environment, error)

	// Inventories describes the machines in detail, once all environments are up.
	Inventories(ctx context.Context) ([]Inventory, []record.Note, error)

	// Reload loads the dataset of an environment again.
	Reload(ctx context.Context, environment string, report func(Step)) error

	// Ready makes an environment ready for a run, or a machine ready to drive the load, and starts what runs beside the load. End must
	// follow, unless it returns an error or ctx is done. The error is a *Failure; the result then
	// holds the phases so far.
	Ready(ctx context.Context, o Order) (Ready, error)

	// Begun reports when the measured window of the run began, by this machine's clock. It may be
	// called from any goroutine between Ready and End.
	Begun(window time.Time)

	// Watch returns an error as soon as the server cannot answer the load any more although its
	// connections stay open; nil when ctx is done.
	Watch(ctx context.Context) error

	// End ends the run: it reads the machine, stops what ran beside the load, checks the server,
	// and writes out its dirty data. The error is a *Failure; the result then holds what was read.
	End(ctx context.Context, e Ending) (Account, error)

	// Revive restarts the server after a failed run, so that the next run starts from the same
	// state as any other.
	Revive(ctx context.Context, environment string) error

	// Inject injects the experiment's fault into an environment. The result is complete if it has
	// acknowledged writes, even with an error.
	Inject(ctx context.Context, environment string, at time.Duration) (record.Injection, error)
}

// A Generator drives the load of one run.
type Generator interface {
	// Drive drives a run and returns what was measured. The site adds the experiment and its own
	// scratch directory to the job.
	Drive(ctx context.Context, job driver.Job) (*driver.Outcome, error)
}

// A Machine is a machine of the experiment.
type Machine struct {
	At    string // as in the experiment file; empty for the machine that plinth was started on
	Boot  string // of its kernel: two containers of one host have the same; empty if unknown
	State string // identity of the directory of journals on that kernel; empty if unknown
	Facts host.Facts

	Addresses []netip.Addr // under which other machines can reach it
	Agent     Agent
}

// An Agent is the plinth that is on a machine, as processes of its namespace see it.
type Agent struct {
	PID       int
	Namespace string             // of its process IDs; empty if unknown
	Idle      []watch.IdleThread // of it, which keep the CPUs awake
}

// Sees reports whether the IDs of one agent's processes mean the same to the other.
func (a Agent) Sees(other Agent) bool { return a.Namespace != "" && a.Namespace == other.Namespace }

// Near reports whether two agents are on one kernel. If the namespace of one holds that of the other, as
// on a container's host, it sees the processes of the other, with other IDs.
func (a Agent) Near(other Agent) bool {
	boot, _, known := strings.Cut(a.Namespace, " ")
	otherBoot, _, _ := strings.Cut(other.Namespace, " ")
	return known && boot == otherBoot
}

// An Inventory is the detailed description of a machine.
type Inventory struct {
	At        string
	Inventory host.Inventory
}

// A Plan is the experiment that a site checks in advance.
type Plan struct {
	Experiment *experiment.Experiment
	// SideBySide is how a resumed experiment began; nil for a new one. False also means that other
	// agents leave no memory for all servers at the same time.
	SideBySide *bool
	// Resumed is nil for a new experiment.
	Resumed *Resumed
}

// Resumed says how an experiment began that is resumed.
type Resumed struct {
	LeftOut []string // the environments that were left out
}

// Foreseen is the result of checking an experiment in advance.
type Foreseen struct {
	Experiment *experiment.Experiment // as carried out here, with the tuning resolved
	Preview    preview.Preview
}

// Opening says how a site is taken.
type Opening struct {
	Record  string // the name of the record
	Resumed bool   // the record has been begun by an earlier plinth
	Label   string // of the journal
	By      string // who started the experiment, and where
	Series  string // as in stand.Builder
	// Awake says whether a resumed experiment keeps the CPUs awake; nil for a new one.
	Awake *bool
	// Access says, by environment, how load generators on other machines reach its server.
	Access map[string]engine.Access
	// Neighbours are the other agents of the experiment that this one may see.
	Neighbours []Agent
}

// Opened is the result of taking a site.
type Opened struct {
	Awake bool               // the CPUs are kept awake
	Idle  []watch.IdleThread // by these threads; none if a neighbour does it
	Said  []string           // lines for the user
	Notes []record.Note
}

// A Step is the progress of putting up an environment.
type Step struct {
	Name   string          // "creating", "loading"
	Detail string          // "the data volume"
	Load   engine.Progress // of a dataset
}

// An Order is one run, as a machine sees it.
type Order struct {
	Environment string        // empty on a machine that only drives the load
	Apart       bool          // no load generator of the run is on the environment's machine
	Target      engine.Target // on a machine that only drives the load: what it drives
	Neighbours  []Agent       // as in Opening, with the threads of those that were opened later
}

// Ready is an environment that is ready for a load.
type Ready struct {
	Phases       record.Phases // those before the load
	Calibrations []record.Calibration
	Target       engine.Target

	// RoundTrip is how long a connection to the server took from a machine that only drives the load.
	RoundTrip time.Duration
}

// Ending is the end of a load.
type Ending struct {
	Begin, End time.Time // the measured window, by this machine's clock
	Seconds    []float64 // of the points; the telemetry has the same
	Failed     bool      // the load failed, and there are no points
}

// An Account holds what a stand did and read during a run.
type Account struct {
	Evidence        *record.Evidence
	Columns         []record.Column // of the telemetry, second by second; nil without telemetry
	Telemetry       *record.Telemetry
	Remains         record.Points // of a failed load: the telemetry until its end
	Calibrations    []record.Calibration
	Pressure        *record.Pressure
	Network         *record.Network       // of a machine that only drove the load
	Generators      []record.GeneratorRun // of a site of several machines
	Problems        []record.Note         // what makes the run invalid
	Warnings        []record.Note
	Credits         *record.CreditsSpent
	Events          []record.Event
	Relations       *record.Relations // the statistics of the server's tables and indexes; nil if it has none
	PlinthCPU       float64           // CPU seconds of plinth itself during the load
	CheckpointAfter float64           // seconds
}

// Failure is the reason why a run did not complete.
type Failure struct {
	Rule string // "server", "driver", "clock", "prepare", …
	Err  error
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// Note returns the failure as a note of a run.
func (f *Failure) Note() record.Note {
	return record.Note{Rule: f.Rule, Text: f.Err.Error(), Hint: hint.Of(f.Err)}
}

// failed returns an error, so that a nil failure cannot become an error that is not nil.
func failed(rule string, err error) error { return &Failure{rule, err} }

// clockStep returns an error if the wall clock moved against the monotonic one by more than the
// tolerance: 20 ms for the reading itself plus 0.1 %, which covers NTP slewing (at most 500 ppm).
func clockStep(moved, during time.Duration) error {
	allowed := 20*time.Millisecond + during/1000
	if moved > allowed || moved < -allowed {
		return failed("clock", fmt.Errorf("the clock was stepped by %v during the run", moved))
	}
	return nil
}
