package telemetry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"plinth/internal/host"
	"plinth/internal/host/watch"
	"plinth/internal/record"
)

const (
	// second is the interval between readings.
	second = time.Second

	// lead is how long before the end of a second sources are read: at the end of the
	// load, the load generator then still exists.
	lead = 20 * time.Millisecond

	// patience is the timeout of one reading.
	patience = 2 * time.Second
)

// lane reads the sources of a Lane until it is stopped.
type lane struct {
	Lane
	boards  []*Board // of the sources, in their order
	sampler Sampler  // nil if no source samples; at most one does

	mu      sync.Mutex
	aligned time.Time // start of a second; zero until known
	changed chan struct{}

	stopped chan struct{}

	// Cost of the readings.
	readings, samples int
	first, last       time.Time
	cpu               time.Duration
	sample            time.Duration // of the last sample whose cost was measured
}

func newLane(l Lane) *lane {
	n := &lane{Lane: l, changed: make(chan struct{}, 1), stopped: make(chan struct{})}
	for _, source := range l.Sources {
		n.boards = append(n.boards, NewBoard(source.Name()))
		if s, ok := source.(Sampler); ok {
			n.sampler = s
		}
	}
	return n
}

// align makes seconds start at this moment and at whole seconds from it.
func (l *lane) align(bound time.Time) {
	l.mu.Lock()
	l.aligned = bound
	l.mu.Unlock()
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// next returns when the next reading is due after now.
func (l *lane) next(now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.aligned.IsZero() {
		return now.Add(second)
	}
	// The bound is by the wall clock; the remainder of the second is the same by either
	// clock.
	since := now.Round(0).Add(lead).Sub(l.aligned)
	left := second - since%second
	if since < 0 {
		left = -(since % second)
	}
	if left < second/20 { // it was just read, slightly early
		left += second
	}
	return now.Add(left)
}

// run reads at once, every second, and a last time when stop is closed.
func (l *lane) run(ctx context.Context, stop <-chan struct{}) {
	defer close(l.stopped)
	defer l.close()
	l.read(ctx)
	due := l.next(time.Now())
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	look := &time.Timer{} // never fires without a sampler
	if l.sampler != nil {
		look = time.NewTimer(untilLook(l.sampler.Pace()))
		defer look.Stop()
	}
	for {
		select {
		case <-stop:
			l.read(ctx)
			return
		case <-l.changed:
			due = l.next(time.Now())
		case <-timer.C:
			l.read(ctx)
			due = l.next(time.Now())
		case <-look.C:
			l.look(ctx)
			l.samples++
			look.Reset(untilLook(l.sampler.Pace()))
			continue
		}
		timer.Reset(time.Until(due))
	}
}

// untilLook returns the time until the next sample: one at a random moment of each interval. Samples at an even pace
// would see a disk whose requests complete at an even pace, as under a limit of IOPS, always in the same phase.
func untilLook(pace time.Duration) time.Duration {
	if pace <= 0 {
		return 0
	}
	return watch.UntilTick(pace) + rand.N(pace)
}

// weighed is how many samples share one measurement of CPU time: measuring costs more than
// a sample, because a waiting goroutine must keep its thread.
const weighed = 10

// look takes one sample. The sampler's Read reports errors.
func (l *lane) look(ctx context.Context) {
	sample := func() { _ = safely(func() error { l.sampler.Sample(ctx); return nil }) }
	if l.samples%weighed > 0 {
		sample()
		l.cpu += l.sample
		return
	}
	before := l.cpu
	l.spend(sample)
	l.sample = l.cpu - before
}

// read reads all sources once.
func (l *lane) read(ctx context.Context) {
	l.last = time.Now()
	if l.readings == 0 {
		l.first = l.last
	}
	l.readings++
	for i, source := range l.Sources {
		l.spend(func() { readOne(ctx, source, l.boards[i]) })
	}
}

func readOne(ctx context.Context, source Source, b *Board) {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	b.Begin(time.Now())
	err := safely(func() error { return source.Read(within, b) })
	b.End(time.Now(), err)
}

// safely turns a panic into an error: a bug in a reader that shows on an unusual machine
// may cost a column, but never a run.
func safely(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("bug in plinth: %v", r)
		}
	}()
	return do()
}

// spend runs do and adds the CPU time that it took.
func (l *lane) spend(do func()) { l.cpu += host.ThreadTime(do) }

func (l *lane) close() {
	for _, source := range l.Sources {
		source.Close()
	}
}

// cost returns the cost of the lane.
func (l *lane) cost() record.Cost {
	c := record.Cost{
		Lane: l.Name, Readings: l.readings, Covered: l.last.Sub(l.first).Seconds(), CPU: l.cpu.Seconds(),
	}
	if l.samples > 0 {
		c.Pace = c.Covered / float64(l.samples)
	}
	for _, source := range l.Sources {
		if s, ok := source.(Costly); ok {
			cpu, known, held := s.Cost()
			c.Server, c.Known, c.Held = cpu.Seconds(), known, held
		}
	}
	return c
}
