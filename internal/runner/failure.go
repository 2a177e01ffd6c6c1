package runner

import (
	"context"
	"fmt"

	"strings"

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

// InputError is a mistake that was found before anything was measured; what had
// been started to find it was put back, and there is no record.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// MachineChangedError says that the machine is not the one the experiment began on.
type MachineChangedError struct{ Differences []string }

func (e *MachineChangedError) Error() string {
	return "cannot go on: the machine is not what it was when the experiment began:\n  " +
		strings.Join(e.Differences, "\n  ")
}

// PutBackError says that something plinth made or changed is still there.
type PutBackError struct{ Err error }

func (e *PutBackError) Error() string { return fmt.Sprintf("cannot put everything back: %v", e.Err) }
func (e *PutBackError) Unwrap() error { return e.Err }

// NoValidRunError names the cells that ended without a block in which every
// environment has a valid run.
type NoValidRunError struct{ Cells []string }

func (e *NoValidRunError) Error() string {
	return "no block with a valid run in every environment for: " + strings.Join(e.Cells, "; ")
}
