package runner

import (
	"context"
	"fmt"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
)

// failure is why a run did not go to its end.
type failure struct {
	rule string // "server", "driver", "clock", "prepare"
	err  error
}

func failed(rule string, err error) *failure { return &failure{rule, err} }

func (f *failure) note() record.Note {
	return record.Note{Rule: f.rule, Text: f.err.Error(), Hint: hint.Of(f.err)}
}

// blame looks whether an emulated device or the server is what failed: that is a better
// cause than those of a load generator that lost its connections.
func (r *Runner) blame(ctx context.Context, p *stand.Stand, seen *failure) *failure {
	if ctx.Err() != nil {
		return seen
	}
	if err := p.EmulatorsAlive(ctx); err != nil {
		return failed("emulated-device", err)
	}
	if err := p.Check(ctx); err != nil {
		return failed("server", err)
	}
	return seen
}

// revive brings a server back after a failed run, so that the next one finds it
// as every run does.
func (r *Runner) revive(ctx context.Context, p *stand.Stand) error {
	if err := p.EmulatorsAlive(ctx); err != nil {
		return err
	}
	if p.Check(ctx) == nil {
		return nil
	}
	_, err := r.stage.Enter(ctx, p)
	if err == nil {
		err = p.Start(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("cannot go on without the server of %s: %w", p.Environment.Name, err)
	}
	return nil
}
