package telemetry

import (
	"context"
	"slices"
	"sync"
	"time"

	"plinth/internal/record"
)

// Collector reads lanes until it is stopped.
type Collector struct {
	lanes  []*lane
	cancel context.CancelFunc
	stop   chan struct{}
	once   sync.Once
}

// Start reads every source at once, and then once a second, until Stop. It must be
// stopped.
func Start(ctx context.Context, lanes ...Lane) *Collector {
	ctx, cancel := context.WithCancel(ctx)
	c := &Collector{cancel: cancel, stop: make(chan struct{})}
	for _, l := range lanes {
		lane := newLane(l)
		c.lanes = append(c.lanes, lane)
		go lane.run(ctx, c.stop)
	}
	return c
}

// Align says when, by the wall clock, a second of the load begins: readings are
// then taken just before each of its seconds ends.
func (c *Collector) Align(bound time.Time) {
	for _, l := range c.lanes {
		l.align(bound)
	}
}

// Stop reads a last time, lets go of the sources, and returns when nothing is read
// any more. It may be called again.
func (c *Collector) Stop() {
	c.once.Do(func() { close(c.stop) })
	for _, l := range c.lanes {
		<-l.stopped
	}
	c.cancel()
}

// Columns are what was read, cut into the seconds that begin at begin, by the wall
// clock, and at whole seconds before and after it: one value for each of seconds.
// The collector has been stopped.
func (c *Collector) Columns(begin time.Time, seconds []float64) ([]record.Column, record.Telemetry) {
	var columns []record.Column
	var t record.Telemetry
	for _, l := range c.lanes {
		for _, missing := range l.Missing {
			if len(seconds) > 0 {
				t.Gaps = append(t.Gaps, record.TelemetryGap{
					Columns: []string{missing.Name + ".*"}, From: seconds[0], To: seconds[len(seconds)-1], Why: missing.Why,
				})
			}
		}
		for _, b := range l.boards {
			found, gaps := b.Columns(begin, seconds)
			columns, t.Gaps = append(columns, found...), append(t.Gaps, gaps...)
			t.Marks = append(t.Marks, b.Marks(begin)...)
			t.Unmarked += b.unseen
		}
		t.Cost = append(t.Cost, l.cost())
	}
	slices.SortStableFunc(t.Marks, earlier)
	return columns, t
}
