package pagetest

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"plinth/internal/record"
)

// points are the columns of a run: those of the load generator, and what the kernel
// and the server would say beside it.
func (m *maker) points(id record.RunID, first int, load observed, telemetry bool) record.Points {
	t := &table{first: first, load: load}
	t.add("second", func(i int, _ float64) float64 { return float64(first + i) })
	t.add("tps", func(_ int, tps float64) float64 { return tps })
	for _, name := range slices.Sorted(maps.Keys(latencies)) {
		t.latency(name, latencies[name])
	}
	for _, name := range []string{"failures", "retries", "skipped", "late"} {
		t.steady(name, 0)
	}
	if telemetry {
		t.kernel(id)
		t.server()
		t.spent(id)
	}
	for n := len(t.points.Columns); n < m.recipe.wide; n++ {
		t.perTransaction(fmt.Sprintf("vmstat.made_%03d", n), float64(n)/7)
	}
	return t.points
}

// table is points in the making.
type table struct {
	first  int
	load   observed
	points record.Points
}

func (t *table) add(name string, at func(i int, tps float64) float64) {
	values := make([]float64, len(t.load.tps))
	for i, tps := range t.load.tps {
		values[i] = at(i, tps)
	}
	t.points.Columns = append(t.points.Columns, record.Column{Name: name, Values: values})
}

func (t *table) steady(name string, v float64) {
	t.add(name, func(int, float64) float64 { return v })
}

func (t *table) perTransaction(name string, v float64) {
	t.add(name, func(_ int, tps float64) float64 { return math.Round(v * tps) })
}

// wave goes up and down around v, by a tenth.
func (t *table) wave(name string, v float64) {
	t.add(name, func(i int, _ float64) float64 { return v * (1 + 0.1*math.Sin(float64(i)/3)) })
}

// each adds columns in the order of their names.
func (t *table) each(add func(name string, v float64), columns map[string]float64) {
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		add(name, columns[name])
	}
}

func (t *table) latency(name string, of func(record.Latency) float64) {
	t.add(name, func(i int, _ float64) float64 { return of(t.load.latency[i]) })
}

// kernel holds what a machine with 8 CPUs and one disk says. Its memory was not read
// in seconds 5 and 6.
func (t *table) kernel(id record.RunID) {
	t.each(t.wave, map[string]float64{
		"stat.cpu.user": 2.9, "stat.cpu.nice": 0, "stat.cpu.system": 0.9, "stat.cpu.iowait": 1.2, "stat.cpu.irq": 0, "stat.cpu.softirq": 0.03,
		"stat.cpu.steal": 0.04, "stat.cpu.idle": 2.93, "process.server.cpu": 3.1, "process.plinth.cpu": 0.01,
		"process.others.cpu": 0.12, "pressure.cpu.some": 0.2, "pressure.io.some": 0.4, "pressure.memory.some": 0,
		"diskstats.nvme0n1.utilisation": 0.83, "diskstats.nvme0n1.queue": 6, "diskstats.nvme0n1.write_latency": 0.0007,
		"diskstats.nvme0n1.read_latency": 0.0002, "diskstats.nvme0n1.flush_latency": 0.0004,
	})
	t.perTransaction("diskstats.nvme0n1.writes", 1.4)
	t.perTransaction("diskstats.nvme0n1.write_bytes", 13000)
	t.perTransaction("diskstats.nvme0n1.flushes", 0.9)
	t.steady("diskstats.nvme0n1.reads", 12)
	t.steady("diskstats.nvme0n1.read_bytes", 98304)
	t.steady("meminfo.MemTotal", float64(machine.Memory))
	t.wave("meminfo.MemAvailable", 20<<30)
	t.wave("meminfo.Writeback", 3<<20)
	t.add("meminfo.Dirty", func(i int, _ float64) float64 {
		if second := t.first + i; second == 5 || second == 6 {
			return math.NaN()
		}
		return float64((40+8*(i%30))<<20) * math.Sqrt(float64(id.Clients))
	})
}

// server holds what PostgreSQL says.
func (t *table) server() {
	t.each(t.perTransaction, map[string]float64{
		"wal.bytes": 5200, "wal.records": 6, "wal.syncs": 0.7, "wal.writes": 0.8, "pg_stat_database.xact_commit": 1, "pg_stat_database.blks_hit": 30,
		"pg_stat_database.blks_read": 0.2, "buffers_written.checkpointer": 0.3, "buffers_written.bgwriter": 0.1, "buffers_written.backend": 0.2, "buffers_alloc": 0.3,
		"pg_stat_database.tup_updated": 3, "pg_stat_database.tup_inserted": 1,
	})
	t.each(t.wave, map[string]float64{
		"wal.sync_latency": 0.0009, "wal.write_latency": 0.00002, "sessions.active": 6, "sessions.idle": 2, "pg_stat_database.hit": 0.993,
	})
	t.steady("plinth.transactions", 20)
	t.steady("autovacuum.workers", 0)
}

// spent holds what transactions spend their time on: most of that of the clients, and the rest is not explained.
func (t *table) spent(id record.RunID) {
	flush := 0.36
	if id.Environment == "two-disks" || id.Environment == "memory" {
		flush = 0.2
	}
	t.each(func(name string, share float64) { t.wave(name, share*float64(id.Clients)) }, map[string]float64{
		"wait.active": 0.75, "wait.CPU": 0.25, "wait.IO.WALSync": flush, "wait.LWLock.WALWrite": 0.1, "wait.Lock.transactionid": 0.07,
		"process.server.backends.cpu": 0.21, "process.server.backends.run_delay": 0.06, "process.generator.cpu": 0.07,
	})
}

// latencies are the columns of the load generator.
var latencies = map[string]func(record.Latency) float64{
	"latency_mean_ns":  func(l record.Latency) float64 { return l.Mean },
	"latency_p50_ns":   func(l record.Latency) float64 { return float64(l.P50) },
	"latency_p95_ns":   func(l record.Latency) float64 { return float64(l.P95) },
	"latency_p99_ns":   func(l record.Latency) float64 { return float64(l.P99) },
	"latency_p99_9_ns": func(l record.Latency) float64 { return float64(l.P999) },
	"latency_max_ns":   func(l record.Latency) float64 { return float64(l.Max) },
}
