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

// watched is a server that is read while a test goes on, in virtual time: the test runs in
// a bubble of testing/synctest, in which a second passes when everything in it waits for
// time, and none while a server is asked.
type watched struct {
	t         *testing.T
	lane      telemetry.Lane
	collector *telemetry.Collector
	begin     time.Time
	readings  chan struct{}

	columns map[string][]float64
	told    record.Telemetry
}

// watch begins to read a server; the first reading is done.
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

// pulse says when a reading is done.
type pulse struct{ begun chan struct{} }

func (pulse) Name() string             { return "pulse" }
func (pulse) Metrics() []metric.Metric { return nil }
func (p pulse) Read(context.Context, *telemetry.Board) error {
	p.begun <- struct{}{}
	return nil
}
func (pulse) Close() {}

// await waits for so many more readings.
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

// total is the sum of a column over the seconds that are known.
func (w *watched) total(column string) (sum float64) {
	for _, v := range w.known(column) {
		sum += v
	}
	return sum
}

// most is the greatest value of a column.
func (w *watched) most(column string) float64 {
	return slices.Max(append(w.known(column), math.Inf(-1)))
}

// known is what is known of a column.
func (w *watched) known(column string) []float64 {
	w.t.Helper()
	values, found := w.columns[column]
	if !found {
		w.t.Errorf("there is no column %s", column)
	}
	return slices.DeleteFunc(slices.Clone(values), math.IsNaN)
}

// marks are the texts of the marks of a kind.
func (w *watched) marks(kind string) (texts []string) {
	for _, m := range w.told.Marks {
		if m.Kind == kind {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// gap is why a column is not known, "" where it is not said.
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
