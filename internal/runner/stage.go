package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// stage holds all places. Side by side every server stays up, idle but for the
// one that is driven; otherwise one server is up at a time.
type stage struct {
	places     []*place
	sideBySide bool
	up         *place // the one that runs, when not side by side
}

func (s *stage) place(name string) *place {
	for _, p := range s.places {
		if p.environment.Name == name {
			return p
		}
	}
	return nil
}

// enter makes p's server ready and returns how long the switch took.
func (s *stage) enter(ctx context.Context, p *place) (time.Duration, error) {
	if s.sideBySide || s.up == p {
		return 0, nil
	}
	began := time.Now()
	if before := s.up; before != nil {
		s.up = nil
		if err := before.stop(ctx); err != nil {
			return 0, fmt.Errorf("cannot stop the server of %s: %w", before.environment.Name, err)
		}
	}
	s.up = p // even where Start fails: it may be half up, and Stop ends that
	if err := p.start(ctx); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}

// remove removes all that was made for the environments, going on after a failure.
func (s *stage) remove(ctx context.Context) error {
	var failures []error
	for _, p := range slices.Backward(s.places) { // what was set twice gets its first value back
		failures = append(failures, p.remove(ctx))
	}
	return errors.Join(failures...)
}
