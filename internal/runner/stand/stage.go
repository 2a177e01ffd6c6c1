package stand

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner/hosttuning"
)

// Stage holds all stands. Side by side, every server stays up, idle except for the one under
// load; otherwise one server runs at a time.
type Stage struct {
	Stands     []*Stand
	SideBySide bool
	up         *Stand // the running one, if not side by side
	Host       *hosttuning.Host
	Caches     string         // as the experiment declares
	Switched   *record.Switch // phases of the last switch, until a run has taken them
}

// Stand returns the stand of an environment; nil if the name is unknown.
func (st *Stage) Stand(name string) *Stand {
	for _, s := range st.Stands {
		if s.Environment.Name == name {
			return s
		}
	}
	return nil
}

// BringUp starts the server of a stand for the first time and loads its dataset. That is not
// measured and passes through emulated devices without delay.
func (st *Stage) BringUp(ctx context.Context, s *Stand, progress func(engine.Progress)) error {
	return s.Freely(ctx, func() error {
		if _, err := st.Enter(ctx, s); err != nil {
			return err
		}
		if err := s.Start(ctx); err != nil {
			return err
		}
		if err := s.Server.Load(ctx, progress); err != nil {
			return err
		}
		s.loaded = true
		if err := s.Server.CheckScripts(ctx); err != nil {
			return err
		}
		if err := s.Server.Checkpoint(ctx); err != nil {
			return err
		}
		return s.Follow(ctx, progress)
	})
}

// Enter switches to the server of a stand, on a host tuned for it, and returns the duration of
// the switch.
func (st *Stage) Enter(ctx context.Context, s *Stand) (time.Duration, error) {
	if st.SideBySide {
		return 0, st.Host.Tune(ctx, s.Environment.Name) // once: it is the same for all
	}
	began := time.Now()
	if st.up == s {
		if !s.cold {
			return 0, nil
		}
		return time.Since(began), st.warm(ctx, s)
	}
	sw := record.Switch{}
	steps := []struct {
		seconds *float64
		do      func() error
	}{
		{&sw.Stop, func() error { return st.stop(ctx) }},
		{&sw.Sync, func() (err error) { sw.Dirty, err = st.Host.Quiet(ctx, s.Environment.Name); return err }},
		{&sw.Tune, func() error { // while no server is running
			if err := st.Host.Tune(ctx, s.Environment.Name); err != nil {
				return &StartError{err}
			}
			if st.Caches != experiment.CachesDrop {
				return nil
			}
			return host.DropCaches()
		}},
		{&sw.Start, func() error {
			st.up = s // even if Start fails: a half-started server must be stopped, too
			return s.Start(ctx)
		}},
		{&sw.Settle, func() error { return st.warm(ctx, s) }},
	}
	for _, step := range steps {
		at := time.Now()
		err := step.do()
		*step.seconds = time.Since(at).Seconds()
		if err != nil {
			return 0, err
		}
	}
	if st.Host.Changes() {
		st.Switched = &sw
	}
	return time.Since(began), nil
}

// warm reads the dataset of a stand into memory, if the experiment says so. If that fails, the next Enter does it.
func (st *Stage) warm(ctx context.Context, s *Stand) error {
	warmer, can := s.Server.(engine.Warmer)
	if st.Caches != experiment.CachesPrewarm || !can || !s.loaded {
		return nil
	}
	s.cold = true
	if err := warmer.Warm(ctx); err != nil {
		return err
	}
	s.cold = false
	return nil
}

// Revive starts the server of a stand again after it went down. If the server has lost its dataset, it loads that again and
// returns true. The next Enter reads it into memory.
func (st *Stage) Revive(ctx context.Context, s *Stand) (reloaded bool, err error) {
	s.cold = false // the server may be down
	if _, err := st.Enter(ctx, s); err != nil {
		return false, err
	}
	if err := s.Start(ctx); err != nil {
		return false, err
	}
	s.cold = st.Caches == experiment.CachesPrewarm && !st.SideBySide
	server, can := s.Server.(engine.Volatile)
	if !can || !s.loaded {
		return false, nil
	}
	if lost, err := server.Lost(ctx); err != nil || !lost {
		return false, err
	}
	return true, s.Freely(ctx, func() error {
		if err := s.Server.Load(ctx, nil); err != nil {
			return err
		}
		return s.Server.Checkpoint(ctx)
	})
}

// stop stops the running server. If the host's tuning changes between servers, it writes out
// the server's dirty data first.
func (st *Stage) stop(ctx context.Context) error {
	before := st.up
	if before == nil {
		return nil
	}
	if st.Host.Changes() {
		_ = before.Checkpoint(ctx) // a server that cannot is stopped anyway
	}
	if err := before.stop(ctx); err != nil {
		return fmt.Errorf("cannot stop the server of %s: %w", before.Environment.Name, err)
	}
	st.up = nil
	return nil
}

// Remove removes everything created for the environments, and continues after a failure.
func (st *Stage) Remove(ctx context.Context) error {
	var failures []error
	if st.up != nil && slices.ContainsFunc(st.Stands, func(s *Stand) bool { return s.owner != nil }) {
		failures = append(failures, st.up.Server.Remove(ctx)) // one that shares its data would take it for a leftover
	}
	for _, s := range slices.Backward(st.Stands) { // in reverse: a value that was set twice gets its first value back
		failures = append(failures, s.remove(ctx))
	}
	return errors.Join(append(failures, st.Host.Leave(ctx))...)
}

// Directories returns the directories of the experiment's storage, by environment and role, with the
// paths by which plinth reaches them.
func (st *Stage) Directories() map[string]string {
	all := map[string]string{}
	for _, s := range st.Stands {
		for _, v := range s.Described.AllVolumes() {
			all[s.Environment.Name+" "+v.Role] = s.reach(v.Path)
		}
	}
	return all
}

// reach returns the path by which plinth reaches a directory of the server, which may be in a container.
func (s *Stand) reach(path string) string {
	if pid := s.PID(); pid != 0 {
		if there, err := host.PathOf(pid, path); err == nil {
			return there
		}
	}
	return path
}

// PID returns the PID of the first process of a server that is not plinth's own; 0 if it is not known
// to run on this machine.
func (s *Stand) PID() int {
	if local, is := s.Server.(engine.Local); is {
		return local.PID()
	}
	return 0
}
