package runner

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/record"
)

// Do is an event of the world: it ends when the world says so, or with its context.
func (s *fakeServer) Do(ctx context.Context, _ string) error {
	close(s.w.eventBegun)
	select {
	case <-s.w.eventEnds:
		s.w.note("event ended")
		return nil
	case <-ctx.Done():
		s.w.note("event cut")
		return ctx.Err()
	}
}

const withEvent = `
name: with-event
workloads: [select-only]
repeats: 1
duration: 1s
warmup: 0s
events: [{at: 0s, sql: select 1}]
environments: {one: {}}
`

// eventful returns a world whose load ends, with an error or without, once its event has begun.
func eventful(failure error) *world {
	w := newWorld()
	w.eventBegun, w.eventEnds = make(chan struct{}), make(chan struct{})
	runs := 0
	w.outcome = func(_ int, job driver.Job) (*driver.Outcome, error) {
		if runs++; runs > 1 { // the block is driven again
			w.eventBegun = make(chan struct{})
		}
		job.Begun(time.Now())
		<-w.eventBegun
		if failure != nil {
			return nil, failure
		}
		return good(1000), nil
	}
	return w
}

// An event that has begun is completed although the load failed: left half done, it would disturb
// the next run.
func TestEventOfAFailedLoad(t *testing.T) {
	w := eventful(errors.New("the load generator crashed"))
	go func() {
		<-w.eventBegun
		time.Sleep(100 * time.Millisecond) // long after the load has failed
		close(w.eventEnds)
	}()
	if _, err := w.start(t, t.TempDir(), withEvent, nil); err == nil {
		t.Error("no error")
	}
	if slices.Contains(w.events, "event cut") || !slices.Contains(w.events, "event ended") {
		t.Errorf("%v", w.events)
	}
}

// Ctrl-C ends an event that the run waits for.
func TestInterruptedEvent(t *testing.T) {
	w := eventful(nil)
	go func() {
		<-w.eventBegun
		time.Sleep(100 * time.Millisecond) // the load has ended, and the run waits for the event
		w.cancel()
	}()
	rec, err := w.start(t, t.TempDir(), withEvent, nil)
	if !errors.Is(err, context.Canceled) || rec.Summary.State != record.Interrupted || len(rec.Runs) > 0 {
		t.Errorf("%v, %s, %d runs", err, rec.Summary.State, len(rec.Runs))
	}
	if !slices.Contains(w.events, "event cut") {
		t.Errorf("%v", w.events)
	}
}
