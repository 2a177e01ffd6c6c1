package runner

import (
	"context"
	"errors"
	"time"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/volume"
)

// witnessingConns is over how many connections numbered writes go on: enough that
// every kind of write is under way.
const witnessingConns = 8

// errBroken is of an environment that a strike has left unusable: that is what was
// found, and no failure of the experiment.
type errBroken struct{ error }

// strike strikes a place while it acknowledges numbered writes, lets it recover, and
// counts which of them are there. Afterwards the place is whole again, or the strike
// says why not.
func (p *place) strike(ctx context.Context, d experiment.Durability, at time.Duration) (record.Strike, error) {
	s := record.Strike{At: at.Seconds()}
	if err := p.fed(ctx); err != nil {
		return s, err
	}
	crasher, can := p.server.(engine.Crasher)
	if !can {
		return s, errors.New("this server cannot be killed")
	}
	witness, err := crasher.Witness(ctx, witnessingConns)
	if err != nil {
		return s, err
	}
	defer witness.Stop(ctx)
	if err := wait(ctx, at); err != nil {
		return s, err
	}
	s.Lag = p.lag(ctx)
	if err := p.fall(ctx, d); err != nil {
		return s, err
	}
	survivor, err := p.survive(ctx, d, &s)
	if err := p.tell(ctx, &s, err); err != nil {
		return s, err
	}
	if err := p.count(ctx, &s, witness, survivor); err != nil {
		return s, err
	}
	if s.Broke != "" {
		return s, nil
	}
	return s, p.tell(ctx, &s, p.mend(ctx, d))
}

// struckBy are the places that a fault strikes.
func (p *place) struckBy(d experiment.Durability) []*place {
	if d.Of == experiment.OfBoth {
		return []*place{p, p.replica}
	}
	return []*place{p}
}

// fall lets the fault happen. All power is cut before the first server is killed:
// one that is still up would go on where the other is gone.
func (p *place) fall(ctx context.Context, d experiment.Durability) error {
	if d.Fault == experiment.FaultPowerCut {
		for _, struck := range p.struckBy(d) {
			for _, v := range struck.volumes {
				if err := v.PowerCut(ctx); err != nil {
					return err
				}
			}
		}
	}
	for _, struck := range p.struckBy(d) {
		if err := struck.crasher().Kill(ctx); err != nil {
			return err
		}
	}
	return nil
}

// survive lets the server come back in which the writes are looked for: the one that
// was struck, from its disk, or the replica, which takes over. A primary that is struck
// stays down until its replica has taken over: it could have come back empty, and a
// replica of an empty primary is empty, too.
func (p *place) survive(ctx context.Context, d experiment.Durability, s *record.Strike) (*place, error) {
	if d.Recover != experiment.RecoverPromote {
		return p, p.comeBack(ctx, d.Fault, s)
	}
	if d.Of == experiment.OfBoth {
		if err := p.replica.comeBack(ctx, d.Fault, s); err != nil {
			return p.replica, err
		}
	}
	took, err := p.replicator().Promote(ctx)
	s.Took += took.Seconds()
	if err != nil {
		return p.replica, errBroken{err}
	}
	return p.replica, nil
}

// comeBack brings power and server of one place back, and adds what that took to s.
func (p *place) comeBack(ctx context.Context, fault string, s *record.Strike) error {
	if fault == experiment.FaultPowerCut {
		began := time.Now()
		if err := powerReturns(ctx, p.volumes); err != nil {
			return errBroken{err}
		}
		mount := time.Since(began).Seconds()
		s.Mount += mount
		s.Took += mount
	}
	took, err := p.crasher().Recover(ctx)
	s.Took += took.Seconds()
	if err != nil {
		return errBroken{err}
	}
	return nil
}

func powerReturns(ctx context.Context, volumes []*volume.Volume) error {
	for _, v := range volumes {
		if err := v.PowerReturn(ctx); err != nil {
			return err
		}
	}
	return nil
}

// mend makes a place whole for the next strike: whoever is still down comes back, and
// the replica follows its primary again.
func (p *place) mend(ctx context.Context, d experiment.Durability) error {
	if p.replica == nil {
		return nil
	}
	var untold record.Strike
	if d.Recover == experiment.RecoverPromote {
		if err := p.comeBack(ctx, d.Fault, &untold); err != nil {
			return err
		}
		return p.follow(ctx, nil)
	}
	if d.Of == experiment.OfBoth {
		if err := p.replica.comeBack(ctx, d.Fault, &untold); err != nil {
			return err
		}
	}
	return p.feed(ctx)
}

// tell enters what broke into the strike; any other error is one of the experiment, as
// are an end that was asked for, and an emulator that has gone.
func (p *place) tell(ctx context.Context, s *record.Strike, err error) error {
	var broken errBroken
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &broken):
		return err
	}
	if gone := p.emulatorsAlive(ctx); gone != nil {
		return gone
	}
	s.Broke = broken.Error()
	return nil
}

// count enters what the witness testifies. Where no server came back nothing is found.
func (p *place) count(ctx context.Context, s *record.Strike, witness engine.Witness, in *place) error {
	testimonies, err := witness.Count(ctx, in.server)
	if err != nil && s.Broke == "" {
		return err
	}
	for _, t := range testimonies {
		s.Acknowledged += t.Acknowledged
		if s.Broke == "" {
			s.Found += t.Found
			s.Back = max(s.Back, t.Back.Seconds())
		}
	}
	return nil
}

// crasher is the server of a place, which strike has seen to be one.
func (p *place) crasher() engine.Crasher { return p.server.(engine.Crasher) }
