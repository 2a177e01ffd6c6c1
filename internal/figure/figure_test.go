package figure_test

import (
	"maps"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/figure"
	"plinth/internal/record"
)

// eight is eight seconds of which everything is known. Many columns change in the
// middle, so that a mean of means would show.
func eight() table {
	t := table{"tps": {1000, 1100, 900, 1000, 500, 400, 600, 500}}
	for name, value := range map[string]float64{
		"pg_stat_database.xact_commit": 770, "plinth.transactions": 20, "pg_stat_database.tup_fetched": 700,
		"pg_stat_database.tup_inserted": 100, "pg_stat_database.tup_updated": 150, "pg_stat_database.tup_deleted": 50,
		"pg_stat_database.blks_hit": 990, "pg_stat_database.blks_read": 10,
		"pg_statio_user_tables.heap_blks_hit": 90, "pg_statio_user_tables.heap_blks_read": 10,
		"pg_statio_user_tables.idx_blks_hit": 75, "pg_statio_user_tables.idx_blks_read": 25,
		"buffers_written.checkpointer": 60, "buffers_written.backend": 10, "buffers_alloc": 40,
		"checkpoints.timed": 0.125, "checkpoints.requested": 0.25, "wal.bytes": 7.5e6,
		"meminfo.MemTotal": 8e9, "meminfo.MemAvailable": 6e9,
		"stat.cpu.user": 1, "stat.cpu.nice": 0.1, "stat.cpu.system": 0.5, "stat.cpu.irq": 0.1, "stat.cpu.softirq": 0.3,
		"stat.cpu.idle": 1, "stat.cpu.iowait": 0.8, "stat.cpu.steal": 0.2, "stat.cpu.guest": 0.5,
		"process.server.cpu": 1, "process.generator.cpu": 0.6, "process.plinth.cpu": 0.04, "process.others.cpu": 0.36,
		"perf.cycles": 3e9, "perf.instructions": 4.5e9, "perf.dTLB-load-misses": 6e6, "perf.LLC-load-misses": 750e3,
		"perf.node-loads": 9e5, "perf.node-load-misses": 1e5,
		"pressure.cpu.some": 0.5, "pressure.io.some": 0.25, "pressure.memory.some": 0,
		"diskstats.sda.reads": 100, "diskstats.sda.writes": 300, "diskstats.sdb.reads": 50, "diskstats.sdb.writes": 50,
		"diskstats.sdc.reads": 0, "diskstats.sdc.flushes": 10,
		"diskstats.sda.read_bytes": 1e6, "diskstats.sda.write_bytes": 3e6, "diskstats.sdb.read_bytes": 1e6, "diskstats.sdb.write_bytes": 0,
		"diskstats.sdc.read_bytes": 0, "diskstats.sda.flushes": 0, "diskstats.sdb.flushes": 0,
		"diskstats.sda.read_latency": 0.001, "diskstats.sdb.read_latency": 0.004,
		"diskstats.sda.write_latency": 0.002, "diskstats.sdb.write_latency": 0.010, "diskstats.sdc.flush_latency": 0.003,
		"diskstats.sda.utilisation": 0.5, "diskstats.sdb.utilisation": 0.7, "diskstats.sdc.utilisation": 0.9,
		"diskstats.sda.queue": 1.5, "diskstats.sdb.queue": 0.5, "diskstats.sdc.queue": 0.25,
	} {
		t[name] = each(8, value)
	}
	return t.with(table{
		"wal.syncs":                   {100, 100, 100, 100, 50, 50, 50, 50},
		"wal.sync_latency":            {0.001, 0.001, 0.001, 0.001, 0.004, 0.004, 0.010, 0.004},
		"wal.writes":                  {300, 300, 300, 300, 0, 0, 0, 0},
		"wal.write_latency":           {0.00002, 0.00002, 0.00002, 0.00004, gap, gap, gap, gap},
		"buffers_written.bgwriter":    {60, 60, 60, 0, 60, 0, 0, 0},
		"meminfo.Dirty":               {1e8, 2e8, 6e8, 6e8, 5e8, 1e8, 1e8, 1e8},
		"diskstats.sdc.writes":        {100, 100, 100, 100, 200, 200, 200, 200},
		"diskstats.sdc.write_latency": {0.001, 0.001, 0.001, 0.001, 0.002, 0.002, 0.002, 0.002},
		"diskstats.sdc.write_bytes":   {1e6, 1e6, 1e6, 1e6, 5e6, 1e6, 1e6, 1e6},
		"checkpoints.sync_longest":    {gap, gap, 0.012, gap, 0.03, gap, gap, gap},
		"wait.active":                 {4, 4, 4, 4, 12, 12, 12, 12},
		"wait.CPU":                    {2, 2, 2, 2, 2, 2, 2, 2},
		"wait.IO.WALSync":             {1, 1, 1, 1, 9, 9, 9, 9},
		"wait.LWLock.WALWrite":        {1, 1, 1, 1, gap, gap, gap, 3},
		"wait.Timeout.VacuumDelay":    {0.01, 0, 0, 0, 0, 0, 0, 0},
	})
}

const noLongest = "the largest single latency is known for emulated devices only; block tracing is not used"

func noLimit(disks string) string {
	return "no limit of " + disks + " is known; set is: in the experiment to the disk's model"
}

// TestUseOfLimits checks the use of a known limit: of the disk with the highest share, and of an array
// as the sum of its members.
func TestUseOfLimits(t *testing.T) {
	in := input(eight())
	one := device.Device{Name: "gp3", IOPS: device.Limit{Rate: 300}, Throughput: device.FlowLimit{Rate: 3e6}}
	in.Environment.Volumes[1].Is = &record.Said{Model: one}
	figures, _ := of(t, in)
	near(t, "IOPS", figures["wal-disk-iops-use"], 0.5)
	near(t, "throughput", figures["wal-disk-throughput-use"], 0.5)
	in.Environment.Volumes[1].Is = &record.Said{Model: device.Device{Name: "two", Array: &device.Array{Level: 0, Members: 2, Of: &one}}}
	figures, _ = of(t, in)
	near(t, "IOPS of an array", figures["wal-disk-iops-use"], 0.25)
	in.Environment.Volumes[1].Is = &record.Said{Model: device.Device{Name: "four", Array: &device.Array{Level: 10, Members: 4, Of: &one}}}
	figures, _, resources := figure.Of(in) // 150 writes a second, two copies of each, of 1,200
	near(t, "IOPS of mirrors", figures["wal-disk-iops-use"], 0.25)
	for _, r := range resources {
		if r.Name == "sdc iops" {
			near(t, "the resource of mirrors", r.Use, 0.25)
		}
	}
	in.Environment.Volumes[1] = record.Volume{Role: "wal", Device: "sdc", Emulation: &record.Emulation{Model: one}}
	figures, _ = of(t, in)
	near(t, "IOPS of an emulated device", figures["wal-disk-iops-use"], 0.5)
}

// TestUseOfInstance checks that the limit of an instance holds for all of its EBS volumes together: 150 writes a
// second of the WAL, and 500 operations of the data.
func TestUseOfInstance(t *testing.T) {
	in := input(eight())
	for i := range in.Environment.Volumes {
		in.Environment.Volumes[i].Is = &record.Said{Model: device.Device{Name: "gp3", IOPS: device.Limit{Rate: 3000}}}
	}
	in.Environment.Instance = &record.Instance{Name: "m6i.large", IOPS: 1000}
	figures, _ := of(t, in)
	near(t, "IOPS of the data", figures["data-disk-iops-use"], 0.65)
	near(t, "IOPS of the WAL", figures["wal-disk-iops-use"], 0.65)
}

// TestKnownAnswers of eight seconds, each worked out by hand.
func TestKnownAnswers(t *testing.T) {
	figures, gaps := of(t, committing(input(eight())))
	if !maps.Equal(gaps, map[string]string{
		"data-disk-flush-latency": "diskstats.sda.flushes and similar columns were 0 in the whole window",
		"wal-disk-read-latency":   "diskstats.sdc.reads was 0 in the whole window",
		"data-disk-iops-use":      noLimit("sda and sdb"), "data-disk-throughput-use": noLimit("sda and sdb"),
		"wal-disk-iops-use": noLimit("sdc"), "wal-disk-throughput-use": noLimit("sdc"),
		"data-disk-read-latency-max": noLongest, "data-disk-write-latency-max": noLongest, "data-disk-flush-latency-max": noLongest,
		"wal-disk-read-latency-max": noLongest, "wal-disk-write-latency-max": noLongest, "wal-disk-flush-latency-max": noLongest,
	}) {
		t.Errorf("gaps: %v", gaps)
	}
	want := map[string]float64{
		"tps-peak": 1100, "tps-peak-second": 1, "tps-lowest": 400, "tps-lowest-second": 5,
		"tps-drop": 0.5, "tps-drop-second": 4, "tps-variation": 277.74602993176546 / 750,
		"commit-latency": 1.5e6, "commits-per-flush": 10, "wal-bytes-per-transaction": 1e4,
		// 900 at 20 us and 300 at 40 us; 400 at 1 ms, 150 at 4 ms and 50 at 10 ms.
		"wal-write-latency": 25e3, "wal-sync-latency": 2.5e6, "wal-sync-latency-worst": 10e6, "wal-sync-latency-worst-second": 6,
		"wal-sync-time":   1.5e9,
		"rows-read-share": 0.7, "disk-read-share": 1200. / (8*500 + 1200), "cache-hit": 0.99, "heap-hit": 0.9, "index-hit": 0.75,
		"dataset-over-shared-buffers": 5.25, "dataset-over-memory": 1.3125,
		"buffers-backend-over-alloc": 0.25, "buffers-by-checkpointer": 0.6, "buffers-by-bgwriter": 0.3, "buffers-by-backend": 0.1,
		"buffers-clean": 30, "buffers-clean-trend": 0, "buffers-alloc": 40, "checkpoints": 3, "checkpoint-sync-max": 30e6,
		"dirty-peak": 6e8, "dirty-peak-second": 2, "memory-use": 0.25,
		"cpu-use": 0.5, "cpu-by-server": 0.25, "cpu-by-generator": 0.15, "cpu-by-plinth": 0.01, "cpu-by-others": 0.09,
		"cpu-iowait": 0.2, "cpu-steal": 0.05,
		// 750 transactions a second, on average.
		"cycles-per-transaction": 4e6, "instructions-per-transaction": 6e6, "instructions-per-cycle": 1.5,
		"dtlb-misses-per-transaction": 8e3, "llc-misses-per-transaction": 1e3, "remote-numa-share": 0.1,
		"data-disk-iops": 500, "data-disk-iops-peak": 500, "data-disk-reads": 150, "data-disk-writes": 350, "data-disk-bytes": 5e6, "data-disk-bytes-peak": 5e6,
		// 100 at 1 ms and 50 at 4 ms; 300 at 2 ms and 50 at 10 ms.
		"data-disk-read-latency": 2e6, "data-disk-write-latency": 1100. / 350 * 1e6, "data-disk-utilisation": 0.7, "data-disk-queue": 2,
		"wal-disk-iops": 150, "wal-disk-iops-peak": 200, "wal-disk-reads": 0, "wal-disk-writes": 150, "wal-disk-bytes": 1.5e6, "wal-disk-bytes-peak": 5e6,
		"wal-disk-write-latency": 5. / 3 * 1e6, "wal-disk-flush-latency": 3e6, "wal-disk-utilisation": 0.9, "wal-disk-queue": 0.25,
		"cpu-pressure": 0.5, "io-pressure": 0.25, "memory-pressure": 0,
		"active-sessions": 8, "wait.CPU": 0.25, "wait.IO.WALSync": 0.625, "wait.LWLock.WALWrite": 7. / 64,
	}
	for name, value := range want {
		if got, known := figures[name]; !known {
			t.Errorf("%s is missing: %s", name, gaps[name])
		} else {
			near(t, name, got, value)
		}
	}
	for name := range figures {
		if _, expected := want[name]; !expected {
			t.Errorf("%s is %g, and nobody expected it", name, figures[name])
		}
	}
}

// TestCheckpointerSlept: up to PostgreSQL 15, backends' writes are unknown while the checkpointer sleeps; from 16 on, zero is zero.
func TestCheckpointerSlept(t *testing.T) {
	points := eight()
	points["buffers_written.checkpointer"], points["buffers_written.backend"] = each(8, 0), each(8, 0)
	for version, unknown := range map[int]bool{0: false, 150018: true, 160014: false} {
		in := input(points)
		in.Environment.VersionN = version
		figures, gaps := of(t, in)
		for _, name := range []string{"buffers-backend-over-alloc", "buffers-by-checkpointer", "buffers-by-bgwriter", "buffers-by-backend"} {
			if _, known := figures[name]; known == unknown || unknown != strings.Contains(gaps[name], "the checkpointer") {
				t.Errorf("PostgreSQL %d: %s is %v, gap %q", version, name, figures[name], gaps[name])
			}
		}
	}
}

func TestCommitLatency(t *testing.T) {
	in := input(eight())
	in.Run.Result.Statements = []record.StatementMean{
		{Script: "pay", Statement: "UPDATE t SET end = 1;", Mean: 9e9}, {Script: "pay", Statement: "END;", Mean: 1e6},
		{Script: "move", Statement: "  commit work ;", Mean: 4e6}, {Script: "read", Statement: "SELECT 1;", Mean: 9e9},
	}
	in.Run.Result.Scripts = []record.ScriptResult{{Name: "pay", Transactions: 200}, {Name: "move", Transactions: 100}, {Name: "read", Transactions: 700}}
	figures, _ := of(t, in)
	near(t, "two scripts that commit", figures["commit-latency"], 2e6)
	in.Run.Result.Statements, in.Run.Result.Scripts = []record.StatementMean{{Statement: "END;", Mean: 3e6}}, nil
	figures, _ = of(t, in)
	near(t, "one script", figures["commit-latency"], 3e6)
}
