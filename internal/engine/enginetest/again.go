package enginetest

import (
	"slices"
	"testing"
	"time"

	"plinth/internal/engine"
	"plinth/internal/record"
)

// loadAgain checks that a second load has the same result as the first, in other files.
func (s *suite) loadAgain(t *testing.T) {
	before, err := s.server.Describe(s.ctx)
	must(t, "Describe", err)
	places := s.places(t)
	s.Drive(t, s.server.Target())
	told := 0
	must(t, "Load of a loaded dataset", s.server.Load(s.ctx, func(engine.Progress) { told++ }))
	s.mustHaveRows(t)
	must(t, "Check", s.server.Check(s.ctx))
	if told < 3 {
		t.Errorf("progress was reported %d times", told)
	}
	after, err := s.server.Describe(s.ctx)
	must(t, "Describe", err)
	s.sameDataset(t, before.Dataset, after.Dataset)
	for _, place := range s.places(t) {
		if slices.Contains(places, place) {
			t.Errorf("%s existed before the load", place)
		}
	}
}

func (s *suite) places(t *testing.T) []string {
	if s.Places == nil {
		return nil
	}
	return s.Places(t, s.server.Target())
}

func (s *suite) sameDataset(t *testing.T, before, after record.Dataset) {
	t.Helper()
	if !after.Loaded.After(before.Loaded) || after.Duration <= 0 {
		t.Errorf("loaded at %s, then at %s in %v s", before.Loaded, after.Loaded, after.Duration)
	}
	apart := max(before.Bytes, after.Bytes) - min(before.Bytes, after.Bytes)
	if before.Rows != after.Rows || apart > s.Dataset.Noise || !slices.Equal(before.Tables, after.Tables) {
		t.Errorf("loaded first\n%+v\nand then\n%+v", before, after)
	}
}

// activity checks that two readings show what happened in between.
func (s *suite) activity(t *testing.T) {
	e, err := s.server.Describe(s.ctx)
	must(t, "Describe", err)
	before := s.mustReadActivity(t)
	if before.Started.IsZero() || before.Started.After(time.Now()) || len(before.Counts) == 0 {
		t.Errorf("activity %+v", before)
	}
	if e.Kind == "own" && before.PID == 0 || e.Elsewhere && before.PID != 0 {
		t.Errorf("the process %d of a server that is %s", before.PID, e.Kind)
	}
	s.Drive(t, s.server.Target())
	must(t, "Checkpoint", s.server.Checkpoint(s.ctx))
	after := s.mustReadActivity(t)
	requested, counted := before.Counts[record.CheckpointsRequested] // if the server counts what Checkpoint does
	for e.Checkpoint && counted && after.Counts[record.CheckpointsRequested] == requested && s.ctx.Err() == nil {
		after = s.mustReadActivity(t) // statistics may lag
	}
	if !after.Started.Equal(before.Started) || after.PID != before.PID || after.Counts[record.CheckpointsRequested] < requested {
		t.Errorf("activity %+v, and then %+v", before, after)
	}
	s.setBack(t)
}

func (s *suite) mustReadActivity(t *testing.T) engine.Activity {
	t.Helper()
	a, err := s.server.Activity(s.ctx)
	must(t, "Activity", err)
	return a
}
