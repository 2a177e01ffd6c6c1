package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/fault"
	"plinth/internal/runner/site"
)

// injectFaults injects each environment's faults once all runs have been driven. Those injected
// before an interruption are not repeated.
func (r *Runner) injectFaults(ctx context.Context) error {
	if r.experiment.Durability.Fault == "" {
		return nil
	}
	turns := slices.DeleteFunc(fault.Turns(r.experiment, r.moments, r.preview.SideBySide), func(t fault.Turn) bool {
		return t.Number < len(r.book.summary.Durability[t.Environment].Injections)
	})
	began := time.Now()
	for i, t := range turns {
		left := time.Duration(0)
		if i > 0 {
			left = time.Since(began) / time.Duration(i) * time.Duration(len(turns)-i)
		}
		if err := r.takeTurn(ctx, t, left); err != nil {
			return site.InEnvironment(t.Environment, err)
		}
	}
	return nil
}

// takeTurn injects one fault into one environment, and records the result, even if the environment cannot be
// repaired once the writes are counted.
func (r *Runner) takeTurn(ctx context.Context, t fault.Turn, left time.Duration) error {
	name := t.Environment
	done := r.book.summary.Durability[name]
	if done.Broke() != "" {
		return nil
	}
	asked := r.experiment.Durability.In(r.environment(name))
	status := Status{Step: "injecting faults into", Environment: name, Detail: fmt.Sprintf("%s %d of %d", asked.Fault, t.Number+1, asked.Times), Left: left}
	r.progress.now(status)
	injected, failure := r.site.Inject(ctx, name, t.At)
	if failure != nil && injected.Acknowledged == 0 {
		return failure
	}
	done.Fault, done.Of, done.Recover = asked.Fault, asked.Of, asked.Recover
	done.Injections = append(done.Injections, injected)
	if r.book.summary.Durability == nil {
		r.book.summary.Durability = map[string]record.Durability{}
	}
	r.book.summary.Durability[name] = done
	if t.Number+1 == asked.Times || injected.Broke != "" {
		r.progress.view.Say(fault.Line(name, done))
	}
	return errors.Join(failure, r.book.save(record.Running, ""))
}

// environment returns the environment of a name.
func (r *Runner) environment(name string) experiment.Environment {
	for _, e := range r.experiment.Environments {
		if e.Name == name {
			return e
		}
	}
	return experiment.Environment{}
}
