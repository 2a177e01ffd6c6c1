// Package agent makes the site of another machine available: the agent there serves its own
// machine's site over one pair of byte streams, and the client here is that site for the runner.
package agent

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/driver"
	"plinth/internal/engine"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner/site"
	"plinth/internal/unit"
	"plinth/internal/wire"
)

// closeLimit bounds the time that undoing everything may take once the caller is gone.
const closeLimit = 2 * time.Minute

// Options of an agent and its client. Both ends need the same version.
type Options struct {
	Name    string // of the agent's machine, for the client's messages
	Clean   string // the command that undoes what a killed agent left behind, for the client's messages
	Version string

	// Ahead is added to the clock of the agent's machine, in tests: machines in namespaces have one clock.
	// It may be nil.
	Ahead func() time.Duration
}

func (o Options) wire() wire.Options {
	return wire.Options{Version: o.Version, Result: mostResult, Kinds: []wire.Kind{
		kind("mistake", func(err error) *engine.MistakeError { return &engine.MistakeError{Err: err} }),
		kind("put-back", putBackError),
		kind("input", func(err error) *site.InputError { return &site.InputError{Err: err} }),
	}}
}

// putBackError returns the agent's error as one of the caller's, which adds its own words again.
func putBackError(err error) *site.PutBackError {
	cause := errors.New(strings.TrimPrefix(err.Error(), (&site.PutBackError{Err: errors.New("")}).Error()))
	return &site.PutBackError{Err: hint.Wrap(cause, hint.Of(err))}
}

// mostResult is enough for the telemetry of a run of five days: 250 columns, second by second.
const mostResult = unit.GiB

// kind is a kind of error that is a type.
func kind[E error](name string, wrap func(error) E) wire.Kind {
	return wire.Kind{
		Name: name,
		Is:   func(err error) bool { var e E; return errors.As(err, &e) },
		Wrap: func(err error) error { return wrap(err) },
	}
}

// Serve serves a site until the caller closes the connection, which is no error. When the
// connection ends, for whatever reason, everything that was put up is removed and every change
// undone.
func Serve(ctx context.Context, s site.Site, rw io.ReadWriteCloser, o Options) error {
	a := &server{site: s, load: make(chan struct{}, 1), ahead: o.Ahead}
	a.interrupted, a.interrupt = context.WithCancel(context.Background())
	defer a.interrupt()
	if a.ahead == nil {
		a.ahead = func() time.Duration { return 0 }
	}
	var w wire.Server
	a.handle(&w)
	err := w.Serve(ctx, rw, o.wire())
	undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	if left := a.close(undo); left != nil {
		return errors.Join(&site.PutBackError{Err: left}, err)
	}
	return err
}

// server serves one site to one caller.
type server struct {
	site  site.Site
	ahead func() time.Duration

	// Closing waits for the calls in progress, which their caller has given up: a cancelled call
	// returns before its handler does. No call begins afterwards.
	calls          sync.RWMutex
	opened, closed bool

	// A load that its caller has given up ends before the next step of its run begins.
	load chan struct{}

	// A command in progress is interrupted when this context ends.
	interrupted context.Context
	interrupt   context.CancelFunc
}

// errClosed reports a call after everything was undone.
var errClosed = errors.New("everything on this machine has been undone already")

// afterLoad waits for the end of a load in progress. The result lets the next one begin.
func (a *server) afterLoad(ctx context.Context) (done func(), err error) {
	select {
	case a.load <- struct{}{}:
		return func() { <-a.load }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// next handles a method that begins once the load in progress has ended.
func next[In, Event, Out any](a *server, w *wire.Server, m wire.Method[In, Event, Out], f func(context.Context, In, func(Event)) (Out, error)) {
	serve(a, w, m, func(ctx context.Context, in In, send func(Event)) (out Out, err error) {
		done, err := a.afterLoad(ctx)
		if err != nil {
			return out, err
		}
		defer done()
		return f(ctx, in, send)
	})
}

// serve handles a method, unless the site is being closed.
func serve[In, Event, Out any](a *server, w *wire.Server, m wire.Method[In, Event, Out], f func(context.Context, In, func(Event)) (Out, error)) {
	m.Handle(w, func(ctx context.Context, in In, send func(Event)) (Out, error) {
		a.calls.RLock()
		defer a.calls.RUnlock()
		if err := ctx.Err(); err != nil || a.closed {
			return *new(Out), cmp.Or(err, errClosed)
		}
		return f(ctx, in, send)
	})
}

func (a *server) handle(w *wire.Server) {
	s := a.site
	serve(a, w, methodFollow, func(ctx context.Context, before Process, _ func(none)) (Process, error) { return follow(ctx, before) })
	serve(a, w, methodMachines, func(ctx context.Context, _ none, _ func(none)) ([]site.Machine, error) { return s.Machines(ctx) })
	serve(a, w, methodForesee, func(ctx context.Context, p site.Plan, _ func(none)) (foreseen, error) {
		f, err := s.Foresee(ctx, p)
		if ctx.Err() != nil {
			return foreseen{}, ctx.Err()
		}
		return foreseen{f, p.Experiment, problemOf(err)}, nil
	})
	methodOpen.Handle(w, a.open)
	serve(a, w, methodRates, func(ctx context.Context, in ratesGiven, _ func(none)) (rates, error) {
		r, said, err := s.SettleRates(ctx, in.Rates)
		return rates{r, said}, err
	})
	serve(a, w, methodPutUp, func(ctx context.Context, environment string, send func(site.Step)) (record.Environment, error) {
		return s.PutUp(ctx, environment, send)
	})
	serve(a, w, methodInventory, func(ctx context.Context, _ none, _ func(none)) (inventories, error) {
		all, notes, err := s.Inventories(ctx)
		return inventories{all, notes}, err
	})
	serve(a, w, methodReload, func(ctx context.Context, environment string, send func(site.Step)) (none, error) {
		return none{}, s.Reload(ctx, environment, send)
	})
	serve(a, w, methodClock, func(context.Context, none, func(none)) (time.Time, error) { return time.Now().Add(a.ahead()), nil })
	next(a, w, methodReady, func(ctx context.Context, o site.Order, _ func(none)) (outcomeOf[site.Ready], error) {
		ready, err := s.Ready(ctx, o)
		return outcomeOf[site.Ready]{ready, problemOf(err)}, ctx.Err()
	})
	serve(a, w, methodBegun, func(_ context.Context, window time.Time, _ func(none)) (none, error) {
		s.Begun(a.own(window))
		return none{}, nil
	})
	serve(a, w, methodWatch, func(ctx context.Context, _ none, _ func(none)) (none, error) { return none{}, s.Watch(ctx) })
	next(a, w, methodDrive, a.drive)
	next(a, w, methodEnd, func(ctx context.Context, e site.Ending, _ func(none)) (outcomeOf[site.Account], error) {
		e.Begin, e.End = a.own(e.Begin), a.own(e.End)
		account, err := s.End(ctx, e)
		return outcomeOf[site.Account]{account, problemOf(err)}, ctx.Err()
	})
	next(a, w, methodRevive, func(ctx context.Context, environment string, _ func(none)) (none, error) {
		return none{}, s.Revive(ctx, environment)
	})
	a.handleFaults(w)
	serve(a, w, methodView, func(_ context.Context, in inPod, _ func(none)) (host.PodView, error) {
		return host.ViewPod("/proc", in.Pod, in.Programs)
	})
	serve(a, w, methodClean, func(ctx context.Context, in cleaning, say func(string)) (none, error) {
		return none{}, site.Clean(ctx, say, in.Forget)
	})
	serve(a, w, methodCommand, a.command)
	serve(a, w, methodInterrupt, func(context.Context, none, func(none)) (none, error) {
		a.interrupt()
		return none{}, nil
	})
	methodClose.Handle(w, func(ctx context.Context, _ none, _ func(none)) (none, error) { return none{}, a.close(ctx) })
}

// open undoes what an earlier plinth left behind on this machine, and takes the machine.
func (a *server) open(ctx context.Context, o site.Opening, say func(string)) (site.Opened, error) {
	a.calls.Lock()
	defer a.calls.Unlock()
	if err := ctx.Err(); err != nil || a.closed {
		return site.Opened{}, cmp.Or(err, errClosed)
	}
	if err := site.Clean(ctx, say, false); err != nil {
		say("warning: " + conninfo.Redact(err.Error()))
	}
	a.opened = true // also if Open fails: the journal may exist
	return a.site.Open(ctx, o)
}

// close undoes everything once. A failed attempt can be repeated.
func (a *server) close(ctx context.Context) error {
	a.calls.Lock()
	defer a.calls.Unlock()
	if !a.opened {
		return nil
	}
	a.closed = true
	err := a.site.Close(ctx)
	a.opened = err != nil
	return err
}

// drive drives a load, and sends the files of the run after it.
func (a *server) drive(ctx context.Context, j job, send func(driving)) (driven, error) {
	keep, err := newSpool(a.site)
	if err != nil {
		return driven{}, err
	}
	defer keep.remove()
	outcome, err := a.site.Drive(ctx, driver.Job{
		Workload: j.Workload, Cell: j.Cell, Conninfo: j.Conninfo, Env: j.Env, Keep: keep,
		Window: a.own(j.Window), Transactions: j.Transactions,
		Live: func(p record.Point) { send(driving{Point: &p}) },
		Begun: func(window time.Time) {
			window = a.shown(window)
			send(driving{Begun: &window})
		},
	})
	if ctx.Err() != nil {
		return driven{}, ctx.Err()
	}
	if e := keep.send(func(c chunk) { send(driving{File: &c}) }); e != nil {
		return driven{}, e
	}
	if err != nil {
		return driven{Failure: problemOf(err)}, nil
	}
	return driven{Driver: outcome.Driver, Result: outcome.Result, Points: outcome.Points, Begin: a.shown(outcome.Begin), End: a.shown(outcome.End),
		KeyReads: outcome.KeyReads, Problems: outcome.Problems, Warnings: outcome.Warnings}, nil
}

// own returns a time of the agent's clock as the site knows it, and shown the reverse. They are equal,
// except in tests.
func (a *server) own(t time.Time) time.Time   { return later(t, -a.ahead()) }
func (a *server) shown(t time.Time) time.Time { return later(t, a.ahead()) }

func later(t time.Time, by time.Duration) time.Time {
	if t.IsZero() || by == 0 {
		return t
	}
	return t.Add(by)
}

// problemOf returns an error as data; nil for nil.
func problemOf(err error) *problem {
	if err == nil {
		return nil
	}
	p := &problem{Text: err.Error(), Hint: hint.Of(err), Input: errors.As(err, new(*site.InputError))}
	if failure := new(site.Failure); errors.As(err, &failure) {
		p.Rule = failure.Rule
	}
	return p
}

// err returns the error; nil for nil.
func (p *problem) err() error {
	if p == nil {
		return nil
	}
	err := errors.New(p.Text)
	if p.Hint != "" {
		err = hint.Wrap(err, p.Hint)
	}
	switch {
	case p.Input:
		return &site.InputError{Err: err}
	case p.Rule != "":
		return &site.Failure{Rule: p.Rule, Err: err}
	}
	return err
}
