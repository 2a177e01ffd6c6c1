package runner

import (
	"context"
	"errors"
	"time"

	"plinth/internal/engine"
)

// crashes controls how the servers of a world are killed, recover and replicate.
type crashes struct {
	lost      func(in string) []engine.Testimony // what the durability check reports; nil: ten writes, none lost
	recovers  func(name string) error            // may be nil
	follows   func() error                       // may be nil
	witnesses int                                // durability checks that were started
	begin     func(number int)                   // called for each; may be nil
	lag       []error                            // the first results of Lag; then it returns 0
}

var (
	_ engine.Crasher    = (*fakeServer)(nil)
	_ engine.Replicator = (*fakeServer)(nil)
)

func (s *fakeServer) Kill(context.Context) error {
	s.w.note("kill %s", s.name)
	s.w.turn(s.name, false)
	return nil
}

func (s *fakeServer) Recover(context.Context) (time.Duration, error) {
	s.w.note("recover %s", s.name)
	if s.w.recovers != nil {
		if err := s.w.recovers(s.name); err != nil {
			return 0, err
		}
	}
	s.w.turn(s.name, true)
	s.dead = nil
	return time.Second, nil
}

func (s *fakeServer) Witness(_ context.Context, _ int) (engine.Witness, error) {
	s.w.note("witness %s", s.name)
	if s.w.witnesses++; s.w.begin != nil {
		s.w.begin(s.w.witnesses)
	}
	return fakeWitness{s.w}, s.running()
}

func (s *fakeServer) Follow(_ context.Context, primary engine.Server, _ func(engine.Progress)) error {
	of := primary.(*fakeServer)
	s.w.note("follow %s", of.name)
	if s.w.follows != nil {
		if err := s.w.follows(); err != nil {
			return err
		}
	}
	s.w.turn(s.name, true)
	return of.running()
}

func (s *fakeServer) Promote(context.Context) (time.Duration, error) {
	s.w.note("promote %s", s.name)
	return 2 * time.Second, s.running()
}

func (s *fakeServer) Lag(context.Context) (int64, error) {
	if len(s.w.lag) > 0 {
		err := s.w.lag[0]
		s.w.lag = s.w.lag[1:]
		return 0, err
	}
	return 0, s.running()
}

type fakeWitness struct{ w *world }

func (fakeWitness) Stop(context.Context) {}

func (f fakeWitness) Count(_ context.Context, in engine.Server) ([]engine.Testimony, error) {
	server := in.(*fakeServer)
	f.w.note("count in %s", server.name)
	if f.w.lost == nil {
		return []engine.Testimony{{Acknowledged: 10, Found: 10}}, server.running()
	}
	return f.w.lost(server.name), server.running()
}

var errNoDisk = errors.New("PANIC: no disk")
