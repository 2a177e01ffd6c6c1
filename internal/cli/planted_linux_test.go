package cli

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// These tests inject a cause that makes a run slow, and telemetry must show it in the right
// place. They check counts, and times that a busy machine can only lengthen;
// planted_measure_test.go checks shares of time.

const planted = `
dataset: {scale: 1}
duration: 3s
warmup: 1s
repeats: 1
`

// observed runs an experiment of one run, which the injected cause may make invalid. It returns
// the run and its points, by column.
func (w *faultWorld) observed(text string) (record.Run, map[string][]float64) {
	w.Helper()
	run := w.judged(text, -1)[0]
	points, err := w.record().Points(&run)
	if err != nil {
		w.Fatal(err)
	}
	columns := map[string][]float64{}
	for _, c := range points.Columns {
		columns[c.Name] = c.Values
	}
	return run, columns
}

// most returns the largest known value of a column, which must exist.
func (w *faultWorld) most(columns map[string][]float64, name string) float64 {
	w.Helper()
	most := math.Inf(-1)
	for _, v := range columns[name] {
		if v > most { // false for a gap (NaN)
			most = v
		}
	}
	if math.IsInf(most, -1) {
		w.Fatalf("no value of %s", name)
	}
	return most
}

func (w *faultWorld) atLeast(what string, value, least float64) {
	w.Helper()
	if !(value >= least) {
		w.Errorf("%s is %g, want %g or more\n%s", what, value, least, w.said)
	}
}

// plantSlowDisk makes a directory on a disk whose writes and flushes take 10 ms from the start of
// a load on: initdb and loading stay fast.
func (w *faultWorld) plantSlowDisk() (environment, device string) {
	w.Helper()
	dir, device, slow := slowDisk(w.T, 10*time.Millisecond)
	over := make(chan struct{})
	w.Cleanup(func() { close(over) })
	go func() {
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
	// Not tpcb-like: with one branch, one of two clients waits for the other's row, and half of
	// all waiting is for that lock.
	return `
workloads: [simple-update]
clients: 2
settings: {max_wal_size: 64MB, min_wal_size: 32MB}
environments: {slow: {storage: {data: ` + dir + `}}}
`, device
}

func TestAPlantedSlowDiskShows(t *testing.T) {
	hosttest.NeedRoot(t)
	w := newFaultWorld(t)
	environment, device := w.plantSlowDisk()
	_, columns := w.observed(planted + environment)
	w.atLeast("writing to the device", w.most(columns, "diskstats."+device+".write_latency"), 0.010)
	w.atLeast("the flush of WAL", w.most(columns, "wal.sync_latency"), 0.010)
	w.atLeast("sessions that wait for it", w.most(columns, "wait.IO.WALSync"), 0.01)
}

// hog keeps a CPU busy until the test ends.
func (w *faultWorld) hog() {
	w.Helper()
	hog, err := launch.NewLocal().Start(launch.Command{Path: "/bin/sh", Args: []string{"-c", "while :; do :; done"}, Dir: "/"})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = hog.Stop() })
}

const hogged = `
workloads: [select-only]
rate: 50
environments: {one: {}}
`

func TestAPlantedCPUHogShows(t *testing.T) {
	w := newFaultWorld(t)
	w.hog()
	_, columns := w.observed(planted + hogged)
	// However little CPU it got, it shows as others, not as the server.
	if others := w.most(columns, "process.others.cpu"); others <= 0 {
		t.Errorf("others had %g of a CPU beside a busy loop", others)
	}
}

// plantLockStorm writes a workload in which only one client at a time makes progress.
func (w *faultWorld) plantLockStorm() (environment string) {
	w.Helper()
	w.write("one-row.sql", "BEGIN;\nUPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = 1;\nSELECT pg_sleep(0.02);\nCOMMIT;\n")
	return `
workloads: [{name: one-row, file: one-row.sql}]
clients: 12
environments: {one: {}}
`
}

func TestAPlantedLockStormShows(t *testing.T) {
	w := newFaultWorld(t)
	run, columns := w.observed(planted + w.plantLockStorm())
	// Whenever it is sampled, eleven clients wait for the twelfth; the first sample may come
	// before all have started.
	w.atLeast("locks that are waited for", w.most(columns, "pg_locks.waiting"), 6)
	w.atLeast("active sessions", w.most(columns, "wait.active"), 6)
	if transactions := run.Result.Transactions; transactions == 0 {
		t.Errorf("no transaction ended\n%s", w.said)
	}
}

// plantCheckpointStorm writes a workload of transactions that write 4 MB of WAL each, with at
// most 32 MB between checkpoints, and take at least 50 ms.
func (w *faultWorld) plantCheckpointStorm() (environment string) {
	w.Helper()
	w.write("wal.sql", "SELECT count(pg_logical_emit_message(false, 'x', repeat('x', 8000))) FROM generate_series(1, 500);\nSELECT pg_sleep(0.05);\n")
	return `
workloads: [{name: wal, file: wal.sql}]
settings: {max_wal_size: 32MB, min_wal_size: 32MB}
environments: {one: {}}
`
}

func TestAPlantedCheckpointStormShows(t *testing.T) {
	w := newFaultWorld(t)
	// 80 transactions write 320 MB of WAL, however long that takes: at least four seconds.
	run, columns := w.observed(strings.NewReplacer("duration: 3s\n", "transactions: 80\n", "warmup: 1s", "warmup: 0s").Replace(planted) + w.plantCheckpointStorm())
	kinds := map[string]int{}
	for _, mark := range run.Telemetry.Marks {
		kinds[mark.Kind]++
	}
	if kinds["checkpoint-start"] < 2 || kinds["checkpoint-end"] < 1 || kinds["wal-segment"] < 2 {
		t.Errorf("marks: %v", run.Telemetry.Marks)
	}
	w.atLeast("WAL a second", w.most(columns, "wal.bytes"), 1)
}
