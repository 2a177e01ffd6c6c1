package cli

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/record"
)

// In these tests something is planted that makes a run slow, and what is read
// second by second must show it where it is.

const planted = `
dataset: {scale: 1}
duration: 3s
warmup: 1s
repeats: 1
`

// observed runs an experiment of one run, which may be invalid for what was planted.
func (w *faultWorld) observed(text string) (record.Run, map[string][]float64) {
	w.Helper()
	var run record.Run
	for range 3 { // on a machine that is very busy seconds may go by unread
		run = w.judged(planted+text, -1)[0]
		unread := func(g record.Gap) bool {
			return strings.Contains(g.Why, "it was not read for") || strings.Contains(g.Why, "not known for every second")
		}
		if !slices.ContainsFunc(run.FigureGaps, unread) {
			break
		}
	}
	points, err := w.record().Points(run.RunID)
	if err != nil {
		w.Fatal(err)
	}
	columns := map[string][]float64{}
	for _, c := range points.Columns {
		columns[c.Name] = c.Values
	}
	return run, columns
}

// most is the largest of the values that are known, which must be in the points.
func (w *faultWorld) most(columns map[string][]float64, name string) float64 {
	w.Helper()
	most := math.Inf(-1)
	for _, v := range columns[name] {
		if v > most { // never so for a gap
			most = v
		}
	}
	if math.IsInf(most, -1) {
		w.Fatalf("no value of %s", name)
	}
	return most
}

// figure is one of a run's figures, which must be known.
func (w *faultWorld) figure(run record.Run, name string) float64 {
	w.Helper()
	v, known := run.Figures[name]
	if !known {
		w.Fatalf("no figure %s; gaps: %+v", name, run.FigureGaps)
	}
	return v
}

func (w *faultWorld) atLeast(what string, value, least float64) {
	w.Helper()
	if !(value >= least) {
		w.Errorf("%s is %g, want %g or more\n%s", what, value, least, w.said)
	}
}

// waiting is the share of active time that was spent in waits of one type.
func waiting(run record.Run, kind string) (share float64) {
	for name, v := range run.Figures {
		if strings.HasPrefix(name, "wait."+kind+".") {
			share += v
		}
	}
	return share
}

func TestAPlantedSlowDiskShows(t *testing.T) {
	if os.Getenv("CI") == "" && os.Geteuid() != 0 {
		t.Skip("making a disk needs root")
	}
	w := newFaultWorld(t)
	dir, device, slow := slowDisk(t, 10*time.Millisecond)
	over := make(chan struct{})
	defer close(over)
	go func() { // initdb and the load are as fast as ever
		for {
			if runs, _ := filepath.Glob(filepath.Join(w.dir, "results/*/running/live.jsonl")); len(runs) > 0 {
				slow()
				return
			}
			select {
			case <-over:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	// Not tpcb-like: with one branch one of two clients waits for the other's row, and
	// half of all waiting is for that lock.
	run, columns := w.observed(`
workloads: [simple-update]
clients: 2
settings: {max_wal_size: 64MB, min_wal_size: 32MB}
environments: {slow: {storage: {data: ` + dir + `}}}
`)
	w.atLeast("writing to the device", w.most(columns, "diskstats."+device+".write_latency"), 0.005)
	w.atLeast("the device's use", w.most(columns, "diskstats."+device+".utilisation"), 0.5)
	w.atLeast("the flush of WAL", w.figure(run, "wal-sync-latency"), 10e6)
	w.atLeast("waiting for WAL", waiting(run, "IO")+waiting(run, "LWLock"), 0.5)
	w.atLeast("what nothing else used", 1-w.figure(run, "cpu-by-server"), 0.5)
}

func TestAPlantedCPUHogShows(t *testing.T) {
	w := newFaultWorld(t)
	yes, err := host.NewLocal().Start(host.Command{Path: "/bin/sh", Args: []string{"-c", "while :; do :; done"}, Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = yes.Stop() }()
	run, columns := w.observed(`
workloads: [select-only]
rate: 50
environments: {one: {}}
`)
	// It has a core for itself but for what else runs on this machine.
	w.atLeast("CPU of others", w.most(columns, "process.others.cpu"), 0.4)
	if others, server := w.figure(run, "cpu-by-others"), w.figure(run, "cpu-by-server"); others < 2*server {
		t.Errorf("others used %g, the server %g", others, server)
	}
}

func TestAPlantedLockStormShows(t *testing.T) {
	w := newFaultWorld(t)
	w.write("one-row.sql", "BEGIN;\nUPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = 1;\nSELECT pg_sleep(0.02);\nCOMMIT;\n")
	run, columns := w.observed(`
workloads: [{name: one-row, file: one-row.sql}]
clients: 12
environments: {one: {}}
`)
	w.atLeast("waiting for locks", waiting(run, "Lock"), 0.6)
	w.atLeast("locks that are waited for", w.most(columns, "pg_locks.waiting"), 6)
	w.atLeast("active sessions", w.most(columns, "wait.active"), 8)
}

func TestAPlantedCheckpointStormShows(t *testing.T) {
	w := newFaultWorld(t)
	w.write("wal.sql", "SELECT count(pg_logical_emit_message(false, 'x', repeat('x', 8000))) FROM generate_series(1, 500);\n")
	run, columns := w.observed(`
workloads: [{name: wal, file: wal.sql}]
settings: {max_wal_size: 32MB, min_wal_size: 32MB}
environments: {one: {}}
`)
	kinds := map[string]int{}
	for _, mark := range run.Telemetry.Marks {
		kinds[mark.Kind]++
	}
	if kinds["checkpoint-start"] < 2 || kinds["checkpoint-end"] < 1 || kinds["wal-segment"] < 2 {
		t.Errorf("marks: %v", run.Telemetry.Marks)
	}
	w.atLeast("WAL a second", w.most(columns, "wal.bytes"), 8<<20)
	w.atLeast("checkpoints", w.figure(run, "checkpoints"), 1)
	w.atLeast("checkpoints a second", w.most(columns, "checkpoints.requested"), 0.5)
}
