package runner

import (
	"context"
	"fmt"
	"strings"

	"plinth/internal/engine/life"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
)

// failure is the reason why a run did not complete.
type failure struct {
	rule string // "server", "driver", "clock", "prepare", …
	err  error
}

func failed(rule string, err error) *failure { return &failure{rule, err} }

func (f *failure) note() record.Note {
	return record.Note{Rule: f.rule, Text: f.err.Error(), Hint: hint.Of(f.err)}
}

// blame returns the root cause of a failure: if an emulated device or the server has failed,
// that is a better explanation than a load generator that lost its connections.
func (r *Runner) blame(ctx context.Context, p *stand.Stand, seen *failure) *failure {
	if ctx.Err() != nil {
		return seen
	}
	if err := p.EmulatorsAlive(ctx); err != nil {
		return failed("emulated-device", err)
	}
	// The kernel closes the connections of a dying process before its parent learns of the
	// death, so a server may still seem healthy just after one of its backends was killed.
	var down error
	_ = life.Poll(ctx, life.LogDelay, func() bool { down = p.Check(ctx); return down != nil })
	if down != nil {
		return failed("server", down)
	}
	return seen
}

// revive restarts a server after a failed run, so that the next run starts from the same state
// as any other.
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
		return fmt.Errorf("cannot continue without the server of %s: %w", p.Environment.Name, err)
	}
	return nil
}

// InputError is a mistake that was found before anything was measured. Everything that was
// started to find it has been undone, and no new record exists.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// MachineChangedError reports that the machine or a server differs from the one on which the
// experiment began.
type MachineChangedError struct{ Differences []string }

func (e *MachineChangedError) Error() string {
	return "cannot continue: the machine has changed since the experiment began:\n  " +
		strings.Join(e.Differences, "\n  ")
}

// PutBackError reports that something plinth created or changed could not be undone.
type PutBackError struct{ Err error }

func (e *PutBackError) Error() string { return fmt.Sprintf("cannot restore everything: %v", e.Err) }
func (e *PutBackError) Unwrap() error { return e.Err }

// NoValidRunError lists the cells that ended without a block in which every environment has a
// valid run.
type NoValidRunError struct{ Cells []string }

func (e *NoValidRunError) Error() string {
	return "no block with a valid run in every environment for: " + strings.Join(e.Cells, "; ")
}
