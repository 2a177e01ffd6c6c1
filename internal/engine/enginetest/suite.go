// Package enginetest is the suite that every kind of server must pass: one set
// of promises, however different the servers behind it.
package enginetest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/engine"
	"plinth/internal/record"
)

// Kind is one kind of server, and what the suite must know of it.
type Kind struct {
	// New makes a server that is not started. The suite removes it.
	New func(t *testing.T) engine.Server

	// Rows counts the rows that a driver would find.
	Rows func(t *testing.T, target engine.Target) int64

	// Dataset is what a load makes.
	Dataset Dataset

	// Drive changes the dataset, and how many rows it has, as a driver would.
	Drive func(t *testing.T, target engine.Target)

	// Resets are the ways of Reset after which the dataset has as many rows as loaded;
	// the first is used between steps. Keeps are those that leave its rows as they are,
	// besides none.
	Resets, Keeps []string

	// Places are where the server keeps each part of the dataset; nil where that cannot
	// be known.
	Places func(t *testing.T, target engine.Target) []string

	// KillServer ends the whole server with SIGKILL, KillBackend one connection's
	// process. Both return when it has ended. KillBackend is nil for a server that is
	// one process.
	KillServer, KillBackend func(t *testing.T, server engine.Server)

	// Revive brings back a server that plinth itself may not start; may be nil.
	Revive func(t *testing.T)

	// Traces is called while a server runs. What it returns lists those of the
	// server's traces on this machine that are still there.
	Traces func(t *testing.T, server engine.Server) func() []string

	// Event is something that the server does when it is told to (engine.Doer),
	// Refused something that it does not do, and Endless takes more than a minute.
	Event, Refused, Endless string

	// Secrets must never be seen in what is recorded.
	Secrets []string
}

// Dataset is what a load makes.
type Dataset struct {
	Rows     int64
	Bytes    int64  // at least
	Noise    int64  // bytes by which two loads may differ
	Step     string // of the load, which tells of all its rows
	StepRows int64
	Settings int // that the server has, at least
	// Describe looks at what this engine alone tells; may be nil.
	Describe func(t *testing.T, d record.Dataset)
}

// Run runs the suite.
func Run(t *testing.T, kind Kind) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // it only ends a hang
	t.Cleanup(cancel)
	s := suite{Kind: kind, ctx: ctx}
	s.server = kind.New(t)
	t.Cleanup(func() {
		if err := s.server.Remove(context.Background()); err != nil {
			t.Errorf("Remove at the end: %v", err)
		}
	})
	// In this order: each step stands on the ones before.
	t.Run("remove before start", s.removeFirst)
	for _, step := range []struct {
		name string
		test func(*testing.T)
	}{
		{"start", s.start}, {"load", s.load}, {"describe", s.describe},
		{"load again", s.loadAgain}, {"activity", s.activity}, {"reset", s.reset}, {"stop and start", s.stopAndStart},
		{"events", s.events}, {"killed backend", s.killedBackend}, {"killed server", s.killedServer},
		{"crash", s.crash},
		{"remove", s.remove}, {"remove a killed server", s.removeKilled},
	} {
		if !t.Run(step.name, step.test) {
			return
		}
	}
}

type suite struct {
	Kind
	ctx    context.Context
	server engine.Server
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func (s *suite) mustHaveRows(t *testing.T) {
	t.Helper()
	if n := s.Rows(t, s.server.Target()); n != s.Dataset.Rows {
		t.Fatalf("the dataset has %d rows, want %d", n, s.Dataset.Rows)
	}
}

func (s *suite) removeFirst(t *testing.T) {
	server := s.New(t)
	must(t, "Remove of a server that was never started", server.Remove(s.ctx))
}

func (s *suite) start(t *testing.T) {
	must(t, "Start", s.server.Start(s.ctx))
	must(t, "Start of a running server", s.server.Start(s.ctx))
	must(t, "Check", s.server.Check(s.ctx))
	must(t, "Checkpoint", s.server.Checkpoint(s.ctx))
}

func (s *suite) load(t *testing.T) {
	var steps []string
	last := engine.Progress{}
	must(t, "Load", s.server.Load(s.ctx, func(p engine.Progress) {
		if !slices.Contains(steps, p.Step) {
			steps = append(steps, p.Step)
		}
		if p.Step == s.Dataset.Step {
			last = p
		}
	}))
	if !slices.Contains(steps, s.Dataset.Step) || last.Done != s.Dataset.StepRows || last.Rows != s.Dataset.StepRows {
		t.Errorf("progress told of the steps %v and ended with %+v", steps, last)
	}
	s.mustHaveRows(t)
}

func (s *suite) describe(t *testing.T) {
	e, err := s.server.Describe(s.ctx)
	must(t, "Describe", err)
	if e.Dataset.Rows != s.Dataset.Rows || e.Dataset.Bytes < s.Dataset.Bytes {
		t.Errorf("dataset described as %+v", e.Dataset)
	}
	if s.Dataset.Describe != nil {
		s.Dataset.Describe(t, e.Dataset)
	}
	if slices.Contains([]string{e.Name, e.Schema, e.Version, e.Transport, e.Address, e.Generator}, "") ||
		e.VersionN == 0 || e.RoundTrip <= 0 || len(e.Settings) < s.Dataset.Settings {
		t.Errorf("described with gaps: %+v", e)
	}
	text, err := json.Marshal(e)
	must(t, "Marshal", err)
	for _, secret := range s.Secrets {
		if strings.Contains(string(text), secret) || strings.Contains(s.server.Target().Conninfo, secret) {
			t.Errorf("the secret %q is to be seen", secret)
		}
	}
}

func (s *suite) reset(t *testing.T) {
	for _, how := range s.Resets {
		s.Drive(t, s.server.Target())
		must(t, "Reset "+how, s.server.Reset(s.ctx, how))
		s.mustHaveRows(t)
	}
	for _, how := range append(s.Keeps, "none") {
		s.Drive(t, s.server.Target())
		must(t, "Reset "+how, s.server.Reset(s.ctx, how))
		if s.Rows(t, s.server.Target()) == s.Dataset.Rows {
			t.Errorf("Reset %s has changed the dataset, or Drive has not", how)
		}
	}
	if s.server.Reset(s.ctx, "somehow") == nil {
		t.Error("Reset in an unknown way gave no error")
	}
	s.setBack(t)
}

// setBack makes the dataset what it was as loaded.
func (s *suite) setBack(t *testing.T) {
	t.Helper()
	must(t, "Reset "+s.Resets[0], s.server.Reset(s.ctx, s.Resets[0]))
}

func (s *suite) stopAndStart(t *testing.T) {
	must(t, "Stop", s.server.Stop(s.ctx))
	must(t, "Stop of a stopped server", s.server.Stop(s.ctx))
	must(t, "Start", s.server.Start(s.ctx))
	must(t, "Check", s.server.Check(s.ctx))
	s.mustHaveRows(t)
}

func (s *suite) killedBackend(t *testing.T) {
	if s.KillBackend == nil {
		return
	}
	s.KillBackend(t, s.server)
	if err := s.server.Check(s.ctx); err == nil {
		t.Fatal("Check has not noticed that a backend was killed")
	} else {
		t.Logf("Check: %v", err)
	}
	s.mustWorkAgain(t)
}

func (s *suite) killedServer(t *testing.T) {
	before := s.mustReadActivity(t)
	s.KillServer(t, s.server)
	if err := s.server.Check(s.ctx); err == nil {
		t.Fatal("Check has not noticed that the server was killed")
	} else {
		t.Logf("Check: %v", err)
	}
	if s.Revive != nil {
		s.Revive(t)
	}
	s.mustWorkAgain(t)
	// Another start is seen; that it is later is not, of a server that says its age in whole seconds.
	if after := s.mustReadActivity(t); after.Started.Equal(before.Started) {
		t.Errorf("activity before the server was killed %+v, and after %+v", before, after)
	}
}

func (s *suite) mustWorkAgain(t *testing.T) {
	t.Helper()
	must(t, "Start after the server went down", s.server.Start(s.ctx))
	must(t, "Check after that", s.server.Check(s.ctx))
	s.setBack(t)
	s.mustHaveRows(t)
}

func (s *suite) remove(t *testing.T) {
	traces := s.Traces(t, s.server)
	if len(traces()) == 0 {
		t.Error("a running server has no traces: the test sees nothing")
	}
	must(t, "Remove", s.server.Remove(s.ctx))
	if left := traces(); len(left) > 0 {
		t.Errorf("Remove has left %v", left)
	}
	must(t, "Remove of a removed server", s.server.Remove(s.ctx))
	if s.server.Check(s.ctx) == nil && s.Revive == nil {
		t.Error("Check of a removed server gave no error")
	}
}

func (s *suite) removeKilled(t *testing.T) {
	server := s.New(t)
	must(t, "Start", server.Start(s.ctx))
	traces := s.Traces(t, server)
	s.KillServer(t, server)
	if s.Revive != nil {
		s.Revive(t)
	}
	must(t, "Remove of a killed server", server.Remove(s.ctx))
	if left := traces(); len(left) > 0 {
		t.Errorf("Remove of a killed server has left %v", left)
	}
}
