package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/engine"
	"plinth/internal/record"
)

// powerCutFault is the fault of an experiment that is carried out here.
const powerCutFault = "power-cut"

// powerCuts cuts the power of each environment, once all runs are driven.
func (r *Runner) powerCuts(ctx context.Context) error {
	if r.experiment.Fault != powerCutFault {
		return nil
	}
	for _, p := range r.stage.places {
		name := p.environment.Name
		if _, done := r.summary.Recoveries[name]; done {
			continue // before the experiment was resumed
		}
		r.now(Status{Step: "cutting the power", Environment: name})
		if _, err := r.stage.enter(ctx, p); err != nil {
			return fmt.Errorf("environment %s: %w", name, err)
		}
		recovery, err := p.powerCut(ctx)
		if err != nil {
			return fmt.Errorf("environment %s: cannot recover from the power cut: %w", name, err)
		}
		if r.summary.Recoveries == nil {
			r.summary.Recoveries = map[string]record.Recovery{}
		}
		r.summary.Recoveries[name] = recovery
		r.view.Say(told(name, recovery))
		if err := r.save(record.Running, ""); err != nil {
			return err
		}
	}
	return nil
}

const (
	// witnessed is how long transactions are committed before the power is cut, over
	// so many connections: enough that every kind of write is under way.
	witnessed       = 3 * time.Second
	witnessingConns = 8
)

// powerCut cuts the power of all volumes of a place while transactions commit, and
// counts afterwards which of those are there that the server had acknowledged.
func (p *place) powerCut(ctx context.Context) (record.Recovery, error) {
	crasher, can := p.server.(engine.Crasher)
	if !can {
		return record.Recovery{}, errors.New("this server cannot be killed")
	}
	witness, err := crasher.Witness(ctx, witnessingConns)
	if err != nil {
		return record.Recovery{}, err
	}
	defer witness.Stop(ctx)
	if err := wait(ctx, witnessed); err != nil {
		return record.Recovery{}, err
	}
	for _, v := range p.volumes {
		if err := v.PowerCut(ctx); err != nil {
			return record.Recovery{}, err
		}
	}
	if err := crasher.Kill(ctx); err != nil {
		return record.Recovery{}, err
	}
	began := time.Now()
	for _, v := range p.volumes {
		if err := v.PowerReturn(ctx); err != nil {
			return record.Recovery{}, err
		}
	}
	recovery := record.Recovery{Mount: time.Since(began).Seconds()}
	took, err := crasher.Recover(ctx)
	if err != nil {
		return recovery, err
	}
	recovery.Took = recovery.Mount + took.Seconds()
	err = p.count(ctx, &recovery, witness)
	return recovery, err
}

// count enters what the witness testifies.
func (p *place) count(ctx context.Context, recovery *record.Recovery, witness engine.Witness) error {
	testimonies, err := witness.Count(ctx, p.server)
	for _, t := range testimonies {
		recovery.Acknowledged += t.Acknowledged
		recovery.Found += t.Found
	}
	return err
}

// told is the line that says what a power cut did.
func told(environment string, r record.Recovery) string {
	text := fmt.Sprintf("%s: power cut, answered again after %.1f s; ", environment, r.Took)
	if lost := r.Acknowledged - r.Found; lost > 0 {
		return text + fmt.Sprintf("LOST %d of %d acknowledged transactions", lost, r.Acknowledged)
	}
	return text + fmt.Sprintf("all %d acknowledged transactions are there", r.Acknowledged)
}
