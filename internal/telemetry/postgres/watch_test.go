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

// watched is a server that is read while a test goes on, in virtual time: the test runs in
// a bubble of testing/synctest, in which a second passes when everything in it waits for
// time, and none while a server is asked.
type watched struct {
	t         *testing.T
	collector *telemetry.Collector
	server    *server
	begin     time.Time
	from      float64 // the second that totals begin with
	readings  chan struct{}

	columns map[string][]float64
	told    record.Telemetry
}

// watch begins to read a server; the first reading is done.
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

// on is watch with all that is known of a server on this machine.
func (c *cluster) on(t *testing.T, more ...string) Options {
	return Options{Config: c.config(t, more...), Backend: host.ProcessTime}
}

// await waits for as many more readings that begin from now on.
func (w *watched) await(readings int) {
	w.t.Helper()
	for len(w.readings) > 0 {
		<-w.readings
	}
	for range readings {
		<-w.readings
	}
}

// stop stops reading; columns has a value for each whole second.
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

// count says that totals begin with the second that goes on.
func (w *watched) count() { w.from = math.Floor(time.Since(w.begin).Seconds()) }

// total is the sum of a column over the seconds that are known and count.
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

// peak is the greatest value of a column, 0 where there is no such column.
func (w *watched) peak(column string) (most float64) {
	for _, v := range w.columns[column] {
		if v > most {
			most = v
		}
	}
	return most
}

// last is the last value of a column that is known, NaN where there is none.
func (w *watched) last(column string) float64 {
	for _, v := range slices.Backward(w.columns[column]) {
		if !math.IsNaN(v) {
			return v
		}
	}
	return math.NaN()
}

// gap is why a column is not known at some time; "" where it always is. Only words
// that are not of the collector itself count.
func (w *watched) gap(column string) (why string) {
	for _, g := range w.told.Gaps {
		for _, c := range g.Columns {
			if (c == column || c == w.sourceOf(column)+".*") && g.Why != "it was not read then" {
				why += g.Why + "; "
			}
		}
	}
	return why
}

// sourceOf is the source that a column belongs to.
func (w *watched) sourceOf(column string) string {
	for _, p := range w.server.parts {
		if slices.ContainsFunc(p.Metrics(), func(m metric.Metric) bool { return matches(m, column) }) {
			return p.Name()
		}
	}
	return "wait"
}

// matches says whether a column is one of a metric.
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

// marks are the texts of one kind.
func (w *watched) marks(kind string) (texts []string) {
	for _, m := range w.told.Marks {
		if m.Kind == kind {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// pulse is a source that tells of each reading.
type pulse struct{ readings chan struct{} }

func (pulse) Name() string             { return "pulse" }
func (pulse) Metrics() []metric.Metric { return nil }
func (pulse) Close()                   {}
func (p pulse) Read(context.Context, *telemetry.Board) error {
	p.readings <- struct{}{}
	return nil
}
