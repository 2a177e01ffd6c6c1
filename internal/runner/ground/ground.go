// Package ground is the machine that servers stand on: it is tuned for the environment
// that is driven, its CPUs are kept awake, and all of that is put back. What is in memory
// of one environment is written out before the machine is changed for the next.
package ground

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plinth/internal/awake"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/host/proc"
	"plinth/internal/host/watch"
	"plinth/internal/journal"
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/runner/tuning"
	"plinth/internal/tune"
)

// Ground is a machine under environments, as far as it is tuned for the one that is driven.
type Ground struct {
	machine  tune.Machine
	wanted   map[string]tune.Request // by environment; what it has nothing of is left as it was
	journal  *journal.Journal
	lock     *tune.Lock
	applied  *tune.Applied // nil while the machine is as it was
	request  tune.Request  // that was applied
	plan     *tune.Plan
	tunedFor string // the environment that it was applied for

	keeper *awake.Keeper // of CPUs that do not halt; nil where they may
}

// New is a ground that is not changed yet. Wanted is what environments want of it, by
// their names.
func New(m tune.Machine, wanted map[string]tune.Request) *Ground {
	return &Ground{machine: m, wanted: wanted}
}

// Changes says whether any environment changes the machine.
func (g *Ground) Changes() bool { return len(g.wanted) > 0 }

// Take lets no other plinth change the machine from here on.
func (g *Ground) Take(j *journal.Journal, label string) (err error) {
	if !g.Changes() {
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

// Plans plans what each environment changes of the machine as it is now, by
// environment. What cannot be changed here is an error before anything is.
func (g *Ground) Plans(ctx context.Context, e *experiment.Experiment) (map[string]*tune.Plan, error) {
	plans := map[string]*tune.Plan{}
	for _, environment := range e.Environments {
		request, tuned := g.wanted[environment.Name]
		if !tuned {
			continue
		}
		plan, err := tune.Make(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("environment %s: %w", environment.Name, err)
		}
		if err := tuning.Applicable(plan); err != nil {
			return nil, fmt.Errorf("environment %s: %w", environment.Name, err)
		}
		plans[environment.Name] = plan
	}
	return plans, nil
}

// Differs says whether the machine has to be changed from one environment to another.
func (g *Ground) Differs(a, b string) bool {
	return !tuning.SameHost(g.wanted[a].Values, g.wanted[b].Values)
}

// SameForAll says whether all environments want the same of the machine, and it is
// nothing that servers would have to share.
func (g *Ground) SameForAll(e *experiment.Experiment) bool {
	for _, environment := range e.Environments {
		if g.Differs(e.Environments[0].Name, environment.Name) {
			return false
		}
	}
	return !slices.ContainsFunc(g.wanted[e.Environments[0].Name].Values, tuning.AboutHugePages)
}

// Lay makes the machine what an environment wants: what was set for the one before is
// put back first, so that nothing of it is left. No server may be up.
func (g *Ground) Lay(ctx context.Context, environment string) error {
	if g.applied != nil && !g.Differs(g.tunedFor, environment) {
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
	return g.InForce(ctx)
}

// InForce is an error where what was set is not what the machine has: somebody else
// changes it, too.
func (g *Ground) InForce(ctx context.Context) error {
	if g.applied == nil {
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
func (g *Ground) putBack(ctx context.Context) error {
	if g.applied == nil {
		return nil
	}
	applied := g.applied
	g.applied, g.tunedFor = nil, ""
	return applied.PutBack(ctx)
}

// KeepAwake keeps the CPUs from halting until Leave.
func (g *Ground) KeepAwake(ctx context.Context, j *journal.Journal, launcher launch.Launcher) error {
	group, err := limit.MakeIdle(j, "awake")
	if err == nil {
		g.keeper, err = awake.Start(ctx, launcher, group.Directories())
	}
	return err
}

// IdleThreads are those that keep CPUs awake, if any do.
func (g *Ground) IdleThreads() []watch.IdleThread {
	if g.keeper == nil {
		return nil
	}
	return g.keeper.Threads()
}

// Leave puts everything back, lets the CPUs halt, and the next plinth change the machine.
func (g *Ground) Leave(ctx context.Context) error {
	err := g.putBack(ctx)
	if g.lock != nil {
		err = errors.Join(err, g.lock.Release())
	}
	if g.keeper != nil {
		err = errors.Join(err, g.keeper.Stop())
	}
	return err
}

// Knobs are what was changed of the machine for the environment that it is tuned for.
func (g *Ground) Knobs() []record.Knob {
	if g.applied == nil {
		return nil
	}
	return g.applied.Knobs()
}

// quietBytes is what may be dirty, or on its way to a disk, when the machine is changed:
// else what one environment wrote is still written while the next one is driven, for as
// long as half a minute.
const quietBytes = 16 << 20

// quietLimit is how long that is waited for.
var quietLimit = 2 * time.Minute

// Impatient lets this process wait for that no longer than limit. It is for tests, which must
// not take minutes where something else on the machine writes.
func Impatient(limit time.Duration) { quietLimit = limit }

// SyncTime is what of it is foreseen.
const SyncTime = 2 * time.Second

// Quiet has everything written out before the machine is changed for an environment,
// and waits until little is left. It returns what is left, in bytes: others may write
// as well, and are waited for no longer than quietLimit.
func (g *Ground) Quiet(ctx context.Context, environment string) (left int64, err error) {
	if !g.Differs(g.tunedFor, environment) {
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
func (g *Ground) dirty() (bytes int64, err error) {
	text, err := g.machine.Read("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	figures := proc.Meminfo(text)
	return figures["Dirty"] + figures["Writeback"], nil
}
