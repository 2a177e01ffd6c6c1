package reporttest

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"plinth/internal/record"
)

// Column is a column of fictitious points: its value at a second.
type Column struct {
	Name string
	At   func(second float64) float64
}

// Steady returns a column with the same value in every second.
func Steady(name string, v float64) Column {
	return Column{name, func(float64) float64 { return v }}
}

// Cliff returns a column that is before until the second at which the page cache is full, then
// after, with a little noise.
func Cliff(name string, before, after float64) Column {
	return Column{name, func(second float64) float64 {
		v := before
		if second >= 28 {
			v = after
		}
		return math.Round(v * (1 + 0.04*math.Sin(second*second)))
	}}
}

// Load returns the load generator's columns of a run with a cliff; runs of earlier versions
// have them, too. In second 50 no transaction ended.
func Load() []Column {
	tps := Cliff("tps", 15300, 8500)
	stalled := Column{"tps", func(s float64) float64 {
		if s == 50 {
			return 0
		}
		return tps.At(s)
	}}
	latency := func(name string, before, after float64) Column {
		c := Cliff(name, before, after)
		return Column{name, func(s float64) float64 {
			if s == 50 {
				return math.NaN()
			}
			return c.At(s)
		}}
	}
	return []Column{stalled, latency("latency_mean_ns", 650e3, 1.18e6), latency("latency_p99_ns", 4.1e6, 88e6), Steady("failures", 0)}
}

// Telemetry returns the columns of a machine with 8 CPUs whose disk could not keep up. For
// three seconds the WAL statistics were not read.
func Telemetry() []Column {
	dirty := Column{"meminfo.Dirty", func(s float64) float64 {
		return math.Round((40 + 32*min(max(s, 0), 28) - 6*max(s-28, 0)) * (1 << 20))
	}}
	sync := Cliff("wal.sync_latency", 1800, 9400)
	lost := Column{"wal.sync_latency", func(s float64) float64 {
		if s >= 10 && s <= 12 {
			return math.NaN()
		}
		return sync.At(s) / 1e6
	}}
	write := Cliff("diskstats.nvme0n1.write_latency", 400, 14000)
	writeLatency := Column{"diskstats.nvme0n1.write_latency", func(s float64) float64 { return write.At(s) / 1e6 }}
	return []Column{
		dirty, lost, writeLatency,
		Cliff("diskstats.nvme0n1.writes", 2100, 6300), Cliff("diskstats.nvme0n1.write_bytes", 31<<20, 190<<20),
		Steady("diskstats.nvme0n1.reads", 12), Steady("diskstats.nvme0n1.read_bytes", 98304), Steady("diskstats.nvme0n1.read_latency", 0.0002),
		Steady("diskstats.nvme0n1.utilisation", 0.93), Steady("diskstats.nvme0n1.queue", 7.5), Steady("diskstats.sr0.writes", 0),
		Cliff("wal.bytes", 24<<20, 11<<20), Cliff("wal.syncs", 2300, 700), Cliff("pg_stat_database.xact_commit", 15320, 8520), Steady("plinth.transactions", 20),
		Steady("process.server.cpu", 3.1), Steady("process.generator.cpu", 0.6), Steady("process.plinth.cpu", 0.008), Steady("process.others.cpu", 0.12),
		Steady("stat.cpu.user", 2.9), Steady("stat.cpu.nice", 0), Steady("stat.cpu.system", 0.9), Steady("stat.cpu.irq", 0), Steady("stat.cpu.softirq", 0.028),
		Steady("stat.cpu.steal", 0.04), Steady("stat.cpu.iowait", 2.2), Steady("stat.cpu.idle", 1.932),
		Steady("meminfo.MemTotal", 16<<30), Steady("meminfo.MemAvailable", 9<<30),
		Cliff("buffers_written.checkpointer", 0, 4000), Steady("buffers_written.bgwriter", 310), Steady("buffers_written.backend", 1900), Steady("buffers_alloc", 2600),
		Steady("pg_stat_database.hit", 0.993), Steady("pg_stat_database.blks_hit", 9930), Steady("pg_stat_database.blks_read", 70),
		Steady("sessions.active", 9), Steady("wait.active", 9), Steady("wait.CPU", 3.2), Cliff("wait.IO.WALSync", 2, 4), Steady("wait.LWLock.WALWrite", 1.1),
	}
}

// Observe gives a run points for the seconds from first to last, and the figures computed from
// them.
func Observe(t *testing.T, rec *record.Record, run *record.Run, first, last int, columns []Column) {
	t.Helper()
	points := record.Points{Columns: []record.Column{{Name: "second"}}}
	for s := first; s <= last; s++ {
		points.Columns[0].Values = append(points.Columns[0].Values, float64(s))
	}
	for _, c := range columns {
		values := make([]float64, 0, last-first+1)
		for _, s := range points.Columns[0].Values {
			values = append(values, c.At(s))
		}
		points.Columns = append(points.Columns, record.Column{Name: c.Name, Values: values})
	}
	dir := filepath.Join(rec.Path, run.Path())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := record.WritePoints(filepath.Join(dir, "points.parquet"), points); err != nil {
		t.Fatal(err)
	}
}

// OneRun returns a record on disk with one run without points.
func OneRun(t *testing.T) (*record.Record, *record.Run) {
	t.Helper()
	rec, e := NewRecord(t, "name: cliff\nworkloads: [tpcb-like]\nclients: [10]\nthreads: [1]\nrepeats: 3\nenvironments: {disk: {}}\n")
	rec.Path = filepath.Join(t.TempDir(), "cliff-20261121T031500Z")
	env := rec.Environments["disk"]
	env.Volumes = []record.Volume{{Role: "data", Path: "/srv/data", Disks: []string{"nvme0n1"}}}
	rec.Environments["disk"] = env
	run := Measured(t, rec, record.RunID{Environment: "disk", Cell: e.Cells()[0], Repeat: 3, Attempt: 1}, 11500, 0.87)
	l := &run.Result.Latency
	l.P50, l.P95, l.P99, l.P999, l.Max = 700e3, 2_100_000, 61_300_000, 92e6, 141e6
	return rec, run
}

// CliffRun returns a run of a minute with an I/O cliff, a checkpoint, gaps, and a hostile
// server log.
func CliffRun(t *testing.T) (*record.Record, *record.Run) {
	t.Helper()
	rec, run := OneRun(t)
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
	Observe(t, rec, run, -5, 59, append(Load(), Telemetry()...))
	return rec, run
}

// LongRun returns a steady run of an hour in which one second stalled.
func LongRun(t *testing.T) (*record.Record, *record.Run) {
	t.Helper()
	rec, run := OneRun(t)
	stall := func(name string, usual, stalled float64) Column {
		return Column{name, func(s float64) float64 {
			if s == 1777 {
				return stalled
			}
			return usual
		}}
	}
	run.Result.Duration = 3600
	run.Telemetry = &record.Telemetry{Marks: []record.Mark{{Second: 1776.5, Kind: "autovacuum"}}}
	Observe(t, rec, run, 0, 3599, []Column{stall("tps", 5000, 3), stall("latency_p99_ns", 2e6, 950e6), Steady("meminfo.Dirty", 90<<20)})
	return rec, run
}

// FailedRun returns a run whose load generator never began.
func FailedRun(t *testing.T) (*record.Record, *record.Run) {
	t.Helper()
	rec, run := OneRun(t)
	run.Status, run.Result, run.Warnings = record.Failed, record.Result{}, nil
	run.Reasons = []record.Note{{Rule: "driver", Text: "pgbench: connection refused", Hint: "see raw/pgbench.err"}}
	return rec, run
}
