package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/merge"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/site"
)

// round is one run whose load generators are not, or not only, beside the server.
type round struct {
	clocks  []clock       // of all members; those that take no part are zero
	at      time.Time     // when the clocks were compared
	trip    time.Duration // the longest to the server
	shares  []experiment.Cell
	results []*driver.Outcome // of each load generator
}

// clock is the clock of a machine, compared with that of this one.
type clock struct{ ahead, within time.Duration }

// clocked is a site on another machine.
type clocked interface {
	Clock(ctx context.Context, n int) (ahead, within time.Duration, err error)
}

// comparisons is how often two clocks are compared: the quickest answer counts.
const comparisons = 4

// Ready makes an environment ready for a run. It is the one that Begun, Watch, Drive and End are
// about. Then the machines of the load generators are made ready, and the clocks are compared.
func (f *Fleet) Ready(ctx context.Context, o site.Order) (site.Ready, error) {
	f.current, f.round = f.of[o.Environment], nil
	o.Neighbours = f.neighbours(f.current)
	if len(f.drivers) == 0 {
		return f.members[f.current].Site.Ready(ctx, o)
	}
	o.Apart = !slices.Contains(f.drivers, f.current)
	ready, err := f.members[f.current].Site.Ready(ctx, o)
	if err != nil {
		return ready, err
	}
	if err := f.checkTarget(o.Environment, ready.Target); err != nil {
		f.abandon(ctx)
		return ready, err
	}
	round := &round{}
	compared := make(chan error, 1)
	go func() { compared <- round.compare(ctx, f) }()
	trips := make([]time.Duration, len(f.members))
	err = f.driving(func(i int, m Member) error {
		if i == f.current {
			return nil
		}
		ready, err := m.Site.Ready(ctx, site.Order{Target: ready.Target, Neighbours: f.neighbours(i)})
		trips[i] = ready.RoundTrip
		return err
	})
	if err = gravest(err, <-compared); err != nil {
		f.abandon(ctx)
		return ready, err
	}
	round.trip = slices.Max(trips)
	f.round = round
	return ready, nil
}

// abandon ends what Ready began on the server's machine, background load and readings, because no
// load follows, whose end would end it.
func (f *Fleet) abandon(ctx context.Context) {
	_, _ = f.members[f.current].Site.End(ctx, site.Ending{Failed: true})
}

// driving calls do for all load generators at once.
func (f *Fleet) driving(do func(member int, m Member) error) error {
	failures := make([]error, len(f.drivers))
	var all sync.WaitGroup
	for n, i := range f.drivers {
		all.Go(func() { failures[n] = f.members[i].name(do(i, f.members[i])) })
	}
	all.Wait()
	return gravest(failures...)
}

// gravest returns a lost connection, which ends the experiment, or else the first error that is not the
// consequence of another one.
func gravest(failures ...error) error {
	for _, err := range failures {
		if errors.As(err, new(*agent.LostError)) {
			return err
		}
	}
	for _, err := range failures {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return cmp.Or(failures...)
}

// compare compares the clocks of the server's and the load generators' machines with this one's.
func (r *round) compare(ctx context.Context, f *Fleet) error {
	r.clocks, r.at = make([]clock, len(f.members)), time.Now()
	failures := make([]error, len(f.members))
	var all sync.WaitGroup
	for i, m := range f.members {
		other, elsewhere := m.Site.(clocked)
		if elsewhere && (i == f.current || slices.Contains(f.drivers, i)) {
			all.Go(func() { r.clocks[i].ahead, r.clocks[i].within, failures[i] = other.Clock(ctx, comparisons) })
		}
	}
	all.Wait()
	return cmp.Or(failures...)
}

// toServer returns what, added to the clock of a load generator's machine, gives that of the server's.
func (r *round) toServer(f *Fleet, member int) merge.Clock {
	if member == f.current {
		return merge.Clock{}
	}
	server, own := r.clocks[f.current], r.clocks[member]
	return merge.Clock{Offset: server.ahead - own.ahead, Bound: server.within + own.within}
}

// Begun reports when the measured window began, by the clock of the environment's machine.
func (f *Fleet) Begun(window time.Time) { f.members[f.current].Site.Begun(window) }

// Watch watches the server under load.
func (f *Fleet) Watch(ctx context.Context) error { return f.members[f.current].Site.Watch(ctx) }

// Drive drives the load on the environment's own machine, or on those of the load generators, and
// merges their outcomes. Times in the outcome are those of the environment's machine.
func (f *Fleet) Drive(ctx context.Context, job driver.Job) (*driver.Outcome, error) {
	if len(f.drivers) == 0 {
		return f.members[f.current].Site.Drive(ctx, job)
	}
	jobs, agreed, err := f.jobs(job)
	if err != nil {
		return nil, err
	}
	r := f.round
	r.results = make([]*driver.Outcome, len(jobs))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = f.driving(func(i int, m Member) error {
		n := slices.Index(f.drivers, i)
		outcome, err := m.Site.Drive(ctx, jobs[n].Job)
		if err != nil {
			cancel() // the others would drive a part of the load
		}
		r.results[n] = outcome
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(jobs) == 1 {
		return alone(*r.results[0], r.toServer(f, f.drivers[0])), nil
	}
	return f.merged(jobs, agreed, job.Keep)
}

// alone returns the outcome of the only load generator, with the times of the server's machine.
func alone(o driver.Outcome, c merge.Clock) *driver.Outcome {
	if !o.Begin.IsZero() {
		o.Begin, o.End = o.Begin.Add(c.Offset), o.End.Add(c.Offset)
	}
	return &o
}

// share is the job of one load generator.
type share struct {
	driver.Job
	keep *keeper // nil if there is only one load generator
}

// jobs shares out the load of a run.
func (f *Fleet) jobs(job driver.Job) (jobs []share, agreed merge.Agreement, err error) {
	r := f.round
	if r.shares, err = merge.Share(job.Cell, len(f.drivers)); err != nil {
		return nil, agreed, err
	}
	var transactions []int64
	if f.transactions > 0 {
		if transactions, err = merge.ShareTransactions(f.transactions, r.shares); err != nil {
			return nil, agreed, err
		}
	}
	agreed.Length = f.duration
	if len(f.drivers) > 1 && f.agrees {
		agreed.Window = time.Now().Round(0).Add(r.clocks[f.current].ahead + f.warmup + r.lead())
	}
	points, begun := &points{number: len(f.drivers), show: job.Live}, sync.Once{}
	for n, i := range f.drivers {
		s := share{Job: job}
		clock := r.toServer(f, i)
		s.Cell = r.shares[n]
		s.Live = points.take
		s.Begun = func(window time.Time) {
			begun.Do(func() { job.Begun(window.Add(clock.Offset)) })
		}
		if !agreed.Window.IsZero() {
			s.Window = agreed.Window.Add(-clock.Offset)
		}
		if len(f.drivers) > 1 {
			s.keep = &keeper{Keeper: job.Keep, prefix: fmt.Sprintf("generator-%d-", n+1)}
			s.Keep = s.keep
		}
		if transactions != nil {
			s.Transactions = transactions[n]
		}
		jobs = append(jobs, s)
	}
	return jobs, agreed, nil
}

// lead returns how long before the warm-up the load generators begin to connect. Each thread connects its
// clients one after the other: that takes some round trips, and some milliseconds of computing.
func (r *round) lead() time.Duration {
	call := time.Duration(0)
	for _, c := range r.clocks {
		call = max(call, 2*c.within)
	}
	queue := 0
	for _, s := range r.shares {
		queue = max(queue, (s.Clients+s.Threads-1)/s.Threads)
	}
	connecting := time.Duration(queue) * (5*time.Millisecond + 5*r.trip)
	return 300*time.Millisecond + call + min(connecting, time.Minute)
}

// merged merges the outcomes of several load generators.
func (f *Fleet) merged(jobs []share, agreed merge.Agreement, keep driver.Keeper) (*driver.Outcome, error) {
	var parts []merge.Part
	for n, i := range f.drivers {
		log, err := jobs[n].keep.openLog()
		if err != nil {
			return nil, fmt.Errorf("cannot merge the outcomes of the load generators: %w", err)
		}
		part := merge.Part{Name: record.MachineName(f.members[i].At), Outcome: f.round.results[n], Clock: f.round.toServer(f, i), Share: f.round.shares[n]}
		if log != nil {
			defer log.Close()
			part.Log = log
		}
		parts = append(parts, part)
	}
	return merge.Outcomes(parts, agreed, keep)
}

// keeper keeps the files of one of several load generators, each with its own prefix.
type keeper struct {
	driver.Keeper
	prefix string
	log    string // path of its histogram log
}

// WriteRaw is that of a driver.Keeper.
func (k *keeper) WriteRaw(name, text string) (string, error) {
	return k.Keeper.WriteRaw(k.prefix+name, text)
}

// CreateRaw is that of a driver.Keeper.
func (k *keeper) CreateRaw(name string) (*os.File, error) { return k.Keeper.CreateRaw(k.prefix + name) }

// CreateHistogramLog creates a raw file: the merged log becomes the histogram log of the run.
func (k *keeper) CreateHistogramLog() (*os.File, error) {
	file, err := k.CreateRaw("latency.hlog")
	if err == nil {
		k.log = file.Name()
	}
	return file, err
}

// openLog opens the histogram log; nil if there is none.
func (k *keeper) openLog() (*os.File, error) {
	if k.log == "" {
		return nil, nil
	}
	return os.Open(k.log)
}

// points adds up the points that load generators report during a run.
type points struct {
	number int
	show   func(record.Point)

	mu   sync.Mutex
	open map[int64][]record.Point // by second
}

// mostOpen is how many seconds wait for a load generator that reports late, or not at all.
const mostOpen = 600

// take shows a second once all load generators have reported it.
func (p *points) take(one record.Point) {
	if p.show == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	second := int64(one.Second)
	if p.open == nil || len(p.open) > mostOpen {
		p.open = map[int64][]record.Point{}
	}
	p.open[second] = append(p.open[second], one)
	if parts := p.open[second]; len(parts) == p.number {
		delete(p.open, second)
		p.show(sum(parts))
	}
}

// sum adds points up; the latency is the mean, weighted by transactions.
func sum(parts []record.Point) record.Point {
	all := parts[0]
	weighted := all.TPS * all.LatencyMS
	for _, p := range parts[1:] {
		all.TPS += p.TPS
		all.Failures += p.Failures
		weighted += p.TPS * p.LatencyMS
	}
	if all.TPS > 0 {
		all.LatencyMS = weighted / all.TPS
	}
	return all
}
