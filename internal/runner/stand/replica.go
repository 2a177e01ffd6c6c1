package stand

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

// replicator returns the replica's server.
func (s *Stand) replicator() engine.Replicator { return s.Replica.Server.(engine.Replicator) }

// Follow makes the replica follow its primary, which is running and loaded. The copy is not
// measured and passes through emulated devices without delay.
func (s *Stand) Follow(ctx context.Context, progress func(engine.Progress)) error {
	if s.Replica == nil {
		return nil
	}
	err := s.Freely(ctx, func() error { return s.replicator().Follow(ctx, s.Server, progress) })
	if err == nil {
		err = s.Replica.Group.CountHugePages()
	}
	if err != nil {
		return fmt.Errorf("the replica: %w", err)
	}
	s.Replica.following = true
	return s.Fed(ctx)
}

// A replica counts as caught up at a lag of fedLag bytes; waiting ends after fedLimit without
// progress. The lag need not reach 0: an idle primary keeps sending, PostgreSQL every 15
// seconds, Redis every 10.
const (
	fedLag   = 64 * int64(unit.KiB)
	fedLimit = time.Minute
	fedPace  = 20 * time.Millisecond
)

// Fed waits until the replica has nearly caught up with its primary.
func (s *Stand) Fed(ctx context.Context) error {
	if s.Replica == nil || !s.Replica.following {
		return nil
	}
	least, since := int64(-1), time.Now()
	for {
		lag, err := s.replicator().Lag(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && lag <= fedLag:
			return nil
		case err == nil && (least < 0 || lag < least):
			least, since = lag, time.Now()
		case time.Since(since) < fedLimit:
		case err != nil:
			return fmt.Errorf("the replica receives no changes: %w", err)
		default:
			return hint.Errorf("give the replica a faster volume",
				"the replica does not catch up: its lag is %s, and has not decreased in %v", unit.Size(lag), fedLimit)
		}
		if err := host.Sleep(ctx, fedPace); err != nil {
			return err
		}
	}
}

// againLimit is the time that a replica may take to reconnect to its primary on its own.
const againLimit = 10 * time.Second

// Feed waits until a replica has reconnected to its restarted primary and caught up. If it does
// not reconnect on its own, Feed makes it follow anew.
func (s *Stand) Feed(ctx context.Context) error {
	if s.Replica == nil || !s.Replica.following {
		return nil
	}
	for began := time.Now(); ; {
		if _, err := s.replicator().Lag(ctx); err == nil {
			return s.Fed(ctx)
		}
		if time.Since(began) > againLimit {
			return s.Follow(ctx, nil)
		}
		if err := host.Sleep(ctx, fedPace); err != nil {
			return err
		}
	}
}

// Lag returns the replica's lag in bytes; nil without a replica, or if the lag is unknown.
func (s *Stand) Lag(ctx context.Context) *int64 {
	if s.Replica == nil {
		return nil
	}
	lag, err := s.replicator().Lag(ctx)
	if err != nil {
		return nil
	}
	return &lag
}

// Start starts the servers of a stand, the primary first, and lets a replica that was following
// reconnect.
func (s *Stand) Start(ctx context.Context) error {
	if err := s.Server.Start(ctx); err != nil {
		return &StartError{err}
	}
	if err := s.Group.CountHugePages(); err != nil {
		return &StartError{err}
	}
	if s.Replica == nil || !s.Replica.following {
		return nil
	}
	err := s.Replica.Server.Start(ctx)
	if err == nil {
		err = s.Replica.Group.CountHugePages()
	}
	if err != nil {
		return fmt.Errorf("the replica: %w", err)
	}
	return s.Feed(ctx)
}

// StartError is the error of a server that does not start, or of the machine that cannot be tuned for it.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the server.
func (e *StartError) Unwrap() error { return e.Err }

// stop stops the servers of a stand. The primary stops first and sends its last changes as it
// does.
func (s *Stand) stop(ctx context.Context) error {
	failures := []error{s.Server.Stop(ctx)}
	if s.Replica != nil {
		failures = append(failures, s.Replica.Server.Stop(ctx))
	}
	return errors.Join(failures...)
}

// Check returns an error unless the servers of a stand are still those that were started.
func (s *Stand) Check(ctx context.Context) error {
	if err := s.Server.Check(ctx); err != nil || s.Replica == nil || !s.Replica.following {
		return err
	}
	if err := s.Replica.Server.Check(ctx); err != nil {
		return fmt.Errorf("the replica: %w", err)
	}
	return nil
}

// Checkpoint writes out dirty data on the primary, lets the replica catch up, and does the same
// there.
func (s *Stand) Checkpoint(ctx context.Context) error {
	return s.Freely(ctx, func() error {
		if err := s.Server.Checkpoint(ctx); err != nil || s.Replica == nil {
			return err
		}
		if err := s.Fed(ctx); err != nil {
			return err
		}
		if err := s.Replica.Server.Checkpoint(ctx); err != nil {
			return fmt.Errorf("the replica: %w", err)
		}
		return nil
	})
}

// describeReplica describes the replica of a stand; nil for none.
func (s *Stand) describeReplica(ctx context.Context) (*record.Replica, error) {
	if s.Replica == nil {
		return nil, nil
	}
	e, err := s.Replica.Server.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("the replica: %w", err)
	}
	r := &record.Replica{
		Server: e.Server, Version: e.Version, Settings: e.Settings, Declared: e.Declared,
		Synchronous: s.Environment.Replica.Synchronous, Volumes: s.Replica.Facts(),
	}
	s.Described.Warnings = append(s.Described.Warnings, addSaid(r.Volumes, &s.Environment.Replica.Storage, s.reach)...)
	s.Described.Warnings = append(s.Described.Warnings, remoteNotes(r.Volumes)...)
	if s.Replica.Group != nil {
		r.Limits = s.Replica.Group.Facts()
	}
	return r, nil
}

// ReplicaProcess returns the PID of the replica's main process; 0 if unknown.
func (s *Stand) ReplicaProcess(ctx context.Context) int {
	activity, err := s.Replica.Server.Activity(ctx)
	if err != nil {
		return 0
	}
	return activity.PID
}
