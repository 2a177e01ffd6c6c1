package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/record"
	"plinth/internal/tune"
)

// ground is the machine under all environments, as far as it is tuned for the one
// that is driven.
type ground struct {
	machine  tune.Machine
	journal  *journal.Journal
	lock     *tune.Lock
	wanted   map[string]tune.Request // by environment; what it has nothing of is left as it was
	applied  *tune.Applied           // nil while the machine is as it was
	request  tune.Request            // that was applied
	plan     *tune.Plan
	tunedFor string // the environment that it was applied for
}

// newGround is that of an experiment; nil where no environment changes the machine.
func (r *Runner) newGround() *ground {
	g := &ground{machine: tune.Kernel{}, wanted: map[string]tune.Request{}}
	for _, e := range r.experiment.Environments {
		if t := r.tuned[e.Name]; t != nil && len(t.host) > 0 {
			g.wanted[e.Name] = tune.Request{Values: t.host, Machine: g.machine, Targets: targetsOf(*r.untuned, e)}
		}
	}
	if len(g.wanted) == 0 {
		return nil
	}
	return g
}

// take lets no other plinth change the machine from here on.
func (g *ground) take(j *journal.Journal, label string) (err error) {
	if g == nil {
		return nil
	}
	state, err := journal.StateDir()
	if err != nil {
		return err
	}
	g.journal = j
	g.lock, err = tune.TakeLock(state, label)
	return err
}

// changes plans what each environment changes of the machine as it is now, by
// environment. What cannot be changed here is an error before anything is.
func (g *ground) changes(ctx context.Context, e *experiment.Experiment) (map[string]*tune.Plan, error) {
	plans := map[string]*tune.Plan{}
	if g == nil {
		return plans, nil
	}
	for _, environment := range e.Environments {
		request, tuned := g.wanted[environment.Name]
		if !tuned {
			continue
		}
		plan, err := tune.Make(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("environment %s: %w", environment.Name, err)
		}
		if err := applicable(plan); err != nil {
			return nil, fmt.Errorf("environment %s: %w", environment.Name, err)
		}
		plans[environment.Name] = plan
	}
	return plans, nil
}

// applicable is an error where a plan has what cannot be set here. What this machine
// has not is no error: it is recorded as not applicable.
func applicable(plan *tune.Plan) error {
	for _, c := range plan.Changes {
		if c.State == tune.Cannot || c.State == tune.Later {
			problem := c.Problem
			if problem == "" {
				problem = "it needs a " + string(c.Needs)
			}
			return hint.Errorf(c.Hint, "cannot set %s to %s: %s", c.Key, c.Then, problem)
		}
	}
	return nil
}

// differs says whether the machine has to be changed from one environment to another.
func (g *ground) differs(a, b string) bool {
	return g != nil && !sameHost(g.wanted[a].Values, g.wanted[b].Values)
}

// sameForAll says whether all environments want the same of the machine, and it is
// nothing that servers would have to share.
func (g *ground) sameForAll(e *experiment.Experiment) bool {
	if g == nil {
		return true
	}
	for _, environment := range e.Environments {
		if g.differs(e.Environments[0].Name, environment.Name) {
			return false
		}
	}
	return !slices.ContainsFunc(g.wanted[e.Environments[0].Name].Values, aboutHugePages)
}

// lay makes the machine what an environment wants: what was set for the one before is
// put back first, so that nothing of it is left. No server may be up.
func (g *ground) lay(ctx context.Context, environment string) error {
	if g == nil || g.applied != nil && !g.differs(g.tunedFor, environment) {
		return nil
	}
	if err := g.putBack(ctx); err != nil {
		return err
	}
	request, tuned := g.wanted[environment]
	if !tuned {
		return nil
	}
	plan, err := tune.Make(ctx, request)
	if err != nil {
		return err
	}
	if g.applied, err = tune.Apply(ctx, g.journal, request, plan); err != nil {
		g.applied = nil
		return fmt.Errorf("cannot tune the machine for %s: %w", environment, err)
	}
	g.request, g.plan, g.tunedFor = request, plan, environment
	return g.inForce(ctx)
}

// inForce is an error where what was set is not what the machine has: somebody else
// changes it, too.
func (g *ground) inForce(ctx context.Context) error {
	if g == nil || g.applied == nil {
		return nil
	}
	checks, err := tune.Verify(ctx, g.request, g.plan)
	if err != nil {
		return err
	}
	for _, c := range checks {
		if !c.OK {
			return hint.Errorf("find out who else changes it", "%s was set to %s, and is %s", c.Key, c.Want, c.Have)
		}
	}
	return nil
}

// putBack makes the machine what it was. It may be called twice.
func (g *ground) putBack(ctx context.Context) error {
	if g == nil || g.applied == nil {
		return nil
	}
	applied := g.applied
	g.applied, g.tunedFor = nil, ""
	return applied.PutBack(ctx)
}

// leave puts everything back and lets the next plinth change the machine.
func (g *ground) leave(ctx context.Context) error {
	if g == nil {
		return nil
	}
	err := g.putBack(ctx)
	if g.lock != nil {
		err = errors.Join(err, g.lock.Release())
	}
	return err
}

// knobs are what was changed of the machine for the environment that it is tuned for.
func (g *ground) knobs() []record.Knob {
	if g == nil || g.applied == nil {
		return nil
	}
	return g.applied.Knobs()
}

// quietBytes is what may be dirty, or on its way to a disk, when the machine is changed:
// else what one environment wrote is still written while the next one is driven, for as
// long as half a minute.
const quietBytes = 16 << 20

// How long that is waited for, and what is foreseen of it.
const (
	quietLimit = 2 * time.Minute
	syncTime   = 2 * time.Second
)

// quiet has everything written out before the machine is changed for an environment,
// and waits until little is left. It returns what is left, in bytes: others may write
// as well, and are waited for no longer than quietLimit.
func (g *ground) quiet(ctx context.Context, environment string) (left int64, err error) {
	if g == nil || !g.differs(g.tunedFor, environment) {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, quietLimit)
	defer cancel()
	synced := make(chan struct{})
	go func() { defer close(synced); host.Sync() }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if left, err = g.dirty(); err != nil || left < quietBytes {
			return left, err
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return left, ctx.Err()
			}
			return left, nil
		case <-tick.C:
		case <-synced:
			synced = nil
		}
	}
}

// dirty are the bytes that are dirty or on their way (/proc/meminfo).
func (g *ground) dirty() (bytes int64, err error) {
	text, err := g.machine.Read("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		if name != "Dirty" && name != "Writeback" {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("cannot read /proc/meminfo: %w", err)
		}
		bytes += kib << 10
	}
	return bytes, nil
}
