package figure_test

import (
	"testing"

	"plinth/internal/metric"
	"plinth/internal/record"
)

// TestWhyThereIsNoFigure: the reason is that of the run's telemetry where it tells.
func TestWhyThereIsNoFigure(t *testing.T) {
	nine := table{"tps": each(9, 1), "pg_stat_database.xact_commit": each(9, 21), "plinth.transactions": each(9, 20), "wal.syncs": {1, gap, gap, gap, gap, gap, 1, 1, 1}, "wal.bytes": append(each(4, 1), gap, 1, 1, 1, 1)}
	in := input(nine)
	in.Run.Telemetry.Gaps = []record.TelemetryGap{
		{Columns: []string{"wal.syncs"}, From: -2, To: 0, Why: "too short to matter"},
		{Columns: []string{"tps", "wal.syncs"}, From: 1, To: 5, Why: "it was reset"},
		{Columns: []string{"pressure.*"}, From: -2, To: 8, Why: "the kernel has no PSI"},
		{Columns: []string{"pg_stat_database.blks_hit"}, From: -2, To: 8, Why: "permission denied"},
		{Columns: []string{"wait.*"}, From: -2, To: 8, Why: "it takes pg_monitor"},
	}
	figures, gaps := of(t, in)
	for name, want := range map[string]string{
		"cache-hit":         "permission denied", // of both columns it is known least
		"commits-per-flush": "known in 4 of 9 seconds: it was reset",
		"wal-sync-latency":  "nothing is recorded for wal.sync_latency",
		"cpu-pressure":      "the kernel has no PSI",
		"cpu-use":           "nothing is recorded for stat.cpu.user",
		metric.Wait:         "it takes pg_monitor",
		"wait.CPU":          "it takes pg_monitor",
		"active-sessions":   "it takes pg_monitor",
		"checkpoints":       "nothing is recorded for checkpoints.timed",
	} {
		if gaps[name] != want {
			t.Errorf("%s: %q, want %q", name, gaps[name], want)
		}
	}
	near(t, "WAL per transaction, with a second that is not known", figures["wal-bytes-per-transaction"], 1)

	in.Run.Telemetry.Gaps = nil
	in.Points = nine.with(table{"meminfo.Dirty": {1, gap, gap, gap, gap, gap, 1, 1, 1}}).points()
	_, gaps = of(t, in)
	if want := "known in 4 of 9 seconds: nothing is recorded for meminfo.Dirty"; gaps["dirty-peak"] != want {
		t.Errorf("%q, want %q", gaps["dirty-peak"], want)
	}
	in.Run.Telemetry = nil
	if _, gaps = of(t, in); gaps["cpu-use"] != "the run was not observed" {
		t.Errorf("%q", gaps["cpu-use"])
	}
}

// TestHalfOfTheSeconds must be known, of each figure.
func TestHalfOfTheSeconds(t *testing.T) {
	for _, c := range []struct {
		dirty []float64
		known bool
	}{
		{[]float64{5, 6, gap, gap}, true}, {[]float64{5, gap, gap, gap}, false},
		{[]float64{gap, gap, gap, gap}, false}, {[]float64{1, 2, 6, 4}, true},
	} {
		figures, _ := of(t, input(table{"tps": each(4, 1), "meminfo.Dirty": c.dirty}))
		if peak, known := figures["dirty-peak"]; known != c.known || known && peak != 6 {
			t.Errorf("%v: %g, %v", c.dirty, peak, known)
		}
	}
}

// TestACheckpointMayHideInAGap: what is rare is counted in every second, or not at all.
func TestACheckpointMayHideInAGap(t *testing.T) {
	in := input(table{"checkpoints.timed": {0, 0.6, 0.41, 0, 0}, "checkpoints.requested": {0, 0, 0, 0, 1}})
	figures, _ := of(t, in)
	near(t, "checkpoints", figures["checkpoints"], 2)
	_, gaps := of(t, input(table{"checkpoints.timed": {0, 0.6, 0.4, 0, 0}, "checkpoints.requested": {0, 0, 0, gap, 0}}))
	if gaps["checkpoints"] != "it is not known for every second of the window" {
		t.Errorf("gaps: %v", gaps)
	}
}

// TestOperationsThatWereNone are no gap, and a second with operations of unknown time
// is one.
func TestOperationsThatWereNone(t *testing.T) {
	for _, c := range []struct {
		latency, syncs []float64
		value          float64
		why            string
	}{
		{[]float64{gap, gap, gap, 0.002}, []float64{0, 0, 0, 1}, 2e6, ""},
		{[]float64{gap, gap, gap, 0.002}, []float64{1, 1, 1, 1}, 0, "known in 1 of 4 seconds: nothing is recorded for wal.sync_latency"},
		{each(4, gap), each(4, 0), 0, "wal.syncs was 0 in the whole window"},
		{each(4, gap), each(4, gap), 0, "nothing is recorded for wal.syncs"},
	} {
		figures, gaps := of(t, input(table{"wal.sync_latency": c.latency, "wal.syncs": c.syncs}))
		for _, name := range []string{"wal-sync-latency", "wal-sync-latency-worst"} {
			if figures[name] != c.value || gaps[name] != c.why {
				t.Errorf("%v of %v: %s is %g, %q", c.latency, c.syncs, name, figures[name], gaps[name])
			}
		}
	}
}

// TestWaits: an event that is seen late began with none, the smallest are left out,
// and where nobody was active there are no shares.
func TestWaits(t *testing.T) {
	figures, _ := of(t, input(table{
		"wait.active": {5, 5, 5, gap}, "wait.CPU": {5, 4, 3, gap}, "wait.IO.WALSync": {gap, 1, 2, 1e9},
		"wait.LWLock.Tiny": {0.0149, 0, 0, 0}, "wait.LWLock.Small": {0.015, 0, 0, 0}, "wait.IO": {1, 1, 1, 1},
	}))
	near(t, "CPU", figures["wait.CPU"], 0.8)
	near(t, "WALSync", figures["wait.IO.WALSync"], 0.2)
	near(t, "Small", figures["wait.LWLock.Small"], 0.001)
	for _, name := range []string{"wait.LWLock.Tiny", "wait.active", "wait.IO"} {
		if value, made := figures[name]; made {
			t.Errorf("%s is %g", name, value)
		}
	}
	figures, gaps := of(t, input(table{"wait.active": each(4, 0), "wait.CPU": each(4, 0)}))
	if figures["active-sessions"] != 0 || gaps[metric.Wait] != "no client backend was active in the whole window" || gaps["wait.CPU"] == "" {
		t.Errorf("%v %v", figures, gaps)
	}
}

// TestWhereTheDisksAre: WAL lies with the data unless it has a volume, and each disk
// counts once.
func TestWhereTheDisksAre(t *testing.T) {
	columns := table{"diskstats.sda.reads": each(4, 1), "diskstats.sda.writes": each(4, 3), "diskstats.sdb.reads": each(4, 10), "diskstats.sdb.writes": each(4, 6)}
	for _, c := range []struct {
		name      string
		volumes   []record.Volume
		data, wal float64
		reads     float64
		why       string
	}{
		{"one disk for both", []record.Volume{{Role: "data", Disks: []string{"sda"}}}, 4, 4, 0.25, ""},
		{"one disk, two volumes", []record.Volume{{Role: "data", Disks: []string{"sda"}}, {Role: "wal", Disks: []string{"sda"}}}, 4, 4, 0.25, ""},
		{"an array, as the server sees it", []record.Volume{{Role: "data", Device: "sda", Disks: []string{"sdb", "sdc"}}}, 4, 4, 0.25, ""},
		{"each its own", []record.Volume{{Role: "data", Disks: []string{"sda"}}, {Role: "wal", Disks: []string{"sdb"}}}, 4, 16, 0.55, ""},
		{"an array", []record.Volume{{Role: "data", Disks: []string{"sdb", "sda", "sda"}}}, 20, 20, 0.55, ""},
		{"in memory", []record.Volume{{Role: "data", Path: "/dev/shm", Filesystem: "tmpfs"}}, 0, 0, 0, "no disk is known under /dev/shm (tmpfs)"},
		{"far away", nil, 0, 0, 0, "the location of the data is not known"},
	} {
		in := input(columns)
		in.Environment.Volumes = c.volumes
		figures, gaps := of(t, in)
		if figures["data-disk-iops"] != c.data || figures["wal-disk-iops"] != c.wal || figures["disk-read-share"] != c.reads || gaps["disk-read-share"] != c.why || gaps["wal-disk-iops"] != c.why {
			t.Errorf("%s: data %g, WAL %g, %g read, %q", c.name, figures["data-disk-iops"], figures["wal-disk-iops"], figures["disk-read-share"], gaps["disk-read-share"])
		}
	}
}
