package diagnosis

import (
	"maps"
	"math"
	"slices"
	"testing"

	"plinth/internal/diagnosis/share"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// TestRedisShares checks which fractions of the parts of a made run a cause claims. Its thread has 0.4 s of CPU time
// a second, half of it in the kernel, and waits for a CPU for 0.02 s, as the generator does.
func TestRedisShares(t *testing.T) {
	kernel := map[string][]float64{"info.total_reads_processed": each(1000), "info.total_writes_processed": each(1100)}
	replica := map[string][]float64{
		"info.connected_slaves": each(1), "info.total_net_repl_output_bytes": each(2e5), "info.total_net_output_bytes": each(3e5),
		"process.replica.cpu": each(0.1), "stat.cpu.user": each(0.6), "process.server.run_delay": each(0.3), "process.generator.run_delay": each(0.3),
	}
	with := func(all ...map[string][]float64) map[string][]float64 {
		columns := map[string][]float64{}
		for _, more := range all {
			maps.Copy(columns, more)
		}
		return columns
	}
	for _, c := range []struct {
		name, cause string
		run         redisRun
		want        map[string]float64
	}{
		{
			"a quota: the thread is throttled for half of the time in which it waits", "cpu-quota",
			redisRun{columns: map[string][]float64{
				"cgroup.cpu.nr_throttled": each(9), "cgroup.cpu.throttled": each(0.3), "process.server.run_delay": each(0.6),
			}},
			map[string]float64{share.RunDelay: 0.5},
		},
		{
			"a quota: for how long the thread is throttled is not known", "cpu-quota",
			redisRun{columns: map[string][]float64{"cgroup.cpu.nr_throttled": each(9), "process.server.run_delay": each(0.6)}},
			map[string]float64{share.RunDelay: 1},
		},
		{
			// Half of the bytes are the stream's: 0.1 of 0.2 in user mode. 100 of 2,100 reads and writes are: 0.0095 of 0.2
			// in the kernel. The replica has half of the CPU time that neither the thread nor the generator have.
			"a replica beside the server, and a CPU for each thread", "replica", redisRun{columns: with(kernel, replica)},
			map[string]float64{share.EventLoop: 0.273810, share.RunDelay: 0.773810, share.GeneratorDelay: 0.5},
		},
		{
			"how often the thread reads and writes is not known", "replica", redisRun{columns: replica},
			map[string]float64{share.EventLoop: 0.5, share.RunDelay: 1, share.GeneratorDelay: 0.5},
		},
		{
			// 3.6 of 4 CPUs are busy: the replica's threads have 0.1 of that.
			"a replica on CPUs that are full, with more threads than CPUs", "replica",
			redisRun{run: record.Run{RunID: record.RunID{Cell: experiment.Cell{Threads: 8}}}, columns: with(kernel, replica, map[string][]float64{"stat.cpu.user": each(3.2), "stat.cpu.idle": each(0.4)})},
			map[string]float64{share.EventLoop: 0.273810, share.RunDelay: 0.273810 + 0.1/3.6, share.GeneratorDelay: 0.1 / 3.6},
		},
		{
			// The generator needs 0.05 s in the kernel, so the thread's other 0.15 of 0.2 are the file's. Interrupts and the
			// kernel's threads use 0.1 CPUs, the emulator 0.1, and others 0.2.
			"flushes of an emulated disk before each reply", "aof-fsync",
			redisRun{
				settings: map[string]string{"appendfsync": "always"}, environment: record.Environment{Volumes: []record.Volume{{Role: "data", Device: "sdb"}}},
				columns: map[string][]float64{
					"info.aof_current_size": each(1), "diskstats.sdb.utilisation": each(0.9), "process.generator.system": each(0.05), "process.generator.cpu": each(0.1),
					"process.server.system": each(0.2), "stat.cpu.system": each(0.35), "process.emulator-data.cpu": each(0.1), "stat.cpu.user": each(0.55),
				},
			},
			map[string]float64{share.AOF: 1, share.EventLoop: 0.75, share.RunDelay: 1, share.GeneratorDelay: 0.5},
		},
		{
			// With 5 samples, an eviction takes 1.205 µs: 120.5 ms of 400 for 100,000.
			"evictions", "eviction", redisRun{columns: map[string][]float64{"info.evicted_keys": each(1e5)}},
			map[string]float64{share.EventLoop: 0.30125, share.RunDelay: 0.30125},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Of(c.run.input())
			at := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Cause == c.cause })
			if at < 0 {
				t.Fatalf("%s was not found: %+v, %+v", c.cause, d.Findings, d.Considered)
			}
			f := d.Findings[at]
			for _, p := range d.Division.Parts {
				if got := f.Parts[p.Name] / p.Share; math.Abs(got-c.want[p.Name]) > 1e-4 {
					t.Errorf("%s: %.5f of it, want %.5f", p.Name, got, c.want[p.Name])
				}
			}
		})
	}
}

// TestChildrenWait: a rewrite that goes on for some part of each second costs at least the waits for a CPU that its
// child is responsible for, by its CPU time, although throughput follows it little.
func TestChildrenWait(t *testing.T) {
	d := Of(redisRun{columns: map[string][]float64{
		"tps": follows(1000, -250), "latency_mean_ns": follows(10e6, 3e6), "persistence.aof_rewrite_in_progress": follows(0.2, 0.7),
		"process.server.cpu": each(0.8), "process.server.run_delay": each(0.6), "process.generator.run_delay": each(0.2), "stat.cpu.user": each(0.9),
	}}.input())
	at := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Cause == "aof-rewrite" })
	if at < 0 {
		t.Fatalf("%+v, %+v", d.Findings, d.Considered)
	}
	// The child has 0.4 of the 0.5 CPUs that neither the thread nor the generator use.
	for _, part := range []string{share.RunDelay, share.GeneratorDelay} {
		if got := d.Findings[at].Parts[part] / d.Division.Part(part).Share; math.Abs(got-0.8) > 1e-4 {
			t.Errorf("%s: %.4f of it, want 0.8", part, got)
		}
	}
}
