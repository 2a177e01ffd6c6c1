//go:build linux

package redis

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/metric"
	"plinth/internal/record"
	"plinth/internal/telemetry"
)

// watched is a server that is read during a test in virtual time: the test runs in a
// testing/synctest bubble, in which time advances when everything in it waits for time, and
// stands still while a server is queried.
type watched struct {
	t         *testing.T
	lane      telemetry.Lane
	collector *telemetry.Collector
	begin     time.Time
	readings  chan struct{}

	columns map[string][]float64
	told    record.Telemetry
}

// watch starts reading a server, and returns after the first reading.
func watch(t *testing.T, o Options) *watched {
	t.Helper()
	lane := Lane(o)
	w := &watched{t: t, lane: lane, readings: make(chan struct{}, 1000)}
	lane.Sources = append(slices.Clone(lane.Sources), pulse{w.readings})
	w.begin = time.Now()
	w.collector = telemetry.Start(t.Context(), lane)
	t.Cleanup(w.collector.Stop)
	w.await(1)
	return w
}

// pulse is a source that signals each reading.
type pulse struct{ begun chan struct{} }

func (pulse) Name() string             { return "pulse" }
func (pulse) Metrics() []metric.Metric { return nil }
func (p pulse) Read(context.Context, *telemetry.Board) error {
	p.begun <- struct{}{}
	return nil
}
func (pulse) Close() {}

// await waits for that many more readings.
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

// total returns the sum of a column over the known seconds.
func (w *watched) total(column string) (sum float64) {
	for _, v := range w.known(column) {
		sum += v
	}
	return sum
}

// most returns the maximum of a column.
func (w *watched) most(column string) float64 {
	return slices.Max(append(w.known(column), math.Inf(-1)))
}

// known returns the known values of a column.
func (w *watched) known(column string) []float64 {
	w.t.Helper()
	values, found := w.columns[column]
	if !found {
		w.t.Errorf("there is no column %s", column)
	}
	return slices.DeleteFunc(slices.Clone(values), math.IsNaN)
}

// marks returns the texts of the marks of a kind.
func (w *watched) marks(kind string) (texts []string) {
	for _, m := range w.told.Marks {
		if m.Kind == kind {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// gap returns why a column is unknown, "" where no reason is given.
func (w *watched) gap(column string) string {
	for _, g := range w.told.Gaps {
		if slices.ContainsFunc(g.Columns, func(of string) bool {
			source, all := strings.CutSuffix(of, "*")
			return of == column || all && strings.HasPrefix(column, source)
		}) {
			return g.Why
		}
	}
	return ""
}
