package record_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
)

var created = time.Date(2026, 11, 21, 3, 15, 0, 0, time.UTC)

const experimentYAML = "name: two-disks\nquestion: Is the second disk faster?\n"

func newRecord(tb testing.TB, store string) *record.Writer {
	tb.Helper()
	w, err := record.Create(store, "two-disks", created, &record.Summary{
		Name: "two-disks", Question: "Is the second disk faster?", Engine: "postgres",
		Plinth: "0.1.0", Baseline: "disk", Planned: 4,
	}, []byte(experimentYAML))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = w.Close() }) // some tests have already closed it
	return w
}

func closeIt(t *testing.T, w *record.Writer) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func runID(env string, repeat int) record.RunID {
	return record.RunID{
		Environment: env, Repeat: repeat, Attempt: 1,
		Cell: experiment.Cell{Workload: "tpcb-like", Clients: 10, Threads: 4},
	}
}

func newRun(id record.RunID, number int) *record.Run {
	return &record.Run{
		RunID: id, Number: number, Position: 1, Status: record.Valid, Started: created,
		Driver: record.Driver{Program: "pgbench", Version: "15.18", Command: []string{"pgbench", "-c", "10"}},
		Result: record.Result{Loop: "closed", Duration: 60, Transactions: 60_000, TPS: 1000, Latency: record.Latency{Mean: 1e6}},
	}
}

// commit writes a complete run: raw output, histogram log, live lines, points.
func commit(tb testing.TB, w *record.Writer, run *record.Run) {
	tb.Helper()
	pending, err := w.Begin(run.RunID)
	if err != nil {
		tb.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(pending.RawDir(), "summary.txt"): "tps = 1000\n",
		pending.HistogramLog():                         "#[Histogram log]\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	if err := pending.Live(record.Point{Second: 1, TPS: 990}); err != nil {
		tb.Fatal(err)
	}
	if err := pending.Commit(run, minute(3)); err != nil {
		tb.Fatal(err)
	}
}

func TestWriteAndRead(t *testing.T) {
	store := filepath.Join(t.TempDir(), "results")
	w := newRecord(t, store)
	if want := filepath.Join(store, "two-disks-20261121T031500Z"); w.Path() != want {
		t.Errorf("path = %s, want %s", w.Path(), want)
	}
	environment := record.Environment{Name: "disk", Kind: "own", Settings: map[string]string{"fsync": "on"}}
	if err := w.WriteEnvironment(environment); err != nil {
		t.Fatal(err)
	}
	first, second := newRun(runID("disk", 1), 1), newRun(runID("ram-disk", 1), 2)
	second.Attempt, second.Rate = 2, 500.5
	commit(t, w, second)
	commit(t, w, first)

	rec, err := record.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	if want := []record.Run{*first, *second}; !reflect.DeepEqual(rec.Runs, want) {
		t.Errorf("runs = %+v\nwant %+v", rec.Runs, want)
	}
	if string(rec.ExperimentYAML) != experimentYAML {
		t.Errorf("experiment.yaml = %q", rec.ExperimentYAML)
	}
	if rec.Summary.Fingerprint != record.Fingerprint([]byte(experimentYAML)) {
		t.Error("the summary has not the fingerprint of experiment.yaml")
	}
	if rec.Environments["disk"].Settings["fsync"] != "on" {
		t.Errorf("environments = %+v", rec.Environments)
	}
	for _, file := range []string{
		"runs/disk/tpcb-like/c10-j4/r01/run.json",
		"runs/ram-disk/tpcb-like/c10-j4-rate500.5/r01.2/points.parquet",
		"runs/ram-disk/tpcb-like/c10-j4-rate500.5/r01.2/latency.hlog",
		"runs/ram-disk/tpcb-like/c10-j4-rate500.5/r01.2/raw/summary.txt",
	} {
		if _, err := os.Stat(filepath.Join(w.Path(), file)); err != nil {
			t.Error(err)
		}
	}
	for _, file := range []string{"running", "runs/disk/tpcb-like/c10-j4/r01/live.jsonl", "record.json.tmp"} {
		if _, err := os.Stat(filepath.Join(w.Path(), file)); err == nil {
			t.Errorf("%s was left behind", file)
		}
	}
}

func TestCreateInTheSameSecond(t *testing.T) {
	store := t.TempDir()
	for _, want := range []string{"two-disks-20261121T031500Z", "two-disks-20261121T031500Z-2", "two-disks-20261121T031500Z-3"} {
		if w := newRecord(t, store); filepath.Base(w.Path()) != want {
			t.Errorf("path = %s, want %s", w.Path(), want)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := record.Create(file, "x", created, &record.Summary{}, nil)
	if err == nil || !strings.Contains(hint.Of(err), "--store") {
		t.Errorf("store is a file: %v, hint %q", err, hint.Of(err))
	}
	for _, name := range []string{"", "..", "a/b", ".hidden", "-rf", "a b", strings.Repeat("a", 101)} {
		if w, err := record.Create(t.TempDir(), name, created, &record.Summary{}, nil); err == nil {
			closeIt(t, w)
			t.Errorf("name %q was accepted", name)
		}
	}
}

func TestOneWriterAtATime(t *testing.T) {
	w := newRecord(t, t.TempDir())
	_, err := record.Reopen(w.Path())
	if err == nil || !strings.Contains(err.Error(), "is writing it") {
		t.Fatalf("second writer: %v", err)
	}
	if want := fmt.Sprintf("process %d is writing it", os.Getpid()); !strings.Contains(err.Error(), want) {
		t.Logf("%v; /proc/locks does not name process %d here", err, os.Getpid())
	}
	if !record.Live(w.Path()) {
		t.Error("a record with a writer is not live")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if record.Live(w.Path()) {
		t.Error("a record without a writer is live")
	}
	again, err := record.Reopen(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	closeIt(t, again)
}

func TestReopenDropsTheRunInProgress(t *testing.T) {
	w := newRecord(t, t.TempDir())
	commit(t, w, newRun(runID("disk", 1), 1))
	if _, err := w.Begin(runID("disk", 2)); err != nil {
		t.Fatal(err)
	}
	closeIt(t, w)
	rec, err := record.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	if rec.Summary.State != record.Interrupted || rec.Summary.Reason == "" || len(rec.Runs) != 1 {
		t.Errorf("state %q (%s), %d runs; want interrupted and 1", rec.Summary.State, rec.Summary.Reason, len(rec.Runs))
	}
	again, err := record.Reopen(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer closeIt(t, again)
	if _, err := os.Stat(filepath.Join(w.Path(), "running")); !os.IsNotExist(err) {
		t.Errorf("running is still there: %v", err)
	}
	commit(t, again, newRun(runID("disk", 2), 2))
}

func TestReopenRefuses(t *testing.T) {
	if _, err := record.Reopen(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a record that is not there was continued")
	}
	if _, err := record.Reopen(t.TempDir()); err == nil {
		t.Error("a directory that is no record was continued")
	}
}

func TestCommitRefuses(t *testing.T) {
	w := newRecord(t, t.TempDir())
	commit(t, w, newRun(runID("disk", 1), 1))
	same, err := w.Begin(runID("disk", 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := same.Commit(newRun(runID("disk", 2), 2), minute(1)); err == nil {
		t.Error("a run was committed as another one")
	}
	if err := same.Commit(newRun(runID("disk", 1), 2), minute(1)); err == nil {
		t.Error("a run was replaced")
	}
	if err := same.Drop(); err != nil {
		t.Error(err)
	}
	for name, id := range map[string]record.RunID{
		"a name with a separator": runID("../disk", 1),
		"repeat 0":                runID("disk", 0),
		"no workload":             {Environment: "disk", Repeat: 1, Attempt: 1, Cell: experiment.Cell{Clients: 1, Threads: 1}},
	} {
		if _, err := w.Begin(id); err == nil {
			t.Errorf("%s: begun", name)
		}
	}
}

func TestDrop(t *testing.T) {
	w := newRecord(t, t.TempDir())
	pending, err := w.Begin(runID("disk", 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := pending.Drop(); err != nil {
		t.Fatal(err)
	}
	rec, err := record.Open(w.Path())
	if err != nil || len(rec.Runs) != 0 {
		t.Fatalf("%v, %d runs; want none", err, len(rec.Runs))
	}
}

func TestLive(t *testing.T) {
	w := newRecord(t, t.TempDir())
	pending, err := w.Begin(runID("disk", 1))
	if err != nil {
		t.Fatal(err)
	}
	for s := range 2 {
		if err := pending.Live(record.Point{Second: float64(s), TPS: 900, LatencyMS: 1.5}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(w.Path(), "running", "live.jsonl"))
	want := `{"second":0,"tps":900,"latency_ms":1.5,"failures":0}` + "\n" +
		`{"second":1,"tps":900,"latency_ms":1.5,"failures":0}` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("live.jsonl = %q, %v; want %q", got, err, want)
	}
}

func TestFailedRunWithoutPoints(t *testing.T) {
	w := newRecord(t, t.TempDir())
	run := newRun(runID("disk", 1), 1)
	run.Status, run.Result = record.Failed, record.Result{}
	run.Reasons = []record.Note{{Rule: "server", Text: "it was killed"}}
	pending, err := w.Begin(run.RunID)
	if err != nil {
		t.Fatal(err)
	}
	if err := pending.Commit(run, record.Points{}); err != nil {
		t.Fatal(err)
	}
	rec, err := record.Open(w.Path())
	if err != nil || len(rec.Runs) != 1 || rec.Runs[0].Reasons[0].Text != "it was killed" {
		t.Fatalf("%v, %+v", err, rec)
	}
}
