package runner

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/host/watch"
	"plinth/internal/metric"
	"plinth/internal/record"
	"plinth/internal/telemetry"
)

var beats = metric.Metric{Name: "heart.beats", Kind: metric.Rate, Unit: "1/s"}

// heart is a telemetry source that marks each of its readings.
type heart struct {
	beats float64
	last  *atomic.Int64 // time of the last reading, in nanoseconds of the Unix epoch
}

func (*heart) Name() string             { return "heart" }
func (*heart) Metrics() []metric.Metric { return []metric.Metric{beats} }
func (*heart) Close()                   {}

func (h *heart) Read(_ context.Context, b *telemetry.Board) error {
	h.beats++
	h.last.Store(time.Now().UnixNano())
	b.Put(b.Column(beats), h.beats)
	b.Mark(time.Now(), "beat", "")
	return nil
}

// lastBeat is the time at which this process last read a heart.
var lastBeat atomic.Int64

func hearts() []telemetry.Lane {
	return []telemetry.Lane{{Name: "kernel", Sources: []telemetry.Source{&heart{last: &lastBeat}}}}
}

// awaitBeat waits until a heart has been read at or after the given time, as during a real
// load.
func awaitBeat(at time.Time) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for lastBeat.Load() < at.UnixNano() {
		if now := <-tick.C; now.Sub(at) > time.Minute {
			return errors.New("no heart was read in a minute")
		}
	}
	return nil
}

func column(t *testing.T, rec *record.Record, run record.Run, name string) []float64 {
	t.Helper()
	points, err := rec.Points(&run)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(points.Columns, func(c record.Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return points.Columns[i].Values
}

const watched = `
name: watched
workloads: [select-only]
clients: [1]
repeats: 1
duration: 1s
warmup: 0s
environments: {seen: {}, unseen: {telemetry: off}}
`

// Readings are aligned with the driver's points; an environment with telemetry off has none.
func TestRunsAreObserved(t *testing.T) {
	w := newWorld()
	w.lanes, w.processes = hearts, watch.ReadProcesses
	w.outcome = func(_ int, job driver.Job) (*driver.Outcome, error) {
		begin := time.Now()
		if job.Begun != nil {
			job.Begun(begin)
		}
		if serverOf(job) == "seen" {
			if err := awaitBeat(begin.Add(time.Second)); err != nil {
				return nil, err
			}
		}
		outcome := good(1000)
		outcome.Begin, outcome.End = begin, begin.Add(time.Second)
		return outcome, nil
	}
	rec, err := w.start(t, t.TempDir(), watched, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range rec.Runs {
		values := column(t, rec, run, beats.Name)
		switch {
		case run.Environment == "seen" && (len(values) != 1 || values[0] <= 0 || run.Telemetry == nil || len(run.Telemetry.Marks) == 0 || run.Telemetry.Cost[0].Readings < 2):
			t.Errorf("%v, %+v", values, run.Telemetry)
		case run.Environment == "unseen" && (values != nil || run.Telemetry != nil):
			t.Errorf("it was observed all the same: %v", values)
		}
		if e := run.Evidence; e == nil || e.Machine.OthersIO < 0 || slices.ContainsFunc(e.Gaps, func(g record.Gap) bool { return g.What == "machine.others_cpu_s" }) {
			t.Errorf("%s: evidence %+v", run.Environment, e)
		}
		if run.Figures["tps-peak"] != 1000 {
			t.Errorf("%s: figures %v", run.Environment, run.Figures)
		}
	}
	if rec.Machine == nil {
		t.Error("nothing is known of the machine")
	}
}

// A failed run keeps the readings up to its failure, which may explain it.
func TestWhatWasReadOfAFailedRunIsKept(t *testing.T) {
	w := newWorld()
	w.lanes = hearts
	w.outcome = func(n int, job driver.Job) (*driver.Outcome, error) {
		if n > 1 {
			return good(1000), nil
		}
		begin := time.Now()
		job.Begun(begin)
		if err := awaitBeat(begin.Add(time.Second)); err != nil {
			t.Error(err)
		}
		return nil, errors.New("the server closed the connection")
	}
	rec, err := w.start(t, t.TempDir(), "name: failing\nworkloads: [select-only]\nclients: [1]\nrepeats: 1\nduration: 9s\nwarmup: 0s\nenvironments: {seen: {}}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	run := rec.Runs[0]
	if values := column(t, rec, run, beats.Name); run.Status != record.Failed || len(values) < 1 || run.Telemetry == nil {
		t.Errorf("%s, %v, %+v", run.Status, values, run.Telemetry)
	}
}
