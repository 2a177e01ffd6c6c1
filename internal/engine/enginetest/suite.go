// Package enginetest is the conformance suite of package engine, which every kind of server
// must pass.
package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/record"
)

// Kind is one kind of server, and what the suite must know about it.
type Kind struct {
	// New creates a server that is not started. The suite removes it.
	New func(t *testing.T) engine.Server

	// Rows counts the rows that a driver would find.
	Rows func(t *testing.T, target engine.Target) int64

	// Dataset is the result of a load.
	Dataset Dataset

	// Drive changes the dataset, and its number of rows, as a driver would.
	Drive func(t *testing.T, target engine.Target)

	// Resets are the methods of Reset that restore the number of rows as loaded; the first is
	// used between steps. Keeps are the methods, besides none, that keep the rows as they are.
	Resets, Keeps []string

	// Places returns where the server keeps each part of the dataset; nil if that cannot be
	// known.
	Places func(t *testing.T, target engine.Target) []string

	// KillServer ends the whole server with SIGKILL, KillBackend the process of one connection.
	// Both return after the exit. KillBackend is nil for a single-process server.
	KillServer, KillBackend func(t *testing.T, server engine.Server)

	// PID returns the first process of a server that plinth started; nil for other servers.
	PID func(server engine.Server) int

	// Revive brings back a server that plinth itself may not start; may be nil.
	Revive func(t *testing.T)

	// Traces is called while a server runs. The function that it returns lists the traces of the
	// server on this machine that still exist.
	Traces func(t *testing.T, server engine.Server) func() []string

	// Event is a statement that the server runs (engine.Doer), Refused one that it rejects, and
	// Endless one that takes more than a minute.
	Event, Refused, Endless string

	// Secrets must never appear in a record.
	Secrets []string
}

// Dataset is the result of a load.
type Dataset struct {
	Rows     int64
	Bytes    int64  // at least
	Noise    int64  // bytes by which two loads may differ
	Step     string // of the load: the one that reports all its rows
	StepRows int64
	Settings int // minimum number of settings that the server reports
	// Describe checks what only this engine reports; may be nil.
	Describe func(t *testing.T, d record.Dataset)
}

// Run runs the suite.
func Run(t *testing.T, kind Kind) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // only ends a hang
	t.Cleanup(cancel)
	s := suite{Kind: kind, ctx: ctx}
	s.server = kind.New(t)
	t.Cleanup(func() {
		if err := s.server.Remove(context.Background()); err != nil {
			t.Errorf("Remove at the end: %v", err)
		}
	})
	// The order matters: each step depends on the ones before.
	t.Run("remove before start", s.removeFirst)
	for _, step := range []struct {
		name string
		test func(*testing.T)
	}{
		{"start", s.start}, {"load", s.load}, {"describe", s.describe},
		{"load again", s.loadAgain}, {"activity", s.activity}, {"reset", s.reset}, {"stop and start", s.stopAndStart},
		{"paused", s.paused},
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
		t.Errorf("progress reported the steps %v and ended with %+v", steps, last)
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
			t.Errorf("the secret %q is visible", secret)
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
		t.Error("Reset by an unknown method gave no error")
	}
	s.setBack(t)
}

// setBack restores the dataset as loaded.
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

// paused checks a server that was stopped by a signal: Check reports it at once, Start continues
// it, and Stop does not wait for it.
func (s *suite) paused(t *testing.T) {
	if s.PID == nil {
		return
	}
	pause := func() {
		pid := s.PID(s.server)
		must(t, "SIGSTOP", syscall.Kill(pid, syscall.SIGSTOP))
		must(t, "state T", life.Poll(s.ctx, time.Minute, func() bool { return life.State(pid) == "T" }))
	}
	pause()
	if err := s.server.Check(s.ctx); !errors.Is(err, life.ErrPaused) {
		t.Errorf("Check: %v, want %v", err, life.ErrPaused)
	}
	must(t, "Start", s.server.Start(s.ctx))
	must(t, "Check", s.server.Check(s.ctx))
	pause()
	must(t, "Stop", s.server.Stop(s.ctx))
	must(t, "Start", s.server.Start(s.ctx))
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
	// The start time must differ. Whether it is later cannot be checked: some servers report
	// their age in whole seconds.
	if after := s.mustReadActivity(t); after.Started.Equal(before.Started) {
		t.Errorf("the start time did not change although the server was killed: before %+v, after %+v", before, after)
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
