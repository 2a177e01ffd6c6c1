package site

import (
	"context"
	"errors"
	"slices"
	"time"

	"plinth/internal/host"
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/observer"
	"plinth/internal/runner/stand"
	"plinth/internal/telemetry"
	"plinth/internal/telemetry/credit"
	"plinth/internal/telemetry/emulated"
)

// session is one run between Ready and End.
type session struct {
	stand      *stand.Stand       // nil on a machine that only drives the load
	cancel     context.CancelFunc // of everything that runs beside the load
	background *background
	read       *observer.Observer
	network    *network // on a machine that only drives the load

	relations []byte        // what the server said of its tables and indexes before the load; nil if nothing
	notes     []record.Note // on that

	clock time.Duration // at the beginning of the load
	cpu   time.Duration
	began time.Time
}

// Ready resets the dataset, writes out dirty data, settles, and verifies the emulated devices.
func (l *Local) Ready(ctx context.Context, o Order) (Ready, error) {
	var ready Ready
	l.leave() // a run that was given up, because another machine was not ready
	if o.Environment == "" {
		trip, err := l.readyToDrive(ctx, o)
		return Ready{RoundTrip: trip}, err
	}
	s := l.stage.Stand(o.Environment)
	phases := &ready.Phases
	switched, err := l.stage.Enter(ctx, s)
	phases.Switch = switched.Seconds()
	phases.Switched, l.stage.Switched = l.stage.Switched, nil
	if err != nil {
		return ready, failed("server", err)
	}
	for _, phase := range []struct {
		seconds *float64
		do      func() error
	}{
		{&phases.Reset, func() error { return l.reset(ctx, s) }},
		{&phases.Checkpoint, func() error { return s.Checkpoint(ctx) }},
		{&phases.Settle, func() error { return host.Sleep(ctx, l.experiment.Settle.Std()) }},
		{&phases.Calibration, func() (err error) { ready.Calibrations, err = s.Rehearse(ctx); return err }},
	} {
		began := time.Now()
		err := phase.do()
		*phase.seconds = time.Since(began).Seconds()
		if err != nil {
			return ready, l.blame(ctx, s, failed("prepare", err))
		}
	}
	relations, notes := l.readRelations(ctx, s)
	if err := l.begin(ctx, s, o, ready.Calibrations); err != nil {
		return ready, l.blame(ctx, s, err)
	}
	if run := l.session(); run != nil {
		run.relations, run.notes = relations, notes
	}
	ready.Target = s.Server.Target()
	return ready, nil
}

// begin starts what runs beside the load, and the reading of the machine.
func (l *Local) begin(ctx context.Context, s *stand.Stand, o Order, proofs []record.Calibration) error {
	beside, cancel := context.WithCancel(context.WithoutCancel(ctx)) // ctx ends with the call of Ready
	defer context.AfterFunc(ctx, cancel)()
	background, err := l.startBackground(beside, s)
	if err != nil {
		cancel()
		return err
	}
	background.proofs = proofs
	run := &session{stand: s, cancel: cancel, background: background,
		read:  l.read(beside, s, o.Neighbours, background.processes(beside, s), background.meter),
		clock: l.Machine.Clock(), cpu: host.CPUTime(), began: time.Now()}
	if o.Apart {
		run.read.WatchMachine()
	}
	l.enter(run)
	return nil
}

func (l *Local) enter(run *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.run = run
}

// session returns the run in progress; nil between runs.
func (l *Local) session() *session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.run
}

// reset resets the dataset. While it is reloaded, emulated devices add no delays.
func (l *Local) reset(ctx context.Context, s *stand.Stand) error {
	do := func() error { return s.Server.Reset(ctx, l.experiment.Reset) }
	if l.experiment.Reset != "reload" {
		return do()
	}
	return s.Freely(ctx, do)
}

// Begun aligns the telemetry with the measured window, and starts the clock of the events.
func (l *Local) Begun(window time.Time) {
	if run := l.session(); run != nil {
		run.read.Begun(window)
		run.background.begun(window)
	}
}

// End reads what happened during the load. The first failure explains all later ones, so it is
// returned; what was read until then is in the result.
func (l *Local) End(ctx context.Context, e Ending) (Account, error) {
	run := l.session()
	if run == nil {
		return Account{}, failed("server", errors.New("no run is in progress"))
	}
	defer context.AfterFunc(ctx, run.cancel)() // an event in progress ends with a cancelled call
	defer l.leave()
	if run.stand == nil {
		return l.endDriving(ctx, run, e)
	}
	account := Account{PlinthCPU: (host.CPUTime() - run.cpu).Seconds()}
	stepped := clockStep(l.Machine.Clock()-run.clock, time.Since(run.began))
	if e.Failed {
		account.Remains, account.Telemetry = run.read.Remains(l.experiment.Warmup.Std())
		return account, l.blame(ctx, run.stand, stepped)
	}
	run.read.StopWatching()
	if err := run.background.end(ctx, &account); err != nil {
		return account, l.blame(ctx, run.stand, err)
	}
	account.Columns, account.Telemetry = run.read.Columns(e.Begin, e.Seconds)
	account.Evidence = run.read.Evidence(ctx, e.Begin, e.End)
	if stepped != nil {
		return account, l.blame(ctx, run.stand, stepped)
	}
	if err := l.settle(ctx, run.stand, &account); err != nil {
		return account, err
	}
	l.keepRelations(ctx, run, &account)
	name := run.stand.Environment.Name
	l.revived = slices.DeleteFunc(l.revived, func(n record.Note) bool {
		if n.Environment != name {
			return false
		}
		account.Warnings = append(account.Warnings, n)
		return true
	})
	return account, nil
}

// settle checks a server after a load and writes out its dirty data.
func (l *Local) settle(ctx context.Context, s *stand.Stand, account *Account) error {
	if err := s.Check(ctx); err != nil {
		return l.blame(ctx, s, failed("server", err))
	}
	if err := l.host.InForce(ctx); err != nil {
		return failed("tuning", err)
	}
	began := time.Now()
	err := s.Freely(ctx, func() error { return s.Server.Checkpoint(ctx) })
	account.CheckpointAfter = time.Since(began).Seconds()
	if err != nil {
		return l.blame(ctx, s, failed("server", err))
	}
	return nil
}

// leave stops everything that runs beside a load. Nothing happens between runs.
func (l *Local) leave() {
	run := l.session()
	if run == nil {
		return
	}
	_ = run.network.end()
	run.background.leave() // an event that has begun is completed: left half done, it would disturb the next run
	run.read.Stop()
	run.cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.run = nil
}

// lanesOf returns the telemetry lanes of this machine and of the server under load.
func (l *Local) lanesOf(s *stand.Stand, meter *limit.Meter, read *observer.Observer) []telemetry.Lane {
	lanes := []telemetry.Lane{read.Machine(record.Devices(s.Described.AllVolumes()))}
	if devices := s.Watched(); len(devices) > 0 {
		lanes = append(lanes, emulated.Lane(devices))
	}
	if meter != nil {
		lanes = append(lanes, credit.Lane(meter))
	}
	if lane, there := engines.Of(l.experiment).Lane(s.Server); there {
		lanes = append(lanes, lane)
	}
	return lanes
}

// read starts reading the machine and its servers; with telemetry enabled for the environment,
// also once a second.
func (l *Local) read(ctx context.Context, s *stand.Stand, neighbours []Agent, beside map[string]int, meter *limit.Meter) *observer.Observer {
	o := l.observing(s, neighbours)
	o.Beside = beside
	read := observer.Begin(ctx, o)
	if l.experiment.TelemetryOf(s.Environment) != "off" {
		read.Observe(ctx, l.Lanes(s, meter, read)...)
	}
	return read
}

// observing returns how this machine is read while a server is driven; nil if it is on another machine.
func (l *Local) observing(driven *stand.Stand, neighbours []Agent) observer.Options {
	o := observer.Options{Idle: slices.Concat(l.host.IdleThreads(), idleOf(neighbours)),
		CPUs: l.facts.CPUs, Apart: driven != nil && driven.Described.Kind != "own", Conditions: l.Machine.Conditions, Processes: l.Machine.Processes}
	for _, n := range neighbours {
		o.Neighbours = append(o.Neighbours, host.PIDHere(n.Namespace, n.PID))
	}
	for _, s := range l.stage.Stands {
		if s.Described.Kind != "own" { // it may run here while another server is driven
			o.Foreign = append(o.Foreign, s.PID())
		}
		if l.stage.SideBySide || s == driven { // otherwise its server is down
			o.Servers = append(o.Servers, observer.Server{Environment: s.Environment.Name, Driven: s == driven, Activity: s.Server.Activity})
		}
	}
	return o
}
