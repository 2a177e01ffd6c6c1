// Package telemetry reads a machine and a server once a second while a load runs, and
// aligns the readings with the seconds of the load.
//
// A Source reads one subject and puts raw counters and gauges on its Board, with the time
// of the reading. The times at which the load's seconds begin are not known until the load
// runs (see Align). The method Columns therefore computes the values for each second, including rates,
// after the run. Sources that may have to wait, such as a server, are in separate Lanes, so
// that none delays another.
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

// Source reads one subject, once a second. Its methods are called by one goroutine.
type Source interface {
	// Name returns the name used for its gaps: "meminfo", "pg_stat_wal".
	Name() string

	// Metrics returns all metrics that it may put on its board.
	Metrics() []metric.Metric

	// Read reads once. An error is the reason why all its values are unknown this time; the
	// run stays valid. What a reading does not Put is a gap, too.
	Read(ctx context.Context, b *Board) error

	// Close releases its resources. It is called once, after the last Read.
	Close()
}

// Sampler is a Source that samples more often than it is read, and puts its counts when it
// is read.
type Sampler interface {
	Source

	// Sample takes one sample. Read reports errors.
	Sample(ctx context.Context)

	// Pace returns the time from a sample to the next one. It may change.
	Pace() time.Duration
}

// Lane is sources that are read one after the other. Other lanes do not wait for them.
type Lane struct {
	Name    string // "kernel", "server"
	Sources []Source
	// Missing are sources that could not be opened, and why.
	Missing []Missing
}

// Missing is a source that is unavailable for the whole run.
type Missing struct {
	Name string // as Source.Name
	Why  string
}

// Costly is a Source that also costs the server CPU time.
type Costly interface {
	Source

	// Cost returns how much CPU time the server spent on answering since the first reading,
	// whether that is known, and why it was asked less often than wanted: "" if it was not.
	Cost() (cpu time.Duration, known bool, held string)
}

// Collector reads lanes until it is stopped.
type Collector struct {
	lanes  []*lane
	cancel context.CancelFunc
	stop   chan struct{}
	once   sync.Once
}

// Start reads every source at once, and then once a second, until Stop, which must be
// called.
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

// Align sets when, by the wall clock, a second of the load starts: readings are then taken
// just before each of its seconds ends.
func (c *Collector) Align(bound time.Time) {
	for _, l := range c.lanes {
		l.align(bound)
	}
}

// Stop reads a last time, closes the sources, and returns when all reading has ended. It
// may be called again.
func (c *Collector) Stop() {
	c.once.Do(func() { close(c.stop) })
	for _, l := range c.lanes {
		<-l.stopped
	}
	c.cancel()
}

// Columns returns what was read, cut into the seconds that start at begin, by the wall
// clock, and at whole seconds before and after it: one value for each of seconds. The
// collector must have been stopped.
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
