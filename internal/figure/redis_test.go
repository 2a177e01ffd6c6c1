package figure_test

import (
	"maps"
	"math"
	"strings"
	"testing"

	"plinth/internal/figure"
	"plinth/internal/metric"
	"plinth/internal/record"
	"plinth/internal/telemetry/kernel"
	"plinth/internal/telemetry/redis"
)

// ofRedis is four seconds of a Redis server with a replica: two forks, a rewrite of a
// second and a half, a second in which nobody wrote.
func ofRedis() table {
	return table{
		"tps":                   {100, 100, 100, 0},
		"persistence.aof_bytes": {1000, 3000, 2000, 0}, "persistence.aof_rewrites": {0.4, 0.6, 1, 0},
		"persistence.aof_rewrite_in_progress": {0, 1, 0.5, 0}, "persistence.aof_pending_bio_fsync": {0.2, 0.2, 0.2, 0.2},
		"persistence.rdb_saves": {0, 0, 0, 0}, "persistence.rdb_bgsave_in_progress": {0, 0, 0, 0},
		"persistence.cow_bytes": {0, 4096, 8192, 0}, "persistence.aof_buffer_length": {0, 0, 0, 0},
		"info.aof_delayed_fsync": {0, 0.3, 0.7, 0}, "info.evicted_keys": {0, 0, 0, 0},
		"info.latest_fork_usec": {0.9, 0.002, 0.003, 0.003}, "info.total_forks": {0, 1, 1, 0},
		"info.used_memory": {5e6, 6e6, 7e6, 6e6}, "info.used_memory_rss": {9e6, 9e6, 9e6, 9e6},
		"info.keyspace_hits": {30, 30, 30, 0}, "info.keyspace_misses": {10, 10, 10, 0},
		"info.eventloop_duration_sum":   {0.5, 0.7, 0.6, 0.2},
		"info.used_cpu_sys_main_thread": {0.1, 0.1, 0.1, 0.1}, "info.used_cpu_user_main_thread": {0.2, 0.2, 0.2, 0.2},
		"info.cmdstat_set.calls": {10, 20, 20, 0}, "info.cmdstat_lpush.calls": {0, 10, 0, 0}, "info.cmdstat_get.calls": {99, 99, 99, 0},
		"info.slave0.offset_lag": {10, 50, gap, 0}, "info.slave1.offset_lag": {20, 30, gap, gap},
		"info.slave0.lag": {0, 1, gap, 2}, "info.slave1.lag": {1, 1, gap, gap},
	}
}

func redisInput() figure.Input {
	columns := eight()
	for name := range columns {
		if !strings.HasPrefix(name, "diskstats.") && !strings.HasPrefix(name, "stat.") && !strings.HasPrefix(name, "process.") &&
			!strings.HasPrefix(name, "meminfo.") && !strings.HasPrefix(name, "pressure.") && !strings.HasPrefix(name, "perf.") {
			delete(columns, name)
		}
	}
	maps.Copy(columns, emulated())
	for name, values := range ofRedis() { // once more, to be as long
		columns[name] = append(append([]float64{}, values...), values...)
	}
	columns["diskstats.sda.flushes"], columns["diskstats.sda.flush_latency"] = each(8, 1), each(8, 0.001)
	columns["tps"] = []float64{100, 120, 100, 110, 50, 55, 52, 51}
	in := input(columns)
	in.Environment.Server = "Redis"
	in.Environment.Volumes = in.Environment.Volumes[:1]
	return in
}

func TestFiguresOfRedis(t *testing.T) {
	in := input(ofRedis())
	in.Environment.Server = "Valkey"
	figures, gaps := of(t, in)
	for name, want := range map[string]float64{
		"aof-bytes": 1500, "aof-bytes-per-write": 6000.0 / 60, "aof-rewrites": 2, "aof-rewrite-time": 1.5 / 4,
		"aof-delayed-fsyncs": 1, "aof-fsync-time": 0.2, "rdb-saves": 0, "fork-time-worst": 3e6, "fork-time-worst-second": 2,
		"cow-peak": 8192, "used-memory-peak": 7e6, "keyspace-hit": 0.75, "evicted-keys": 0, "eventloop-busy": 0.5,
		"main-thread-cpu": 0.3, "replication-lag": (20.0 + 50 + 0) / 3, "replication-lag-worst": 50,
		"replication-lag-worst-second": 1, "replication-delay-worst": 2e9,
	} {
		near(t, name, figures[name], want)
	}
	for name := range gaps {
		if f, _ := metric.FigureNamed(name); !f.Of("Valkey") {
			t.Errorf("%s is missed in a run of Valkey", name)
		}
	}
}

// Each figure of Redis says why it is missing; none of PostgreSQL is, and none of Redis
// in a run of PostgreSQL.
func TestGapsOfRedis(t *testing.T) {
	columns := ofRedis()
	delete(columns, "info.cmdstat_set.calls")
	delete(columns, "info.cmdstat_lpush.calls")
	columns["info.total_forks"] = []float64{0, 0, 0, 0}
	columns["info.aof_delayed_fsync"] = []float64{0, math.NaN(), 1, 0}
	columns["info.slave0.lag"] = []float64{0, gap, gap, gap}
	columns["info.slave1.lag"] = []float64{gap, gap, gap, gap}
	in := input(columns)
	in.Environment.Server = "Redis"
	_, gaps := of(t, in)
	for name, want := range map[string]string{
		"aof-bytes-per-write": "the server counted no command that writes", "fork-time-worst": "the server did not fork in the window",
		"aof-delayed-fsyncs": "it is not known for every second of the window", "replication-delay-worst": "known in 1 of 4 seconds: nothing is recorded for info.slave1.lag",
	} {
		if gaps[name] != want {
			t.Errorf("%s: %q, want %q", name, gaps[name], want)
		}
	}
	in = input(nil)
	in.Environment.Dataset = record.Dataset{}
	for _, server := range []string{"PostgreSQL", "Redis", "Valkey"} {
		in.Environment.Server = server
		_, gaps := of(t, in)
		for _, f := range metric.Figures() {
			_, missed := gaps[f.Name]
			if may := f.Of(server) && !strings.HasPrefix(f.Name, "replication-"); missed != may {
				t.Errorf("%s: %s is missed: %t", server, f.Name, missed)
			}
		}
	}
}

// TestColumnsOfRedisAreRead: telemetry writes what the figures are made of.
func TestColumnsOfRedisAreRead(t *testing.T) {
	all := append(kernel.Metrics(), redis.Metrics()...)
	for column := range ofRedis() {
		if _, known := metricOf(all, column); !known && column != "tps" {
			t.Errorf("nobody writes %s", column)
		}
	}
}

// The replica of a PostgreSQL server is told by another view, as the same figures.
func TestReplicaOfPostgres(t *testing.T) {
	figures, _ := of(t, input(table{"tps": {1, 1}, "replication.standby.replay_lag": {100, 300}}))
	near(t, "replication-lag", figures["replication-lag"], 200)
	near(t, "replication-lag-worst", figures["replication-lag-worst"], 300)
	if _, made := figures["replication-delay-worst"]; made {
		t.Error("PostgreSQL has no such delay")
	}
}
