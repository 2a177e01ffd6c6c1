package postgres

import (
	"context"
	"time"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// Wait events: what active sessions are waiting for, ten times a second.
const waitDoc = statisticsDoc + "Wait Event Types"

var (
	waitEvent = metric.Metric{
		Name: "wait.{type}.{event}", Kind: metric.Ratio, Unit: "1", Source: "pg_stat_activity", Doc: waitDoc,
		Help: "Mean number of active client sessions that waited for this, of the samples of the second; names differ between versions.",
	}
	waitCPU = metric.Metric{
		Name: "wait.CPU", Kind: metric.Ratio, Unit: "1", Source: "pg_stat_activity", Doc: waitDoc,
		Help: "Mean number of active client sessions that waited for nothing: they had a CPU, or waited for one.",
	}
	waitActive = metric.Metric{
		Name: "wait.active", Kind: metric.Ratio, Unit: "1", Source: "pg_stat_activity", Doc: waitDoc,
		Help: "Mean number of active client sessions, in all databases; plinth's own are not counted.",
	}
	waitMetrics = []metric.Metric{waitEvent, waitCPU, waitActive}
)

// wait samples what sessions wait for, over the connection of the lane.
type wait struct {
	server *server
	sample *statement
	link   *link // the connection that sample was prepared on

	tally   tally
	samples int
	missed  error // why the last sample told nothing; nil when it did
	since   int   // samples up to the reading before

	first, last time.Time
}

func newWait(s *server) *wait {
	return &wait{server: s, sample: &statement{name: "plinth_wait", sql: sampleSQL}, tally: newTally()}
}

// Name is that of the columns.
func (*wait) Name() string { return "wait" }

// Metrics are those of wait events.
func (*wait) Metrics() []metric.Metric { return waitMetrics }

// sampleSQL counts active sessions by what they wait for. Rows of the kinds
// "unseen" and "disabled" say that there are sessions that cannot be counted.
const sampleSQL = `SELECT wait_event_type, wait_event, count(*),
	CASE WHEN backend_type IS NULL THEN 'unseen' WHEN state = 'disabled' THEN state ELSE 'active' END AS kind
	FROM ` + activity + ` WHERE ` + client + ` AND state IN ('active', 'fastpath function call', 'disabled')
	OR ` + unseen + ` GROUP BY wait_event_type, wait_event, kind`

// Sample looks once; what goes wrong is for Read to tell.
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

// take counts what a sample told.
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

// Read puts what was counted since the reading before.
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

// Pace is the time to the next sample. It is longer where sampling costs the server
// more than the budget.
func (w *wait) Pace() time.Duration { return w.server.spent.pace() }

// Cost is what all questions of the lane cost the server.
func (w *wait) Cost() (cpu time.Duration, known bool, held string) {
	s := &w.server.spent
	return s.total, s.known, s.told(w.samples, w.last.Sub(w.first))
}

// Close lets go of the connection.
func (w *wait) Close() { w.server.close() }
