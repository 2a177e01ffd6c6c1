package enginetest

import (
	"context"
	"errors"
	"testing"

	"plinth/internal/engine"
)

// witnesses is the number of connections that commit while the server is killed.
const witnesses = 4

// events checks that a server runs events, also under load, and cancels them.
func (s *suite) events(t *testing.T) {
	doer, able := s.server.(engine.Doer)
	if !able {
		return
	}
	must(t, "Do", doer.Do(s.ctx, s.Event))
	done := make(chan error)
	go func() { done <- doer.Do(s.ctx, s.Event) }()
	s.Drive(t, s.server.Target())
	must(t, "Do under load", <-done)
	if err := doer.Do(s.ctx, s.Refused); err == nil {
		t.Errorf("Do of %q gave no error", s.Refused)
	} else {
		t.Logf("Do: %v", err)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	go func() { done <- doer.Do(ctx, s.Endless) }()
	s.Drive(t, s.server.Target()) // the event may not even have started, and must end all the same
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Do of %q gave %v after it was cancelled", s.Endless, err)
	}
	must(t, "Check", s.server.Check(s.ctx))
	s.setBack(t)
}

// crash checks that a killed server has kept everything that it acknowledged.
func (s *suite) crash(t *testing.T) {
	crasher, able := s.server.(engine.Crasher)
	if !able {
		return
	}
	witness, err := crasher.Witness(s.ctx, witnesses)
	must(t, "Witness", err)
	s.Drive(t, s.server.Target())
	must(t, "Kill", crasher.Kill(s.ctx))
	must(t, "Kill of a killed server", crasher.Kill(s.ctx))
	if s.server.Check(s.ctx) == nil {
		t.Error("Check has not noticed that the server was killed")
	}
	took, err := crasher.Recover(s.ctx)
	must(t, "Recover", err)
	if took <= 0 {
		t.Errorf("Recover took %v", took)
	}
	if _, err := crasher.Recover(s.ctx); err == nil {
		t.Error("Recover of a running server gave no error")
	}
	testimonies, err := witness.Count(s.ctx, s.server)
	must(t, "Count", err)
	for i, one := range testimonies {
		if one.Found != one.Acknowledged || one.Holes != 0 || one.Highest > one.Acknowledged+1 {
			t.Errorf("connection %d: %+v", i, one)
		}
	}
	s.mustWorkAgain(t)
}
