package postgres

import (
	"context"
	"errors"
	"time"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// waitDoc documents wait events: what active sessions wait for, sampled ten times a
// second.
const waitDoc = statisticsDoc + "Wait Event Types"

var (
	waitEvent = metric.Metric{
		Name: "wait.{type}.{event}", Kind: metric.Ratio, Unit: "1", Source: "pg_stat_activity", Doc: waitDoc,
		Help: "Mean number of active client sessions in this wait event, over the samples of the second; event names differ between versions.",
	}
	waitCPU = metric.Metric{
		Name: "wait.CPU", Kind: metric.Ratio, Unit: "1", Source: "pg_stat_activity", Doc: waitDoc,
		Help: "Mean number of active client sessions without a wait event: running on a CPU or waiting for one.",
	}
	waitActive = metric.Metric{
		Name: "wait.active", Kind: metric.Ratio, Unit: "1", Source: "pg_stat_activity", Doc: waitDoc,
		Help: "Mean number of active client sessions in all databases, without plinth's own.",
	}
	waitMetrics = []metric.Metric{waitEvent, waitCPU, waitActive}
)

// wait samples what sessions wait for, over the lane's connection.
type wait struct {
	server *server
	sample *statement
	link   *link // the connection on which sample was prepared

	tally   tally
	samples int
	missed  error // why the last sample failed; nil if it did not
	since   int   // samples up to the previous reading

	first, last time.Time
}

func newWait(s *server) *wait {
	return &wait{server: s, sample: &statement{name: "plinth_wait", sql: sampleSQL}, tally: newTally()}
}

// Name returns the prefix of the columns.
func (*wait) Name() string { return "wait" }

// Metrics returns those of wait events.
func (*wait) Metrics() []metric.Metric { return waitMetrics }

// sampleSQL counts active sessions by what they wait for. Rows with the kinds "unseen" and
// "disabled" mean that some sessions cannot be counted.
const sampleSQL = `SELECT wait_event_type, wait_event, count(*),
	CASE WHEN backend_type IS NULL THEN 'unseen' WHEN state = 'disabled' THEN state ELSE 'active' END AS kind
	FROM ` + activity + ` WHERE ` + client + ` AND state IN ('active', 'fastpath function call', 'disabled')
	OR ` + unseen + ` GROUP BY wait_event_type, wait_event, kind`

// Sample takes one sample; Read reports errors.
func (w *wait) Sample(ctx context.Context) {
	l := w.server.link
	if l == nil {
		return
	}
	if l != w.link {
		w.link, w.sample.prepared = l, false
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	err := l.ask(within, w.sample)
	w.server.spent.sample(max(0, time.Since(began)-l.trip))
	w.take(&w.sample.answer)
	if err != nil {
		w.server.lose(err)
	}
}

// take counts what a sample returned.
func (w *wait) take(a *answer) {
	w.server.settle(w.sample)
	w.missed = a.err
	if a.err != nil {
		return
	}
	if w.missed = w.tally.add(a); w.missed != nil {
		return
	}
	w.last = time.Now()
	if w.samples == 0 {
		w.first = w.last
	}
	w.samples++
}

// Read puts what was counted since the previous reading.
func (w *wait) Read(_ context.Context, b *telemetry.Board) error {
	sampled := w.samples - w.since
	w.since = w.samples
	switch {
	case w.server.link == nil && sampled == 0:
		return w.server.lost
	case w.missed != nil:
		return w.missed
	}
	w.tally.put(b, w.samples)
	return nil
}

// Pace returns the time to the next sample. It grows where sampling exceeds the budget.
func (w *wait) Pace() time.Duration { return w.server.spent.pace() }

// Cost returns what all queries of the lane cost the server.
func (w *wait) Cost() (cpu time.Duration, known bool, held string) {
	s := &w.server.spent
	return s.total, s.known, s.note(w.samples, w.last.Sub(w.first))
}

// Close closes the connection.
func (w *wait) Close() { w.server.close() }

// tally counts how many sessions were seen in each wait event.
type tally struct {
	events      map[string]*event // by type and event
	cpu, active float64
	fresh       []*event // without a column
	key         []byte

	slots struct{ samples, cpu, active telemetry.Slot }
	laid  bool
}

// event is one wait event.
type event struct {
	kind, name string
	seen       float64
	slot       telemetry.Slot
}

func newTally() tally { return tally{events: map[string]*event{}} }

// add adds one sample; an error means that it does not cover all sessions.
func (t *tally) add(a *answer) error {
	for row := range a.rows.count() {
		if kind := a.rows.text(row, 3); string(kind) != "active" {
			unseen, disabled := 1.0, 0.0
			if string(kind) == "disabled" {
				unseen, disabled = 0, 1
			}
			return errors.New(hiddenSessions(a, unseen, disabled))
		}
	}
	for row := range a.rows.count() {
		n := a.rows.number(row, 2)
		t.active += n
		if kind, name := a.rows.text(row, 0), a.rows.text(row, 1); len(kind) == 0 {
			t.cpu += n
		} else {
			t.event(kind, name).seen += n
		}
	}
	return nil
}

// event returns that of a type and name; put creates the columns of new ones.
func (t *tally) event(kind, name []byte) *event {
	t.key = append(append(append(t.key[:0], kind...), 0), name...)
	e, known := t.events[string(t.key)]
	if !known {
		e = &event{kind: string(kind), name: string(name)}
		t.events[string(t.key)] = e
		t.fresh = append(t.fresh, e)
	}
	return e
}

// put puts the counts so far, over that many samples.
func (t *tally) put(b *telemetry.Board, samples int) {
	if !t.laid {
		t.laid = true
		t.slots.samples = b.Counter("samples")
		t.slots.cpu, t.slots.active = b.Counter("CPU"), b.Counter("active")
		b.Ratio(waitCPU, t.slots.cpu, t.slots.samples)
		b.Ratio(waitActive, t.slots.active, t.slots.samples)
	}
	for _, e := range t.fresh { // not seen before: zero, not unknown
		e.slot = b.Counter("event " + e.kind + "\x00" + e.name)
		b.Before(e.slot, 0)
		b.Ratio(waitEvent, e.slot, t.slots.samples, e.kind, e.name)
	}
	t.fresh = t.fresh[:0]
	b.Put(t.slots.samples, float64(samples))
	b.Put(t.slots.cpu, t.cpu)
	b.Put(t.slots.active, t.active)
	for _, e := range t.events {
		b.Put(e.slot, e.seen)
	}
}
