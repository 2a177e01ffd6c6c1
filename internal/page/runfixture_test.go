package page

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// busy is the cell of the runs that tests make.
var busy = experiment.Cell{Workload: "tpcb-like", Clients: 8, Threads: 2}

// made is a run that a test commits.
type made struct {
	record.Run
	columns []record.Column
	log     string
}

func madeRun(env string, cell experiment.Cell, repeat int, tps float64) made {
	run := record.Run{Status: record.Valid, Position: 1, Started: time.Date(2026, 11, 21, 3, 15, 0, 0, time.UTC)}
	run.RunID = record.RunID{Environment: env, Cell: cell, Repeat: repeat, Attempt: 1}
	run.Result = record.Result{TPS: tps, Duration: 3}
	return made{Run: run, columns: []record.Column{column("second", 0, 1, 2), column("tps", tps, tps, tps)}}
}

func column(name string, values ...float64) record.Column {
	return record.Column{Name: name, Values: values}
}

// written is a record that holds runs, in their order. All environments have their
// data on vda and their WAL on vdb.
func written(tb testing.TB, runs ...made) *record.Record {
	tb.Helper()
	summary := &record.Summary{Name: "made", Engine: "postgres", Baseline: "disk"}
	w, err := record.Create(tb.TempDir(), "made", time.Now(), summary, []byte("name: made\n"))
	must(tb, err)
	for n := range runs {
		run := &runs[n]
		run.Number = n + 1
		pending, err := w.Begin(run.RunID)
		must(tb, err)
		if run.log != "" {
			must(tb, os.WriteFile(pending.HistogramLog(), []byte(run.log), 0o644))
		}
		must(tb, pending.Commit(&run.Run, record.Points{Columns: run.columns}))
		must(tb, w.WriteEnvironment(record.Environment{Name: run.Environment, Volumes: []record.Volume{
			{Role: "data", Device: "vda"}, {Role: "wal", Device: "vdb"},
		}}))
	}
	must(tb, w.Close())
	rec, err := record.Open(w.Path())
	must(tb, err)
	return rec
}

// pointsPath is where the points of a run are.
func pointsPath(rec *record.Record, run int) string {
	return filepath.Join(rec.Path, rec.Runs[run].Path(), "points.parquet")
}
