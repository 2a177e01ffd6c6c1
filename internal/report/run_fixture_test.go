package report_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"plinth/internal/record"
)

// column is a column of made-up points: its value at a second.
type column struct {
	name string
	at   func(second float64) float64
}

// steady is a column with the same value in every second.
func steady(name string, v float64) column {
	return column{name, func(float64) float64 { return v }}
}

// cliff is before until the second at which the page cache is full, then after,
// with a little noise.
func cliff(name string, before, after float64) column {
	return column{name, func(second float64) float64 {
		v := before
		if second >= 28 {
			v = after
		}
		return math.Round(v * (1 + 0.04*math.Sin(second*second)))
	}}
}

// load is the load generator's columns of a run with a cliff, which a run of before
// has, too. In second 50 no transaction ended.
func load() []column {
	tps := cliff("tps", 15300, 8500)
	stalled := column{"tps", func(s float64) float64 {
		if s == 50 {
			return 0
		}
		return tps.at(s)
	}}
	latency := func(name string, before, after float64) column {
		c := cliff(name, before, after)
		return column{name, func(s float64) float64 {
			if s == 50 {
				return math.NaN()
			}
			return c.at(s)
		}}
	}
	return []column{stalled, latency("latency_mean_ns", 650e3, 1.18e6), latency("latency_p99_ns", 4.1e6, 88e6), steady("failures", 0)}
}

// telemetry is columns of a machine with 8 CPUs whose disk could not keep up. For
// three seconds the WAL statistics were not read.
func telemetry() []column {
	dirty := column{"meminfo.Dirty", func(s float64) float64 {
		return math.Round((40 + 32*min(max(s, 0), 28) - 6*max(s-28, 0)) * (1 << 20))
	}}
	sync := cliff("wal.sync_latency", 1800, 9400)
	lost := column{"wal.sync_latency", func(s float64) float64 {
		if s >= 10 && s <= 12 {
			return math.NaN()
		}
		return sync.at(s) / 1e6
	}}
	write := cliff("diskstats.nvme0n1.write_latency", 400, 14000)
	writeLatency := column{"diskstats.nvme0n1.write_latency", func(s float64) float64 { return write.at(s) / 1e6 }}
	return []column{
		dirty, lost, writeLatency,
		cliff("diskstats.nvme0n1.writes", 2100, 6300), cliff("diskstats.nvme0n1.write_bytes", 31<<20, 190<<20),
		steady("diskstats.nvme0n1.reads", 12), steady("diskstats.nvme0n1.read_bytes", 98304), steady("diskstats.nvme0n1.read_latency", 0.0002),
		steady("diskstats.nvme0n1.utilisation", 0.93), steady("diskstats.nvme0n1.queue", 7.5), steady("diskstats.sr0.writes", 0),
		cliff("wal.bytes", 24<<20, 11<<20), cliff("wal.syncs", 2300, 700), cliff("pg_stat_database.xact_commit", 15320, 8520), steady("plinth.transactions", 20),
		steady("process.server.cpu", 3.1), steady("process.generator.cpu", 0.6), steady("process.plinth.cpu", 0.008), steady("process.others.cpu", 0.12),
		steady("stat.cpu.user", 2.9), steady("stat.cpu.nice", 0), steady("stat.cpu.system", 0.9), steady("stat.cpu.irq", 0), steady("stat.cpu.softirq", 0.028),
		steady("stat.cpu.steal", 0.04), steady("stat.cpu.iowait", 2.2), steady("stat.cpu.idle", 1.932),
		steady("meminfo.MemTotal", 16<<30), steady("meminfo.MemAvailable", 9<<30),
		cliff("buffers_written.checkpointer", 0, 4000), steady("buffers_written.bgwriter", 310), steady("buffers_written.backend", 1900), steady("buffers_alloc", 2600),
		steady("pg_stat_database.hit", 0.993), steady("pg_stat_database.blks_hit", 9930), steady("pg_stat_database.blks_read", 70),
		steady("sessions.active", 9), steady("wait.active", 9), steady("wait.CPU", 3.2), cliff("wait.IO.WALSync", 2, 4), steady("wait.LWLock.WALWrite", 1.1),
	}
}

// observe gives a run points of the seconds from first to last, and figures as a
// plinth has them that made them at the time.
func observe(t *testing.T, rec *record.Record, run *record.Run, first, last int, columns []column) {
	t.Helper()
	points := record.Points{Columns: []record.Column{{Name: "second"}}}
	for s := first; s <= last; s++ {
		points.Columns[0].Values = append(points.Columns[0].Values, float64(s))
	}
	for _, c := range columns {
		values := make([]float64, 0, last-first+1)
		for _, s := range points.Columns[0].Values {
			values = append(values, c.at(s))
		}
		points.Columns = append(points.Columns, record.Column{Name: c.name, Values: values})
	}
	dir := filepath.Join(rec.Path, run.Path())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := record.WritePoints(filepath.Join(dir, "points.parquet"), points); err != nil {
		t.Fatal(err)
	}
}

// oneRun is a record on disk with one run, whose points are yet to be made.
func oneRun(t *testing.T) (*record.Record, *record.Run) {
	t.Helper()
	rec, e := newRecord(t, "name: cliff\nworkloads: [tpcb-like]\nclients: [10]\nthreads: [1]\nrepeats: 3\nenvironments: {disk: {}}\n")
	rec.Path = filepath.Join(t.TempDir(), "cliff-20261121T031500Z")
	env := rec.Environments["disk"]
	env.Volumes = []record.Volume{{Role: "data", Path: "/srv/data", Disks: []string{"nvme0n1"}}}
	rec.Environments["disk"] = env
	run := measured(t, rec, record.RunID{Environment: "disk", Cell: e.Cells()[0], Repeat: 3, Attempt: 1}, 11500, 0.87)
	l := &run.Result.Latency
	l.P50, l.P95, l.P99, l.P999, l.Max = 700e3, 2_100_000, 61_300_000, 92e6, 141e6
	return rec, run
}

// cliffRun is a run of a minute with an I/O cliff, a checkpoint, gaps, and a server
// whose log is hostile.
func cliffRun(t *testing.T) (*record.Record, *record.Run) {
	t.Helper()
	rec, run := oneRun(t)
	run.Warnings = []record.Note{{Rule: "checkpoint", Text: "a checkpoint was under way for 18 s of the window", Hint: "raise max_wal_size"}}
	run.Telemetry = &record.Telemetry{
		Marks: []record.Mark{
			{Second: -3.2, Kind: "checkpoint-end"},
			{Second: 27.4, Kind: "checkpoint-start", Text: "wal"},
			{Second: 27.9, Kind: "log", Text: "LOG:  checkpoints are occurring too frequently (9 seconds apart)\x1b]0;owned\a"},
			{Second: 31, Kind: "wal-segment"}, {Second: 33.5, Kind: "wal-segment"}, {Second: 36, Kind: "wal-segment"},
			{Second: 45.1, Kind: "checkpoint-end"},
			{Second: 52, Kind: "a kind of\x1b[2J tomorrow"},
		},
		Gaps: []record.TelemetryGap{
			{Columns: []string{"pressure.*"}, From: -5, To: 59, Why: "open /proc/pressure/cpu: no such file or directory"},
			{Columns: []string{"wal.sync_latency", "wal.write_latency"}, From: 10, To: 12, Why: "the statement timed out"},
			{Columns: []string{"wal.sync_latency"}, From: 10, To: 12, Why: "the statement timed out"},
		},
		Cost: []record.Cost{
			{Lane: "kernel", Readings: 66, Covered: 65, CPU: 0.21},
			{Lane: "server", Readings: 66, Covered: 65, CPU: 0.11, Server: 0.38, Known: true, Pace: 0.1},
		},
		Unmarked: 12,
	}
	observe(t, rec, run, -5, 59, append(load(), telemetry()...))
	return rec, run
}

// longRun is an hour of a steady run in which one second stalled.
func longRun(t *testing.T) (*record.Record, *record.Run) {
	t.Helper()
	rec, run := oneRun(t)
	stall := func(name string, usual, stalled float64) column {
		return column{name, func(s float64) float64 {
			if s == 1777 {
				return stalled
			}
			return usual
		}}
	}
	run.Result.Duration = 3600
	run.Telemetry = &record.Telemetry{Marks: []record.Mark{{Second: 1776.5, Kind: "autovacuum"}}}
	observe(t, rec, run, 0, 3599, []column{stall("tps", 5000, 3), stall("latency_p99_ns", 2e6, 950e6), steady("meminfo.Dirty", 90<<20)})
	return rec, run
}

// failedRun is a run whose load generator never began.
func failedRun(t *testing.T) (*record.Record, *record.Run) {
	t.Helper()
	rec, run := oneRun(t)
	run.Status, run.Result, run.Warnings = record.Failed, record.Result{}, nil
	run.Reasons = []record.Note{{Rule: "driver", Text: "pgbench: connection refused", Hint: "see raw/pgbench.err"}}
	return rec, run
}
