package site

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/record"
	"plinth/internal/runner/fault"
	"plinth/internal/runner/stand"
)

// Inject injects the experiment's fault into an environment while it acknowledges numbered writes.
func (l *Local) Inject(ctx context.Context, environment string, at time.Duration) (record.Injection, error) {
	s := l.stage.Stand(environment)
	if _, err := l.stage.Enter(ctx, s); err != nil {
		return record.Injection{}, err
	}
	asked := l.experiment.Durability.In(s.Environment)
	injected, err := fault.Inject(ctx, s, asked, at)
	if err != nil {
		return injected, fmt.Errorf("cannot determine what a %s loses: %w", asked.Fault, err)
	}
	return injected, nil
}

// A Witness is the site of an existing server into which a fault is injected from elsewhere, such as by
// the API of a cluster.
type Witness interface {
	// Write begins numbered writes to the server of an environment, which go on through a fault.
	Write(ctx context.Context, environment string) error

	// Resumed waits until the connections that were open at a fault have failed, and writes are
	// acknowledged again over others. The fault's time is by this machine's clock.
	Resumed(ctx context.Context, fault time.Time) error

	// Count ends the writes, and counts those that are lost. Broke says why the server has not come back,
	// or is empty.
	Count(ctx context.Context, broke string) (record.Injection, error)
}

// witnessed is the numbered writes in progress, and the server to which they go.
type witnessed struct {
	engine.Witness
	server engine.Server
}

// Write begins numbered writes to the server of an environment. Those of an earlier fault end.
func (l *Local) Write(ctx context.Context, environment string) error {
	s := l.stage.Stand(environment)
	if _, err := l.stage.Enter(ctx, s); err != nil {
		return err
	}
	l.stopWitness(ctx)
	w, err := fault.Write(ctx, s.Server)
	if err == nil {
		l.witness = &witnessed{w, s.Server}
	}
	return err
}

var errNoWitness = errors.New("no numbered writes are in progress")

// Resumed waits for the end of an outage.
func (l *Local) Resumed(ctx context.Context, at time.Time) error {
	if l.witness == nil {
		return errNoWitness
	}
	lasting, is := l.witness.Witness.(engine.Lasting)
	if !is {
		return errors.New("the numbered writes to this server end with the fault")
	}
	return lasting.Resumed(ctx, at)
}

// Count ends the writes and counts the lost ones.
func (l *Local) Count(ctx context.Context, broke string) (record.Injection, error) {
	if l.witness == nil {
		return record.Injection{}, errNoWitness
	}
	l.witness.stop(ctx)
	counted := record.Injection{Broke: broke}
	err := fault.Count(ctx, l.witness.Witness, l.witness.server, &counted)
	if lasting, is := l.witness.Witness.(engine.Lasting); is && err == nil && broke == "" { // it went on through the fault
		from, to := lasting.Outage()
		counted.Outage, counted.Took = (to - from).Seconds(), lasting.Since(to).Seconds()
	}
	l.witness = nil
	return counted, err
}

// stopLimit bounds how long a write in progress is waited for: one to a server that has not come back, or
// whose replicas have not, never ends.
const stopLimit = 5 * time.Second

func (w *witnessed) stop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	w.Stop(ctx)
}

// stopWitness ends the numbered writes, if there are any.
func (l *Local) stopWitness(ctx context.Context) {
	if l.witness != nil {
		l.witness.stop(ctx)
		l.witness = nil
	}
}

// blame returns the root cause of a failure: if an emulated device or the server has failed,
// that is a better explanation than a load generator that lost its connections. It returns nil if
// nothing has failed.
func (l *Local) blame(ctx context.Context, s *stand.Stand, seen error) error {
	if ctx.Err() != nil {
		return seen
	}
	if err := s.EmulatorsAlive(ctx); err != nil {
		return failed("emulated-device", err)
	}
	// The kernel closes the connections of a dying process before its parent learns of the
	// death, so a server may still seem healthy just after one of its backends was killed.
	var down error
	_ = life.Poll(ctx, life.LogDelay, func() bool { down = s.Check(ctx); return down != nil })
	if down != nil {
		return failed("server", down)
	}
	return seen
}

// Revive restarts a server that a failed run left down.
func (l *Local) Revive(ctx context.Context, environment string) error {
	s := l.stage.Stand(environment)
	if err := s.EmulatorsAlive(ctx); err != nil {
		return err
	}
	if s.Check(ctx) == nil {
		return nil
	}
	reloaded, err := l.stage.Revive(ctx, s)
	if reloaded {
		l.revived = append(l.revived, record.Note{Rule: "reloaded", Environment: environment,
			Text: "the dataset was loaded again before this run: the server went down without having saved it"})
	}
	if err == nil && s.Described.Kind == "connected" {
		_, err = s.Server.Describe(ctx) // finds its new processes
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return InEnvironment(environment, fmt.Errorf("cannot continue without its server: %w", err))
	}
	return nil
}
