package runner

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/metric"
	"plinth/internal/record"
	"plinth/internal/telemetry"
)

var beats = metric.Metric{Name: "heart.beats", Kind: metric.Rate, Unit: "1/s"}

// heart is a source that marks each of its readings.
type heart struct{ beats float64 }

func (*heart) Name() string             { return "heart" }
func (*heart) Metrics() []metric.Metric { return []metric.Metric{beats} }
func (*heart) Close()                   {}

func (h *heart) Read(_ context.Context, b *telemetry.Board) error {
	h.beats++
	b.Put(b.Column(beats), h.beats)
	b.Mark(time.Now(), "beat", "")
	return nil
}

func hearts(*witness) []telemetry.Lane {
	return []telemetry.Lane{{Name: "kernel", Sources: []telemetry.Source{&heart{}}}}
}

func column(t *testing.T, rec *record.Record, run record.Run, name string) []float64 {
	t.Helper()
	points, err := rec.Points(run.RunID)
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

// What is read stands beside the driver's points; an environment that is not to be
// observed is not.
func TestRunsAreObserved(t *testing.T) {
	w := newWorld()
	w.lanes = hearts
	w.outcome = func(_ int, job driver.Job) (*driver.Outcome, error) {
		begin := time.Now()
		if job.Begun != nil {
			job.Begun(begin)
		}
		<-time.After(1100 * time.Millisecond) // a load takes time
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
		case run.Environment == "seen" && (len(values) != 1 || values[0] < 0.5 || len(run.Telemetry.Marks) < 2 || run.Telemetry.Cost[0].Readings < 3):
			t.Errorf("%v, %+v", values, run.Telemetry)
		case run.Environment == "unseen" && (values != nil || run.Telemetry != nil):
			t.Errorf("it was observed all the same: %v", values)
		}
		if run.Figures["tps-peak"] != 1000 {
			t.Errorf("%s: figures %v", run.Environment, run.Figures)
		}
	}
	if rec.Machine == nil {
		t.Error("nothing is known of the machine")
	}
}

// Of a run that failed, what had been read is kept: it tells why.
func TestWhatWasReadOfAFailedRunIsKept(t *testing.T) {
	w := newWorld()
	w.lanes = hearts
	w.outcome = func(n int, job driver.Job) (*driver.Outcome, error) {
		if n > 1 {
			return good(1000), nil
		}
		job.Begun(time.Now())
		<-time.After(2200 * time.Millisecond)
		return nil, errors.New("the server closed the connection")
	}
	rec, err := w.start(t, t.TempDir(), "name: failing\nworkloads: [select-only]\nclients: [1]\nrepeats: 1\nduration: 9s\nwarmup: 0s\nenvironments: {seen: {}}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	run := rec.Runs[0]
	if values := column(t, rec, run, beats.Name); run.Status != record.Failed || len(values) < 2 || run.Telemetry == nil {
		t.Errorf("%s, %v, %+v", run.Status, values, run.Telemetry)
	}
}
