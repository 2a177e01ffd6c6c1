package demand

import (
	"math"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/figure/window"
	"plinth/internal/record"
)

// redisRun returns a run of 1,000 requests a second for four seconds, each of which appends 144 bytes.
func redisRun() *window.Window {
	r := &record.Run{Phases: record.Phases{Load: 4}, Calibrations: []record.Calibration{{Role: "data", Answered: 4000, CPU: 0.4}},
		Volumes: []record.VolumeIO{{Role: "data", Writes: 600, WriteBytes: 3e6}}, Evidence: &record.Evidence{Machine: record.MachineEvidence{CPUs: 2}},
		Telemetry: &record.Telemetry{Cost: []record.Cost{{Lane: "kernel", Covered: 4}, {Lane: "server", Covered: 4, Server: 0.004, Known: true}}}}
	r.Result.TPS = 1000
	columns := map[string]float64{
		"info.used_cpu_sys_main_thread": 0.03, "info.used_cpu_user_main_thread": 0.01, "process.server.cpu": 0.05, "process.generator.cpu": 0.2,
		"process.plinth.cpu": 0.15, "process.others.cpu": 0.03, "persistence.aof_bytes": 144e3, "info.evicted_keys": 0,
	}
	w := &window.Window{Run: r, Seconds: []float64{0, 1, 2, 3}, Columns: map[string][]float64{}}
	for name, v := range columns {
		w.Columns[name] = []float64{v, v, v, v}
	}
	return w
}

// redisRecord returns a record of Redis with appendfsync always, and its environment.
func redisRecord(t *testing.T, keys string) (*record.Record, record.Environment) {
	t.Helper()
	e := record.Environment{Name: "x", Server: "Redis", Settings: map[string]string{"appendonly": "yes", "appendfsync": "always", "io-threads": "1"},
		Volumes: []record.Volume{{Role: "data", Filesystem: "ext4", Emulation: &record.Emulation{Model: device.Device{Name: "disk", Write: device.Latency{Median: 1000 * 1000}}}}}}
	exp, _, err := decode.Parse("x.yaml", []byte("name: x\nengine: redis\n"+keys+"\nclients: 8\nenvironments: {x: {}}\n"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record.Record{ExperimentYAML: encode.YAML(exp), Environments: map[string]record.Environment{"x": e}, Runs: []record.Run{*redisRun().Run}}
	rec.Runs[0].Environment = "x"
	return rec, e
}

func cell(workload string) Cell {
	return Cell{Cell: experiment.Cell{Workload: workload, Clients: 8, Threads: 2}}
}

// TestRedis checks what each request needs, from what its runs used. The disk's 600 writes a second are 200 syncs on
// ext4, which takes three.
func TestRedis(t *testing.T) {
	r, err := usedByRedis(redisRun())
	if err != nil {
		t.Fatal(err)
	}
	rec, e := redisRecord(t, "workloads: [set]")
	c := cell("set")
	if err := c.redis(rec, e, r); err != nil {
		t.Fatal(err)
	}
	s := c.System
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 0.001 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("server", s.Server.Seconds(), (0.04-0.001-200*60e-6)/1000)
	near("client", s.Client.Seconds(), 54e-6)
	near("background", s.Background, 0.01+0.001+0.05+0.03+(0.2-0.054)+idling)
	near("path", s.Path.Seconds(), 77.363e-6) // 0.1 s without idling, of 1000 operations, and without the copies
	near("sync", s.Sync.Seconds(), 60e-6)
	near("bytes", s.WALBytes, 144)
	near("turns with all clients", s.Loop.Together, 0.25) // five of eight clients in each sync
	if s.Clients != 8 || s.Threads != 2 || s.CPUs != 2 || s.Commits != 1 || s.Loop == nil || len(s.Loop.Metadata) != 4 || s.Data.Name != "disk" || s.Writes != 0 {
		t.Errorf("%+v", s)
	}

	// A client that sends four requests at once is in every second sync at least: 62.5 syncs a second.
	rec, e = redisRecord(t, "workloads: [set]\npipeline: 4")
	if err := c.redis(rec, e, r); err != nil {
		t.Fatal(err)
	}
	near("server's time for a pipeline", c.System.Server.Seconds(), (0.04-0.001-62.5*60e-6)/250)
	near("bytes of a pipeline", c.System.WALBytes, 4*144)
	if c.System.Loop.Together != 0 {
		t.Errorf("all clients are together in %v of the turns", c.System.Loop.Together)
	}

	// A quarter of the requests write, so that 1 - 0.75^2 of the pairs do. The process's CPU time stands for that of
	// the thread if it is not reported.
	w := redisRun()
	delete(w.Columns, "info.used_cpu_sys_main_thread")
	if r, err = usedByRedis(w); err != nil || r.backends != 0.05 {
		t.Fatal(r.backends, err)
	}
	rec, e = redisRecord(t, "workloads: [{name: mix, scripts: [{builtin: set, weight: 1}, {builtin: get, weight: 3}]}]\npipeline: 2")
	c = cell("mix")
	if err := c.redis(rec, e, r); err != nil {
		t.Fatal(err)
	}
	near("pairs that write", c.System.Commits, 0.4375)
	near("bytes of such a pair", c.System.WALBytes, 144e3/500/0.4375)
}

// TestRedisPolicies: only with appendfsync always do requests wait for the disk.
func TestRedisPolicies(t *testing.T) {
	r, err := usedByRedis(redisRun())
	if err != nil {
		t.Fatal(err)
	}
	rec, e := redisRecord(t, "workloads: [set, get]")
	c := cell("set")
	e.Settings["appendfsync"] = "everysec"
	if err := c.redis(rec, e, r); err != nil {
		t.Fatal(err)
	}
	if s := c.System; s.WALBytes != 0 || s.Loop.Metadata != nil || s.Sync != 0 || s.WriteSize != 5000 || math.Abs(s.Writes*5000-144) > 0.01 || s.Server.Microseconds() != 39 {
		t.Errorf("everysec: %+v", s)
	}
	quiet := r
	quiet.writes, quiet.writeBytes = 0, 0
	e.Settings["appendfsync"], e.Volumes = "no", nil // the disk is not known, and need not be
	if err := c.redis(rec, e, quiet); err != nil {
		t.Fatal(err)
	}
	if s := c.System; s.WriteSize != chunk || s.WALBytes != 0 || s.Data.Name != "" {
		t.Errorf("no: %+v", s)
	}
	e.Settings["appendfsync"] = "always"
	c = cell("get")
	if err := c.redis(rec, e, r); err != nil || c.System.WALBytes != 0 {
		t.Errorf("reads: %+v, %v", c.System, err)
	}
	r.wal = 0 // appendonly is no
	c = cell("set")
	if err := c.redis(rec, e, r); err != nil || c.System.WALBytes != 0 || c.System.Writes != 0 {
		t.Errorf("no file: %+v, %v", c.System, err)
	}
}

// TestRedisChildren: child processes that save or rewrite are noted with what they write; a replica needs CPU time of each
// request, and so do the emulators of its disks.
func TestRedisChildren(t *testing.T) {
	w := redisRun()
	w.Columns["persistence.rdb_bgsave_in_progress"] = []float64{0, 1, 0, 0}
	w.Columns["persistence.aof_rewrite_in_progress"] = []float64{0, 0, 1, 0}
	w.Columns["process.replica.cpu"] = []float64{0.03, 0.03, 0.03, 0.03}
	w.Run.Calibrations = append(w.Run.Calibrations, record.Calibration{Role: "replica data", Answered: 400, CPU: 0.08})
	w.Run.Volumes = append(w.Run.Volumes, record.VolumeIO{Role: "replica data", Writes: 100, WriteBytes: 1e6})
	r, err := usedByRedis(w)
	if err != nil {
		t.Fatal(err)
	}
	rec, e := redisRecord(t, "workloads: [set]")
	c := cell("set")
	if err := c.redis(rec, e, r); err == nil || !strings.Contains(err.Error(), "while requests waited for syncs") {
		t.Errorf("always: %v", err)
	}
	e.Settings["appendfsync"] = "everysec"
	if err := c.redis(rec, e, r); err != nil {
		t.Fatal(err)
	}
	bytes, operations := 3e6-144e3, 600*(1-144e3/3e6)
	if s := c.Saving; s == nil || s.Share != 0.5 || math.Abs(s.Used.Bytes/(2*bytes)-1) > 1e-9 || math.Abs(s.Used.Operations/(2*operations)-1) > 1e-9 {
		t.Errorf("%+v", s)
	}
	alone, quiet := c.System, r
	quiet.saving = 0
	if err := c.redis(rec, e, quiet); err != nil || c.Saving != nil {
		t.Fatal(c.Saving, err)
	}
	emulator := operations*alone.Path.Seconds() + bytes/1024*alone.Copy.Seconds()
	if more := alone.Background - c.System.Background; math.Abs(more/emulator-1) > 1e-9 {
		t.Errorf("the emulator needs %v for the child processes, want %v", more, emulator)
	}
	e.Settings["appendfsync"] = "no"
	rare := r
	rare.saving = 0.001
	if err := c.redis(rec, e, rare); err != nil || c.Saving.Used.Bytes != 3e6/leastShare {
		t.Errorf("%+v, %v", c.Saving, err)
	}

	e.Replica = &record.Replica{}
	if err := c.redis(rec, e, quiet); err != nil {
		t.Fatal(err)
	}
	if s := c.System; s.Loop.Follow.Microseconds() != 50 || s.Path != alone.Path {
		t.Errorf("%+v", s)
	}
	for want, change := range map[string]func(*record.Environment, *reading){
		"share all CPUs":  func(e *record.Environment, _ *reading) { e.Limits = &record.Limits{CPUs: "0"} },
		"limited to some": func(e *record.Environment, _ *reading) { e.Replica.Limits = &record.Limits{CPUQuota: 0.5} },
		"the replica syncs": func(e *record.Environment, _ *reading) {
			e.Replica.Settings = map[string]string{"appendonly": "yes", "appendfsync": "always"}
		},
		"of the replica was not":    func(_ *record.Environment, r *reading) { r.replica = 0 },
		"to the disk was not measu": func(_ *record.Environment, r *reading) { r.saving, r.writeBytes = 0.5, 0 },
	} {
		other, changed := e, quiet
		other.Replica = &record.Replica{}
		change(&other, &changed)
		if err := c.redis(rec, other, changed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	w.Columns["info.slave0.offset_lag"], w.Columns["info.master_repl_offset"] = []float64{9e6, 9e6, 9e6, 9e6}, []float64{1e6, 1e6, 1e6, 1e6}
	if _, err := usedByRedis(w); err == nil || !strings.Contains(err.Error(), "the replica fell behind") {
		t.Error(err)
	}
	delete(w.Columns, "info.slave0.offset_lag")
	delete(w.Columns, "info.used_cpu_sys_main_thread")
	if _, err := usedByRedis(w); err == nil || !strings.Contains(err.Error(), "includes that of its child processes") {
		t.Error(err)
	}
}

// TestRedisRefused: what the model does not cover is refused, with what would help.
func TestRedisRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		keys   string
		change func(*record.Environment, *reading)
		want   string
	}{
		"unknown disk":   {"", func(e *record.Environment, _ *reading) { e.Volumes[0].Emulation = nil }, "the model of the data disk is not known"},
		"no disk":        {"", func(e *record.Environment, _ *reading) { e.Volumes = nil }, "the disk of the append-only file is not known"},
		"filesystem":     {"", func(e *record.Environment, _ *reading) { e.Volumes[0].Filesystem = "btrfs" }, "with btrfs is not known"},
		"too few writes": {"", func(_ *record.Environment, r *reading) { r.writes = 250 }, "a sync on ext4 takes 3 writes, but the disk had only 2.0"},
		"threads":        {"", func(e *record.Environment, _ *reading) { e.Settings["io-threads"] = "4" }, "x has 4 I/O threads"},
		"connections":    {"connect: each", func(*record.Environment, *reading) {}, "a connection of its own"},
		"CPU time":       {"", func(_ *record.Environment, r *reading) { r.backends = 0 }, "the CPU time of a request is not known"},
		"CPUs":           {"", func(e *record.Environment, _ *reading) { e.Name = "y" }, "the number of CPUs is not recorded"},
		"nothing":        {"", func(*record.Environment, *reading) {}, ""},
	} {
		r, err := usedByRedis(redisRun())
		if err != nil {
			t.Fatal(err)
		}
		rec, e := redisRecord(t, "workloads: [set]\n"+tc.keys)
		tc.change(&e, &r)
		c := cell("set")
		err = c.redis(rec, e, r)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for column, want := range map[string]string{
		"info.evicted_keys": "keys were evicted", "info.expired_keys": "keys expired",
		"info.aof_delayed_fsync": "requests waited for a sync",
	} {
		w := redisRun()
		w.Columns[column] = []float64{0, 0.5, 0, 0}
		if _, err := usedByRedis(w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", column, err)
		}
	}
	w := redisRun()
	w.Columns["persistence.aof_pending_bio_fsync"] = []float64{0, 0.5, 0.5, 0}
	if _, err := usedByRedis(w); err != nil {
		t.Error(err)
	}
	w.Columns["persistence.aof_pending_bio_fsync"] = []float64{0.5, 1, 1, 1}
	if _, err := usedByRedis(w); err == nil || !strings.Contains(err.Error(), "hardly kept up") {
		t.Error(err)
	}
	w = redisRun()
	delete(w.Columns, "process.generator.cpu")
	if _, err := usedByRedis(w); err == nil || !strings.Contains(err.Error(), "lacks process.generator.cpu") {
		t.Error(err)
	}
}
