package fault

import (
	"context"
	"errors"
	"time"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
)

// errBroken wraps the error of an environment that a fault left unusable. That is a finding,
// not a failure of the experiment.
type errBroken struct{ error }

// injection is a fault injection in progress and its result so far.
type injection struct {
	asked experiment.Durability
	on    *stand.Stand
	seen  record.Injection
}

// Inject injects a fault into an environment while it acknowledges numbered writes, lets it
// recover, and counts the surviving writes. Afterwards the environment is intact again, or the
// Broke field of the result says why it is not. If plinth itself fails after the count, the result
// is complete, and comes with the error.
func Inject(ctx context.Context, p *stand.Stand, asked experiment.Durability, at time.Duration) (record.Injection, error) {
	b := &injection{asked: asked, on: p, seen: record.Injection{At: at.Seconds()}}
	err := b.inject(ctx, at)
	return b.seen, err
}

func (b *injection) inject(ctx context.Context, at time.Duration) error {
	if err := b.on.Fed(ctx); err != nil {
		return err
	}
	if _, can := b.on.Server.(engine.Crasher); !can {
		return errors.New("this server cannot be killed")
	}
	witness, err := Write(ctx, b.on.Server)
	if err != nil {
		return err
	}
	defer witness.Stop(ctx)
	if err := host.Sleep(ctx, at); err != nil {
		return err
	}
	b.seen.Lag = b.on.Lag(ctx)
	if err := b.fall(ctx); err != nil {
		return err
	}
	survivor, err := b.survive(ctx)
	if err := b.enter(ctx, err); err != nil {
		return err
	}
	if err := b.count(ctx, witness, survivor); err != nil || b.seen.Broke != "" {
		return err
	}
	return b.enter(ctx, b.mend(ctx))
}

// fall injects the fault. All devices lose power before the first server is killed: otherwise a
// running server would continue for a moment after its peer is gone.
func (b *injection) fall(ctx context.Context) error {
	affected := []*stand.Stand{b.on}
	if b.asked.Of == experiment.OfBoth {
		affected = append(affected, b.on.Replica)
	}
	if b.asked.Fault == experiment.FaultPowerCut {
		for _, p := range affected {
			for _, v := range p.Volumes {
				if err := v.PowerCut(ctx); err != nil {
					return err
				}
			}
		}
	}
	for _, p := range affected {
		if err := p.Server.(engine.Crasher).Kill(ctx); err != nil {
			return err
		}
	}
	return nil
}

// survive recovers the server on which the writes are counted and returns it: the failed
// primary from its disk, or the promoted replica. A failed primary stays down until its replica
// is promoted: it could restart empty, and the replica would then copy the empty dataset.
func (b *injection) survive(ctx context.Context) (*stand.Stand, error) {
	if b.asked.Recover != experiment.RecoverPromote {
		return b.on, b.comeBack(ctx, b.on, &b.seen)
	}
	replica := b.on.Replica
	if b.asked.Of == experiment.OfBoth {
		if err := b.comeBack(ctx, replica, &b.seen); err != nil {
			return replica, err
		}
	}
	took, err := replica.Server.(engine.Replicator).Promote(ctx)
	b.seen.Took += took.Seconds()
	if err != nil {
		return replica, errBroken{err}
	}
	return replica, nil
}

// comeBack restores the power and the server of a stand, and adds the seconds that took to s.
func (b *injection) comeBack(ctx context.Context, p *stand.Stand, s *record.Injection) error {
	if b.asked.Fault == experiment.FaultPowerCut {
		began := time.Now()
		for _, v := range p.Volumes {
			if err := v.PowerReturn(ctx); err != nil {
				return errBroken{err}
			}
		}
		mount := time.Since(began).Seconds()
		s.Mount += mount
		s.Took += mount
	}
	took, err := p.Server.(engine.Crasher).Recover(ctx)
	s.Took += took.Seconds()
	if err != nil {
		return errBroken{err}
	}
	return nil
}

// mend prepares the environment for the next fault: a server that is still down is recovered,
// and the replica follows its primary again.
func (b *injection) mend(ctx context.Context) error {
	if b.on.Replica == nil {
		return nil
	}
	var uncounted record.Injection
	if b.asked.Recover == experiment.RecoverPromote {
		if err := b.comeBack(ctx, b.on, &uncounted); err != nil {
			return err
		}
		return b.on.Follow(ctx, nil)
	}
	if b.asked.Of == experiment.OfBoth {
		if err := b.comeBack(ctx, b.on.Replica, &uncounted); err != nil {
			return err
		}
	}
	return b.on.Feed(ctx)
}

// enter stores an errBroken in the result and returns nil. Other errors, a cancelled context
// and a dead emulator are failures of the experiment and are returned.
func (b *injection) enter(ctx context.Context, err error) error {
	var broken errBroken
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &broken):
		return err
	}
	if gone := b.on.EmulatorsAlive(ctx); gone != nil {
		return gone
	}
	b.seen.Broke = broken.Error()
	return nil
}

// count adds up the acknowledged and the found writes. If no server recovered, none is found.
func (b *injection) count(ctx context.Context, witness engine.Witness, in *stand.Stand) error {
	return Count(ctx, witness, in.Server, &b.seen)
}
