package runner

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
	"plinth/internal/runner/ground"
)

// stage holds all places. Side by side every server stays up, idle but for the
// one that is driven; otherwise one server is up at a time.
type stage struct {
	places     []*place
	sideBySide bool
	up         *place // the one that runs, when not side by side
	ground     *ground.Ground
	caches     string         // as the experiment declares
	switched   *record.Switch // of what the last switch was made, until a run has taken it
}

func (s *stage) place(name string) *place {
	for _, p := range s.places {
		if p.environment.Name == name {
			return p
		}
	}
	return nil
}

// enter makes p's server ready, on a machine that is tuned for it, and returns how
// long the switch took.
func (s *stage) enter(ctx context.Context, p *place) (time.Duration, error) {
	if s.sideBySide {
		return 0, s.ground.Lay(ctx, p.environment.Name) // once: it is the same for all
	}
	if s.up == p {
		return 0, nil
	}
	began := time.Now()
	sw := record.Switch{}
	steps := []struct {
		seconds *float64
		do      func() error
	}{
		{&sw.Stop, func() error { return s.stop(ctx) }},
		{&sw.Sync, func() (err error) { sw.Dirty, err = s.ground.Quiet(ctx, p.environment.Name); return err }},
		{&sw.Tune, func() error { return s.retune(ctx, p) }},
		{&sw.Start, func() error {
			s.up = p // even where Start fails: it may be half up, and Stop ends that
			return p.start(ctx)
		}},
		{&sw.Settle, func() error { return s.warm(ctx, p) }},
	}
	for _, step := range steps {
		at := time.Now()
		err := step.do()
		*step.seconds = time.Since(at).Seconds()
		if err != nil {
			return 0, err
		}
	}
	if s.ground.Changes() {
		s.switched = &sw
	}
	return time.Since(began), nil
}

// retune tunes the machine for an environment, while no server is up.
func (s *stage) retune(ctx context.Context, p *place) error {
	if err := s.ground.Lay(ctx, p.environment.Name); err != nil || s.caches != experiment.CachesDrop {
		return err
	}
	return host.DropCaches()
}

// warm has the caches hold what the experiment declares, once a server was switched in.
func (s *stage) warm(ctx context.Context, p *place) error {
	warmer, can := p.server.(engine.Warmer)
	if s.caches != experiment.CachesPrewarm || !can || !p.loaded {
		return nil
	}
	return warmer.Warm(ctx)
}

// stop stops the server that is up. What it had not written yet it writes out first.
func (s *stage) stop(ctx context.Context) error {
	before := s.up
	if before == nil {
		return nil
	}
	s.up = nil
	if s.ground.Changes() {
		_ = before.checkpoint(ctx) // a server that cannot is stopped all the same
	}
	if err := before.stop(ctx); err != nil {
		return fmt.Errorf("cannot stop the server of %s: %w", before.environment.Name, err)
	}
	return nil
}

// remove removes all that was made for the environments, going on after a failure.
func (s *stage) remove(ctx context.Context) error {
	var failures []error
	for _, p := range slices.Backward(s.places) { // what was set twice gets its first value back
		failures = append(failures, p.remove(ctx))
	}
	return errors.Join(append(failures, s.ground.Leave(ctx))...)
}

// directories are the directories of the experiment's storage, by environment and role.
func (s *stage) directories() map[string]string {
	all := map[string]string{}
	for _, p := range s.places {
		for _, v := range p.described.AllVolumes() {
			all[p.environment.Name+" "+v.Role] = v.Path
		}
	}
	return all
}
