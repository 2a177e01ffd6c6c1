package runner

import (
	"context"
	"fmt"

	"plinth/internal/hint"
	"plinth/internal/record"
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
func (r *Runner) blame(ctx context.Context, p *place, seen *failure) *failure {
	if ctx.Err() != nil {
		return seen
	}
	if err := p.emulatorsAlive(ctx); err != nil {
		return failed("emulated-device", err)
	}
	if err := p.check(ctx); err != nil {
		return failed("server", err)
	}
	return seen
}

// revive brings a server back after a failed run, so that the next one finds it
// as every run does.
func (r *Runner) revive(ctx context.Context, p *place) error {
	if err := p.emulatorsAlive(ctx); err != nil {
		return err
	}
	if p.check(ctx) == nil {
		return nil
	}
	_, err := r.stage.enter(ctx, p)
	if err == nil {
		err = p.start(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("cannot go on without the server of %s: %w", p.environment.Name, err)
	}
	return nil
}
