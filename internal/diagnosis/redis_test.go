package diagnosis

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"plinth/internal/host"
	"plinth/internal/record"
)

// The window of a made run of Redis.
const redisSeconds = 20

// each returns a column with the same value in all seconds.
func each(v float64) []float64 { return slices.Repeat([]float64{v}, redisSeconds) }

// aside returns a column that has one value in seconds 8 to 15, and another one otherwise.
func aside(then, otherwise float64) []float64 {
	values := each(otherwise)
	for i := 8; i < 16; i++ {
		values[i] = then
	}
	return values
}

// redisRun is a made run of Redis with 10 clients, whose server and load generator are each busy for less than
// half of the time, unless its columns say otherwise.
type redisRun struct {
	columns     map[string][]float64
	figures     map[string]float64
	settings    map[string]string
	environment record.Environment
	run         record.Run
	inventory   *host.Inventory
}

func (r redisRun) input() Input {
	second := make([]float64, redisSeconds)
	for i := range second {
		second[i] = float64(i)
	}
	columns := map[string][]float64{
		"second": second, "tps": each(1000), "latency_mean_ns": each(10e6),
		"info.used_cpu_sys": each(0.2), "info.used_cpu_sys_main_thread": each(0.2), "info.used_cpu_user_main_thread": each(0.2),
		"info.total_net_input_bytes": each(1e5), "info.total_net_output_bytes": each(1e5), "info.total_net_repl_output_bytes": each(0),
		"info.evicted_keys": each(0), "info.mem_clients_normal": each(2e5), "info.used_memory": each(1e9),
		"info.total_forks": each(0), "info.latest_fork_usec": each(0), "info.sync_full": each(0),
		"persistence.aof_rewrite_in_progress": each(0), "persistence.rdb_bgsave_in_progress": each(0), "persistence.cow_bytes": each(0),
		"process.server.cpu": each(0.4), "process.server.run_delay": each(0.02), "process.others.cpu": each(0.1),
		"process.generator.cpu": each(0.4), "process.generator.run_delay": each(0.02),
		"stat.cpu.user": each(0.5), "stat.cpu.nice": each(0), "stat.cpu.system": each(0.4), "stat.cpu.irq": each(0), "stat.cpu.softirq": each(0),
		"stat.cpu.idle": each(3.1), "stat.cpu.iowait": each(0), "stat.cpu.steal": each(0),
		"cgroup.cpu.nr_throttled": each(0), "vmstat.pswpin": each(0), "pressure.memory.some": each(0),
	}
	maps.Copy(columns, r.columns)
	in := Input{Run: &r.run, Environment: r.environment, Inventory: r.inventory}
	for name, values := range columns {
		if values != nil {
			in.Points.Columns = append(in.Points.Columns, record.Column{Name: name, Values: values})
		}
	}
	in.Environment.Server = "Redis"
	if in.Environment.Settings = r.settings; r.settings == nil {
		in.Environment.Settings = map[string]string{}
	}
	in.Run.Figures = map[string]float64{}
	maps.Copy(in.Run.Figures, r.figures)
	in.Run.Result.Loop, in.Run.Threads = "closed", max(1, in.Run.Threads)
	return in
}

// quartered returns the columns of a run whose throughput falls to a quarter in seconds 8 to 15, in which the thread
// works six times as much for each request.
func quartered(more map[string][]float64) map[string][]float64 {
	columns := map[string][]float64{
		"tps": aside(250, 1000), "latency_mean_ns": aside(40e6, 10e6),
		"info.used_cpu_sys_main_thread": aside(0.7, 0.2), "process.server.cpu": aside(0.9, 0.4), "process.generator.cpu": aside(0.1, 0.4),
	}
	maps.Copy(columns, more)
	return columns
}

// follows returns a column that goes up and down within the run: from a value, by as much.
func follows(from, by float64) []float64 {
	values := each(from)
	for i := range values {
		values[i] += by * float64(i%5) / 4
	}
	return values
}

func TestRedisRules(t *testing.T) {
	full := map[string][]float64{"info.used_cpu_sys_main_thread": each(0.75), "process.server.cpu": each(0.95)}
	file := []record.Volume{{Role: "data", Device: "sdb"}}
	always := map[string]string{"appendfsync": "always"}
	with := func(base map[string][]float64, more map[string][]float64) map[string][]float64 {
		all := maps.Clone(base)
		maps.Copy(all, more)
		return all
	}
	unanswered := aside(math.NaN(), 0.2)
	for _, c := range []struct {
		cause string
		text  string // a part of it
		run   redisRun
	}{
		{"thread", "0.95 of 1 CPU", redisRun{columns: full}},
		{"thread-work", "busy for 42 %", redisRun{columns: map[string][]float64{"process.generator.cpu": each(0.3)}}},
		{"generator", "threads are busy", redisRun{columns: map[string][]float64{"process.generator.cpu": each(0.95)}}},
		{"cpu", "3.90 of 4", redisRun{columns: map[string][]float64{
			"stat.cpu.user": each(3.5), "stat.cpu.idle": each(0.1), "process.server.run_delay": each(0.4), "process.generator.run_delay": each(0.4),
		}}},
		{"slow-command", "KEYS occupies the thread for 50 ms", redisRun{columns: with(full, map[string][]float64{
			"info.cmdstat_keys.calls": each(10), "info.cmdstat_keys.usec_per_call": each(0.05),
			"info.cmdstat_get.calls": each(1000), "info.cmdstat_get.usec_per_call": each(1e-6),
		})}},
		{"slow-command", "for 8.0 s", redisRun{columns: map[string][]float64{
			"tps": aside(0, 1000), "info.used_cpu_sys": unanswered, "info.used_cpu_sys_main_thread": unanswered, "process.server.cpu": aside(1, 0.4),
			"process.server.run_delay": aside(0, 0.02), "process.generator.cpu": aside(0, 0.4), "process.generator.run_delay": aside(0, 0.02),
		}}},
		{"stall", "no transaction ended", redisRun{columns: map[string][]float64{
			"tps": aside(0, 1000), "info.used_cpu_sys": unanswered, "info.used_cpu_sys_main_thread": unanswered, "process.server.cpu": aside(0, 0.4),
			"process.server.run_delay": aside(0, 0.02), "process.generator.cpu": aside(0, 0.4), "process.generator.run_delay": aside(0, 0.02),
		}}},
		{"cpu-quota", "0.4 CPUs", redisRun{
			columns:     map[string][]float64{"cgroup.cpu.nr_throttled": each(9), "process.server.run_delay": each(0.6)},
			environment: record.Environment{Limits: &record.Limits{CPUQuota: 0.4}},
		}},
		{"cpu-neighbour", "other processes and threads of the kernel use 3.00", redisRun{columns: map[string][]float64{
			"process.others.cpu": each(3), "process.server.run_delay": each(0.5), "process.generator.run_delay": each(0.3),
		}}},
		{"cpu-neighbour", "other processes and threads of the kernel use 3.10", redisRun{columns: map[string][]float64{
			"process.neighbour.cpu": each(3), "process.server.run_delay": each(0.5), "process.generator.run_delay": each(0.3),
		}}},
		{"cpu-steal", "takes 2.00 CPUs", redisRun{columns: map[string][]float64{
			"stat.cpu.steal": each(2), "process.server.run_delay": each(0.6), "process.generator.run_delay": each(0),
		}}},
		{"swap", "100 pages", redisRun{columns: map[string][]float64{
			"vmstat.pswpin": each(100), "pressure.memory.some": each(0.9), "process.server.cpu": each(0.1),
			"info.used_cpu_sys_main_thread": each(0.05), "info.used_cpu_user_main_thread": each(0.05), "process.generator.cpu": each(0.1),
		}}},
		{"swap", "100 pages", redisRun{columns: map[string][]float64{
			"vmstat.pswpin": each(100), "pressure.memory.some": each(0.7), "info.cmdstat_get.calls": each(1000), "info.cmdstat_get.usec_per_call": each(0.9e-3),
		}}},
		{"aof-fsync", "replies wait", redisRun{figures: map[string]float64{"data-disk-utilisation": 0.9}, settings: always, environment: record.Environment{Volumes: file}, columns: map[string][]float64{
			"info.aof_current_size": each(1), "diskstats.sdb.utilisation": each(0.9),
		}}},
		{"data-disk-iops", "95 % of its limit", redisRun{
			settings: always, environment: record.Environment{Volumes: file}, figures: map[string]float64{"data-disk-iops-use": 0.95},
			columns: map[string][]float64{"info.aof_current_size": each(1), "diskstats.sdb.utilisation": each(0.9)},
		}},
		{"disk-neighbour", "others use the data disk", redisRun{
			settings: always, environment: record.Environment{Volumes: file}, figures: map[string]float64{"data-disk-utilisation": 0.99},
			columns: map[string][]float64{
				"info.aof_current_size": each(1), "diskstats.sdb.utilisation": each(0.99), "process.server.write_bytes": each(1e5), "process.server.read_bytes": each(0),
				"diskstats.sdb.read_bytes": each(0), "diskstats.sdb.write_bytes": each(50e6),
			},
		}},
		{"aof-stall", "3 writes", redisRun{settings: map[string]string{"appendfsync": "everysec"}, columns: map[string][]float64{
			"info.aof_current_size": each(1), "info.eventloop_duration_sum": each(0.95), "info.aof_delayed_fsync": each(0.15), "persistence.aof_pending_bio_fsync": each(0.9),
		}}},
		{"fork", "forked 10 times", redisRun{figures: map[string]float64{"fork-time-worst": 0.8e9}, columns: with(full, map[string][]float64{
			"info.total_forks": each(0.5), "info.latest_fork_usec": each(0.8),
		})}},
		{"save", "falls by 75 %", redisRun{columns: quartered(map[string][]float64{"persistence.rdb_bgsave_in_progress": aside(1, 0)})}},
		{"aof-rewrite", "falls by 75 %", redisRun{columns: quartered(map[string][]float64{"persistence.aof_rewrite_in_progress": aside(1, 0)})}},
		{"aof-rewrite", "for 80 % of the time, with 2.60 CPUs", redisRun{columns: map[string][]float64{
			"persistence.aof_rewrite_in_progress": each(0.8), "process.server.cpu": each(3), "process.server.run_delay": each(3),
			"process.server.minor_faults": each(50000), "stat.cpu.user": each(3.4), "stat.cpu.idle": each(0.2), "process.generator.run_delay": each(0.4),
		}}},
		// In some seconds, and throughput is no lower in them: the child may have started or ended in the others.
		{"aof-rewrite", "for 40 % of the time, with 2.60 CPUs", redisRun{columns: map[string][]float64{
			"persistence.aof_rewrite_in_progress": aside(1, 0), "process.server.cpu": each(3), "process.server.run_delay": each(3),
			"process.server.minor_faults": each(50000), "stat.cpu.user": each(3.4), "stat.cpu.idle": each(0.2), "process.generator.run_delay": each(0.4),
		}}},
		// In progress for some part of each second: throughput follows.
		{"aof-rewrite", "falls by 33 %", redisRun{columns: map[string][]float64{
			"tps": follows(1000, -500), "latency_mean_ns": follows(10e6, 8e6), "persistence.aof_rewrite_in_progress": follows(0.2, 0.7),
			"process.server.run_delay": follows(0, 0.8), "process.generator.run_delay": follows(0, 0.4),
		}}},
		{"aof-append", "191 MiB/s", redisRun{columns: with(full, map[string][]float64{"persistence.aof_bytes": each(200e6)})}},
		{"data-disk-throughput", "97 % of its limit", redisRun{
			environment: record.Environment{Volumes: file}, figures: map[string]float64{"data-disk-throughput-use": 0.97},
			columns: with(full, map[string][]float64{"persistence.aof_bytes": each(100e6), "persistence.aof_buffer_length": each(100e6)}),
		}},
		{"full-resync", "falls by 75 %", redisRun{columns: quartered(map[string][]float64{"info.sync_full": aside(1, 0)})}},
		{"save", "falls by 75 %", redisRun{
			inventory: &host.Inventory{Facts: host.Facts{Kernel: "6.1.0-28-amd64"}, Memory: host.MemoryOf{THP: "always"}},
			columns:   quartered(map[string][]float64{"persistence.rdb_bgsave_in_progress": aside(1, 0), "persistence.cow_bytes": aside(1e9, 0)}),
		}},
		{"thp", "huge pages are copied", redisRun{
			inventory: &host.Inventory{Facts: host.Facts{Kernel: "5.4.0-200-generic"}, Memory: host.MemoryOf{THP: "always"}},
			columns:   quartered(map[string][]float64{"persistence.rdb_bgsave_in_progress": aside(1, 0), "persistence.cow_bytes": aside(1e9, 0)}),
		}},
		{"thp", "huge pages are copied", redisRun{
			inventory:   &host.Inventory{Memory: host.MemoryOf{THP: "madvise"}},
			environment: record.Environment{Tuning: &record.Tuning{Knobs: []record.Knob{{Key: "transparent_hugepage", Value: "always"}}}},
			columns:     quartered(map[string][]float64{"persistence.rdb_bgsave_in_progress": aside(1, 0), "persistence.cow_bytes": aside(1e9, 0)}),
		}},
		{"eviction", "are evicted", redisRun{columns: with(full, map[string][]float64{"info.evicted_keys": each(400000)})}},
		{"replica", "to replicas", redisRun{columns: with(full, map[string][]float64{
			"info.total_net_repl_output_bytes": each(5e5), "info.connected_slaves": each(1),
		})}},
		{"output-buffers", "do not read them", redisRun{columns: with(full, map[string][]float64{
			"info.mem_clients_normal": each(500e6), "info.total_net_output_bytes": each(5e6),
		})}},
		{"large-values", "which the thread copies", redisRun{columns: with(full, map[string][]float64{"info.total_net_output_bytes": each(500e6)})}},
		{"network", "cross the network", redisRun{run: record.Run{Generators: []record.GeneratorRun{{Network: &record.Network{RoundTrip: 9e6}}}}}},
		{"outside", "idle for 90 %", redisRun{columns: map[string][]float64{
			"process.server.cpu": each(0.08), "info.used_cpu_sys_main_thread": each(0.04), "info.used_cpu_user_main_thread": each(0.04), "process.generator.cpu": each(0.08),
		}}},
	} {
		t.Run(c.cause, func(t *testing.T) {
			d := Of(c.run.input())
			if d.Undivided != "" || len(d.Findings) == 0 {
				t.Fatalf("%s: %+v", d.Undivided, d)
			}
			first := d.Findings[0]
			if first.Cause != c.cause || !strings.Contains(first.Text, c.text) {
				for _, f := range d.Findings {
					t.Logf("%s %s: %s", f.Cause, percent(f.Share), f.Text)
				}
				for _, r := range slices.Concat(d.Considered, d.Skipped) {
					t.Logf("not %s: %s", r.Cause, r.Why)
				}
				t.Errorf("%s: %s comes first, want %s: %s", first.Cause, first.Text, c.cause, c.text)
			}
			if len(first.Evidence) == 0 {
				t.Error("it has no evidence")
			}
			if c.cause != "thread-work" && c.cause != "outside" && c.cause != "stall" && first.Share < 0.1 {
				t.Errorf("it explains %s", percent(first.Share))
			}
		})
	}
}

// TestRedisClean checks that a run in which nothing is in the way has no other cause than its own work.
func TestRedisClean(t *testing.T) {
	for _, f := range Of(redisRun{}.input()).Findings {
		if f.Cause != "thread-work" && f.Cause != "generator" {
			t.Errorf("%s: %s", f.Cause, f.Text)
		}
	}
}

// TestRedisSkipped checks that a cause whose columns are missing is not taken to be absent.
func TestRedisSkipped(t *testing.T) {
	for cause, column := range map[string]string{
		"cpu-quota": "cgroup.cpu.nr_throttled", "cpu-steal": "stat.cpu.steal", "cpu-neighbour": "process.others.cpu", "swap": "vmstat.pswpin",
		"fork": "info.total_forks", "save": "persistence.rdb_bgsave_in_progress", "aof-rewrite": "persistence.aof_rewrite_in_progress",
		"eviction": "info.evicted_keys", "replica": "info.total_net_repl_output_bytes", "full-resync": "info.sync_full", "thp": "persistence.cow_bytes",
		"output-buffers": "info.mem_clients_normal", "large-values": "info.total_net_input_bytes", "cpu": "stat.cpu.user",
	} {
		d := Of(redisRun{columns: map[string][]float64{column: nil}}.input())
		if !slices.ContainsFunc(d.Skipped, func(r Reason) bool { return r.Cause == cause && strings.Contains(r.Why, column) }) {
			t.Errorf("%s is not skipped without %s: %+v", cause, column, d.Skipped)
		}
	}
}

// TestSplitsHuge: a kernel whose release cannot be read may copy huge pages.
func TestSplitsHuge(t *testing.T) {
	for release, want := range map[string]bool{
		"5.7.19": false, "5.8.0-63-generic": true, "4.18.0-553.el8_10.x86_64": false, "6.1.0-28-amd64": true, "10.0": true, "": false, "unknown": false,
	} {
		if got := splitsHuge(release); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

// TestPace checks that an eviction takes longer where the thread takes longer for everything.
func TestPace(t *testing.T) {
	shareWith := func(calls float64) float64 {
		d := Of(redisRun{columns: map[string][]float64{
			"info.evicted_keys": each(100000), "info.total_reads_processed": each(calls / 2), "info.total_writes_processed": each(calls / 2),
		}}.input())
		i := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Cause == "eviction" })
		if i < 0 {
			t.Fatalf("with %.0f calls, eviction is not found", calls)
		}
		return d.Findings[i].Share
	}
	const there = 0.2 / 1.45e-6 // calls a second in the kernel's 0.2 s, at the pace at which evictions were measured
	usual := shareWith(there)
	for calls, times := range map[float64]float64{0: 1, there / 2: 2, there / 100: 3, there * 100: 0.5} {
		if got := shareWith(calls) / usual; math.Abs(got-times) > 0.01 {
			t.Errorf("with %.0f calls a second, eviction takes %.2f times as long, want %.1f", calls, got, times)
		}
	}
}

// TestRedisCauses checks that each rule has a cause that people can use, and each cause a rule.
func TestRedisCauses(t *testing.T) {
	ruled := map[string]bool{}
	for _, r := range redisRules {
		ruled[r.name] = true
		if r.Title == "" || r.Basis == "" || !strings.HasPrefix(r.Source, "https://") || len(r.Try) == 0 {
			t.Errorf("%s: %+v", r.name, r.Cause)
		}
	}
	for name := range redisCauses {
		if !ruled[name] {
			t.Errorf("%s has no rule", name)
		}
	}
	for _, server := range []string{"Redis", "Valkey"} {
		if n := len(rulesOf(server)); n != len(redisRules) {
			t.Errorf("%s has %d rules of %d", server, n, len(redisRules))
		}
	}
}
