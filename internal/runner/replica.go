package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/engine"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// replicator is the server of a replica.
func (p *place) replicator() engine.Replicator { return p.replica.server.(engine.Replicator) }

// follow makes the replica one of its primary, which runs and is loaded. What that
// copies passes through emulated devices: it is no part of what is measured.
func (p *place) follow(ctx context.Context, progress func(engine.Progress)) error {
	if p.replica == nil {
		return nil
	}
	err := p.freely(ctx, func() error { return p.replicator().Follow(ctx, p.server, progress) })
	if err != nil {
		return fmt.Errorf("the replica: %w", err)
	}
	p.replica.following = true
	return p.fed(ctx)
}

// When a replica counts as fed, and how long one is waited for that comes no nearer.
// An idle primary still says a little: PostgreSQL every 15 seconds, Redis every 10.
const (
	fedLag   = 64 * int64(unit.KiB)
	fedLimit = time.Minute
	fedPace  = 20 * time.Millisecond
)

// fed waits until the replica has nearly all that its primary has.
func (p *place) fed(ctx context.Context) error {
	if p.replica == nil || !p.replica.following {
		return nil
	}
	least, since := int64(-1), time.Now()
	for {
		lag, err := p.replicator().Lag(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && lag <= fedLag:
			return nil
		case err == nil && (least < 0 || lag < least):
			least, since = lag, time.Now()
		case time.Since(since) < fedLimit:
		case err != nil:
			return fmt.Errorf("the replica is not fed: %w", err)
		default:
			return hint.Errorf("give the replica a faster volume, or a longer settle",
				"the replica does not catch up: it is %s behind, and came no nearer in %v", unit.Size(lag), fedLimit)
		}
		if err := host.Sleep(ctx, fedPace); err != nil {
			return err
		}
	}
}

// againLimit is how long a replica may take to find its primary again by itself.
const againLimit = 10 * time.Second

// feed waits until a replica has found a primary again that was down, or makes it
// follow anew where it does not by itself.
func (p *place) feed(ctx context.Context) error {
	if p.replica == nil || !p.replica.following {
		return nil
	}
	for began := time.Now(); ; {
		if _, err := p.replicator().Lag(ctx); err == nil {
			return p.fed(ctx)
		}
		if time.Since(began) > againLimit {
			return p.follow(ctx, nil)
		}
		if err := host.Sleep(ctx, fedPace); err != nil {
			return err
		}
	}
}

// lag is how far the replica is behind; nil where there is none, or nobody can tell.
func (p *place) lag(ctx context.Context) *int64 {
	if p.replica == nil {
		return nil
	}
	lag, err := p.replicator().Lag(ctx)
	if err != nil {
		return nil
	}
	return &lag
}

// start starts the servers of a place, the primary first: a replica that was made
// follows it again.
func (p *place) start(ctx context.Context) error {
	if err := p.server.Start(ctx); err != nil || p.replica == nil || !p.replica.following {
		return err
	}
	if err := p.replica.server.Start(ctx); err != nil {
		return fmt.Errorf("the replica: %w", err)
	}
	return p.feed(ctx)
}

// stop stops the servers of a place. The primary goes first, and hands its last
// changes over as it does.
func (p *place) stop(ctx context.Context) error {
	failures := []error{p.server.Stop(ctx)}
	if p.replica != nil {
		failures = append(failures, p.replica.server.Stop(ctx))
	}
	return errors.Join(failures...)
}

// check says whether the servers of a place still are those that were started.
func (p *place) check(ctx context.Context) error {
	if err := p.server.Check(ctx); err != nil || p.replica == nil || !p.replica.following {
		return err
	}
	if err := p.replica.server.Check(ctx); err != nil {
		return fmt.Errorf("the replica: %w", err)
	}
	return nil
}

// checkpoint writes out what is dirty, and lets the replica catch up and do so, too.
func (p *place) checkpoint(ctx context.Context) error {
	return p.freely(ctx, func() error { return p.writeOut(ctx) })
}

func (p *place) writeOut(ctx context.Context) error {
	if err := p.server.Checkpoint(ctx); err != nil || p.replica == nil {
		return err
	}
	if err := p.fed(ctx); err != nil {
		return err
	}
	if err := p.replica.server.Checkpoint(ctx); err != nil {
		return fmt.Errorf("the replica: %w", err)
	}
	return nil
}

// describeReplica is what the replica of a place is; nil for none.
func (p *place) describeReplica(ctx context.Context) (*record.Replica, error) {
	if p.replica == nil {
		return nil, nil
	}
	e, err := p.replica.server.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("the replica: %w", err)
	}
	r := &record.Replica{
		Server: e.Server, Version: e.Version, Settings: e.Settings, Declared: e.Declared,
		Synchronous: p.environment.Replica.Synchronous, Volumes: p.replica.facts(),
	}
	if p.replica.group != nil {
		r.Limits = p.replica.group.Facts()
	}
	return r, nil
}

// process is the first process of the replica; 0 where it is not known.
func (p *place) replicaProcess(ctx context.Context) int {
	activity, err := p.replica.server.Activity(ctx)
	if err != nil {
		return 0
	}
	return activity.PID
}
