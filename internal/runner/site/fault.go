package site

import (
	"context"
	"fmt"
	"time"

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
	_, err := l.stage.Enter(ctx, s)
	if err == nil {
		err = s.Start(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("cannot continue without the server of %s: %w", environment, err)
	}
	return nil
}
