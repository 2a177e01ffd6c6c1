// Package hosttuning tunes the host for the environment that is being measured, keeps the host's CPUs
// awake, and undoes both. Before the host is changed for the next environment, the dirty
// pages of the previous one are written back.
package hosttuning

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

// Host is the host's tuning, as applied for one environment at a time.
type Host struct {
	machine  tune.Machine
	wanted   map[string]tune.Request // by environment; without an entry the host keeps its own settings
	journal  *journal.Journal
	lock     *journal.Lock
	applied  *tune.Applied // nil while the host is unchanged
	request  tune.Request  // the request behind applied
	plan     *tune.Plan
	tunedFor string // the environment it was applied for
	notBack  error  // why earlier tuning is still in force: no other environment may run then

	keeper *awake.Keeper // of CPUs that must not halt; nil if they may
}

// New returns a Host that has not changed anything. Wanted holds the requests of
// environments, by name.
func New(m tune.Machine, wanted map[string]tune.Request) *Host {
	return &Host{machine: m, wanted: wanted}
}

// Changes reports whether any environment changes the host.
func (g *Host) Changes() bool { return len(g.wanted) > 0 }

// Take locks the host's tuning against other plinth processes, with a lock in a state directory.
func (g *Host) Take(j *journal.Journal, state, label string) (err error) {
	if !g.Changes() {
		return nil
	}
	g.journal = j
	g.lock, err = journal.TakeLock(tune.LockPath(state), "the experiment "+label, journal.Starter())
	return err
}

// Plans returns each environment's planned changes to the host, by environment. A change that
// is not possible here is an error, before anything is changed.
func (g *Host) Plans(ctx context.Context, e *experiment.Experiment) (map[string]*tune.Plan, error) {
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

// Differs reports whether the host's tuning must change between two environments.
func (g *Host) Differs(a, b string) bool {
	return !tuning.SameHost(g.wanted[a].Values, g.wanted[b].Values)
}

// SameForAll reports whether all environments want the same tuning, and none of it is about huge
// pages, which servers side by side would have to share.
func (g *Host) SameForAll(e *experiment.Experiment) bool {
	if len(e.Environments) == 0 { // a machine that only drives loads
		return true
	}
	for _, environment := range e.Environments {
		if g.Differs(e.Environments[0].Name, environment.Name) {
			return false
		}
	}
	return !slices.ContainsFunc(g.wanted[e.Environments[0].Name].Values, tuning.AboutHugePages)
}

// Tune tunes the host for an environment. It first undoes the previous environment's tuning, so
// that nothing of it remains. No server may be running.
func (g *Host) Tune(ctx context.Context, environment string) error {
	if g.notBack != nil {
		return g.notBack
	}
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
		if left := new(tune.PutBackError); errors.As(err, &left) {
			g.notBack = err
		}
		return fmt.Errorf("cannot tune the machine for %s: %w", environment, err)
	}
	g.request, g.plan, g.tunedFor = request, plan, environment
	return g.InForce(ctx)
}

// InForce returns an error if a setting no longer has the value that was applied, because another
// process changes it, too.
func (g *Host) InForce(ctx context.Context) error {
	if g.applied == nil {
		return nil
	}
	checks, err := tune.Verify(ctx, g.request, g.plan)
	if err != nil {
		return err
	}
	for _, c := range checks {
		if !c.OK {
			return hint.Errorf("find the other process that changes it", "%s was set to %s, but is now %s", c.Key, c.Want, c.Have)
		}
	}
	return nil
}

// putBack restores the host's tuning. It may be called twice.
func (g *Host) putBack(ctx context.Context) error {
	if g.applied == nil {
		return nil
	}
	applied, environment := g.applied, g.tunedFor
	g.applied, g.tunedFor = nil, ""
	if err := applied.PutBack(ctx); err != nil {
		g.notBack = fmt.Errorf("the tuning of %s is still in force: %w", environment, err)
	}
	return g.notBack
}

// KeepAwake keeps the CPUs from halting until Leave.
func (g *Host) KeepAwake(ctx context.Context, j *journal.Journal, launcher launch.Launcher) error {
	group, err := limit.MakeIdle(j, "awake")
	if err == nil {
		g.keeper, err = awake.Start(ctx, launcher, group.Directories())
	}
	return err
}

// IdleThreads returns the threads that keep the CPUs awake, if any.
func (g *Host) IdleThreads() []watch.IdleThread {
	if g.keeper == nil {
		return nil
	}
	return g.keeper.Threads()
}

// Leave restores the host's tuning, releases the lock, and lets the CPUs halt again.
func (g *Host) Leave(ctx context.Context) error {
	err := g.putBack(ctx)
	if g.lock != nil { // Leave may be called again
		err = errors.Join(err, g.lock.Release())
		g.lock = nil
	}
	if g.keeper != nil {
		err = errors.Join(err, g.keeper.Stop())
	}
	return err
}

// Knobs returns the applied changes to the host.
func (g *Host) Knobs() []record.Knob {
	if g.applied == nil {
		return nil
	}
	return g.applied.Knobs()
}

// quietBytes is the maximum of dirty pages plus write-back, in bytes, at which the host is
// changed. With more, the kernel would still write one environment's data during the next one's
// load, for up to half a minute.
const quietBytes = 16 << 20

// quietLimit bounds the wait for that.
var quietLimit = 2 * time.Minute

// Impatient sets quietLimit for this process. It is for tests, which must not take minutes
// while another process writes.
func Impatient(limit time.Duration) { quietLimit = limit }

// SyncTime is the preview's estimate of Quiet.
const SyncTime = 2 * time.Second

// Quiet syncs all filesystems before the host is changed for an environment, and waits until
// less than quietBytes remain. It returns the remaining bytes: other processes may keep
// writing, and the wait ends after quietLimit.
func (g *Host) Quiet(ctx context.Context, environment string) (left int64, err error) {
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

// dirty returns the bytes that are dirty or under write-back (/proc/meminfo).
func (g *Host) dirty() (bytes int64, err error) {
	text, err := g.machine.Read("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	figures := proc.Meminfo(text)
	return figures["Dirty"] + figures["Writeback"], nil
}
