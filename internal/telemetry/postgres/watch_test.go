//go:build linux

package postgres

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/metric"
	"plinth/internal/record"
	"plinth/internal/telemetry"
)

// watched is a server that is read during a test in virtual time: the test runs in a
// testing/synctest bubble, in which time advances when everything in it waits for time, and
// stands still while a server is queried.
type watched struct {
	t         *testing.T
	collector *telemetry.Collector
	server    *server
	begin     time.Time
	from      float64 // the second that totals start with
	readings  chan struct{}

	columns map[string][]float64
	told    record.Telemetry
}

// watch starts reading a server, and returns after the first reading.
func watch(t *testing.T, o Options) *watched {
	t.Helper()
	lane := Lane(o)
	w := &watched{t: t, server: lane.Sources[0].(*part).server, readings: make(chan struct{}, 1000)}
	lane.Sources = append(lane.Sources, pulse{w.readings})
	w.begin = time.Now()
	w.collector = telemetry.Start(t.Context(), lane)
	t.Cleanup(w.collector.Stop)
	w.await(1)
	return w
}

// on returns options with all that is known of a server on this machine.
func (c *cluster) on(t *testing.T, more ...string) Options {
	return Options{Config: c.config(t, more...), Backend: host.ProcessTime}
}

// await waits for that many more readings that start from now on.
func (w *watched) await(readings int) {
	w.t.Helper()
	for len(w.readings) > 0 {
		<-w.readings
	}
	for range readings {
		<-w.readings
	}
}

// stop stops reading; columns then has a value for each whole second.
func (w *watched) stop() {
	w.t.Helper()
	time.Sleep(time.Second / 2)
	w.collector.Stop()
	var seconds []float64
	for s := 0.0; s+1 <= time.Since(w.begin).Seconds(); s++ {
		seconds = append(seconds, s)
	}
	columns, told := w.collector.Columns(w.begin, seconds)
	w.told, w.columns = told, map[string][]float64{}
	for _, c := range columns {
		w.columns[c.Name] = c.Values
	}
}

// count makes totals start with the current second.
func (w *watched) count() { w.from = math.Floor(time.Since(w.begin).Seconds()) }

// total returns the sum of a column over the known seconds that count.
func (w *watched) total(column string) (sum float64) {
	w.t.Helper()
	values, found := w.columns[column]
	if !found {
		w.t.Fatalf("there is no column %s", column)
	}
	for second, v := range values {
		if !math.IsNaN(v) && float64(second) >= w.from {
			sum += v
		}
	}
	return sum
}

// peak returns the maximum of a column, 0 where no such column exists.
func (w *watched) peak(column string) (most float64) {
	for _, v := range w.columns[column] {
		if v > most {
			most = v
		}
	}
	return most
}

// last returns the last known value of a column, NaN if there is none.
func (w *watched) last(column string) float64 {
	for _, v := range slices.Backward(w.columns[column]) {
		if !math.IsNaN(v) {
			return v
		}
	}
	return math.NaN()
}

// gap returns why a column is unknown at some time; "" where it is always known. The
// collector's own reason is left out.
func (w *watched) gap(column string) (why string) {
	for _, g := range w.told.Gaps {
		for _, c := range g.Columns {
			if (c == column || c == w.sourceOf(column)+".*") && g.Why != "not read at this time" {
				why += g.Why + "; "
			}
		}
	}
	return why
}

// sourceOf returns the source of a column.
func (w *watched) sourceOf(column string) string {
	for _, p := range w.server.parts {
		if slices.ContainsFunc(p.Metrics(), func(m metric.Metric) bool { return matches(m, column) }) {
			return p.Name()
		}
	}
	return "wait"
}

// matches reports whether a column belongs to a metric.
func matches(m metric.Metric, column string) bool {
	pattern, name := strings.Split(m.Name, "."), strings.Split(column, ".")
	if len(pattern) != len(name) {
		return false
	}
	for i := range pattern {
		if pattern[i] != name[i] && !strings.HasPrefix(pattern[i], "{") {
			return false
		}
	}
	return true
}

// marks returns the texts of one kind.
func (w *watched) marks(kind string) (texts []string) {
	for _, m := range w.told.Marks {
		if m.Kind == kind {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// pulse is a source that signals each reading.
type pulse struct{ readings chan struct{} }

func (pulse) Name() string             { return "pulse" }
func (pulse) Metrics() []metric.Metric { return nil }
func (pulse) Close()                   {}
func (p pulse) Read(context.Context, *telemetry.Board) error {
	p.readings <- struct{}{}
	return nil
}
