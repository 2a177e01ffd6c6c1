// Package telemetry reads a machine and a server once a second while a load runs,
// and lays what it read beside the seconds of the load.
//
// A Source reads one thing and puts what it found on its Board: raw counters and
// gauges, with the time of the reading. What a second is, is known only when the
// load has begun (Align), so rates are made at the end, when readings are cut at
// the bounds of seconds. Sources that may have to wait, such as a server, are in a
// Lane of their own, so that none delays another.
package telemetry

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"plinth/internal/metric"
	"plinth/internal/record"
)

// Source reads one thing, once a second. Its methods are called by one goroutine.
type Source interface {
	// Name is what its gaps are told by: "meminfo", "pg_stat_wal".
	Name() string

	// Metrics are all that it may put on its board.
	Metrics() []metric.Metric

	// Read reads once. An error says why nothing of it is known this time; it costs
	// no run. What a reading does not Put is a gap, too.
	Read(ctx context.Context, b *Board) error

	// Close lets go of what it holds. It is called once, after the last Read.
	Close()
}

// Sampler is a Source that looks more often than it is read, and puts what it has
// counted when it is read.
type Sampler interface {
	Source

	// Sample looks once. What goes wrong is for Read to tell.
	Sample(ctx context.Context)

	// Pace is how long after a sample the next one is due. It may change.
	Pace() time.Duration
}

// Lane is sources that are read one after the other. Another lane does not wait
// for them.
type Lane struct {
	Name    string // "kernel", "server"
	Sources []Source
	// Missing are sources that could not be opened, and why.
	Missing []Missing
}

// Missing is a source that is not there for the whole run.
type Missing struct {
	Name string // as the source's own
	Why  string
}

// Costly is a Source that costs somebody else CPU time, too.
type Costly interface {
	Source

	// Cost is how much CPU time the server spent on answering since the first
	// reading, whether that is known, and why it was asked less often than wanted:
	// "" when it was not.
	Cost() (cpu time.Duration, known bool, held string)
}

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
	slices.SortStableFunc(t.Marks, func(a, b record.Mark) int { return cmp.Compare(a.Second, b.Second) })
	return columns, t
}
