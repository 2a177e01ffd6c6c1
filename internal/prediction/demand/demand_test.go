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
	"plinth/internal/prediction/closed"
	"plinth/internal/record"
)

// run returns a run of 1,000 transactions a second for four seconds.
func run() *window.Window {
	r := &record.Run{Phases: record.Phases{Load: 4}, Calibrations: []record.Calibration{{Role: "data", Answered: 4000, CPU: 0.4}},
		Volumes: []record.VolumeIO{{Role: "data", Reads: 100, ReadBytes: 9e5, Writes: 700, WriteBytes: 12e6}}, Evidence: &record.Evidence{Machine: record.MachineEvidence{CPUs: 2}}}
	r.Result.TPS, r.Result.Statements = 1000, []record.StatementMean{{}, {}, {}, {Statement: `\sleep 2 ms`, Mean: 2.5e6}}
	r.Result.Latency.Mean = 8e6
	columns := map[string]float64{
		"process.server.backends.cpu": 0.52, "process.server.cpu": 0.6, "plinth.cpu": 0.02, "process.generator.cpu": 0.1, "process.plinth.cpu": 0.15,
		"process.others.cpu": 0.03, "wal.bytes": 4e6, "wal.syncs": 500, "wait.active": 10, "wait.Lock.transactionid": 0.2,
	}
	w := &window.Window{Run: r, Seconds: []float64{0, 1, 2, 3}, Columns: map[string][]float64{}}
	for name, v := range columns {
		w.Columns[name] = []float64{v, v, v, v}
	}
	return w
}

func TestUsed(t *testing.T) {
	got, err := used(run())
	if err != nil {
		t.Fatal(err)
	}
	want := reading{tps: 1000, backends: 0.52, own: 0.02, generator: 0.1, server: 0.6, plinth: 0.15, others: 0.03, emulators: 0.1, answered: 1000,
		wal: 4e6, syncs: 500, reads: 100, readBytes: 9e5, writes: 700, writeBytes: 12e6, moved: 12.9e6, working: 1, statements: 3, locks: 0.02, think: 0.002}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	w := run()
	delete(w.Columns, "process.server.backends.cpu")
	if _, err := used(w); err == nil || !strings.Contains(err.Error(), "lacks process.server.backends.cpu") {
		t.Error(err)
	}
}

// TestSystem checks what each transaction needs, from what its runs used.
func TestSystem(t *testing.T) {
	rec, env := recorded(t, "tpcb-like")
	r, err := used(run())
	if err != nil {
		t.Fatal(err)
	}
	var c Cell
	c.Cell = experiment.Cell{Workload: "tpcb-like", Clients: 8, Threads: 2}
	if err := c.system(rec, env, r); err != nil {
		t.Fatal(err)
	}
	s := c.System
	near := func(what string, got, want float64) {
		if math.Abs(got/want-1) > 0.001 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("server", s.Server.Seconds(), (0.52-0.02-500*syncTime.Seconds())/1000)
	near("client", s.Client.Seconds(), 0.1/1000)
	near("background", s.Background, 0.6-0.52+0.02+0.05+0.03+idling)
	near("path", s.Path.Seconds(), (0.1-idling)/1000-copyTime.Seconds()*12.9e6/1024/1000)
	near("copy", s.Copy.Seconds(), copyTime.Seconds())
	near("WAL", s.WALBytes, 4000)
	near("reads", s.Reads, 0.1)
	near("read size", float64(s.ReadSize), 9000)
	near("writes", s.Writes, 0.2)
	near("think time", s.Think.Seconds(), 0.002)
	near("write size", float64(s.WriteSize), (12e6-4e6-500*closed.BlockSize)/200)
	if s.Clients != 8 || s.Threads != 2 || s.CPUs != 2 || s.Statements != 7 || s.Commits != 1 || len(s.Locks) != 2 || s.Locks[1].Rows != 20 || s.Data.Name != "disk" || s.WAL != nil {
		t.Errorf("%+v", s)
	}
	if c.Accounts != nil || s.ReadsIn != 2 {
		t.Errorf("%+v, reads in statement %d", c.Accounts, s.ReadsIn)
	}
	env.Settings["synchronous_commit"] = "off"
	if err := c.system(rec, env, r); err == nil || !strings.Contains(err.Error(), "no transaction waits for the WAL") {
		t.Error(err)
	}
	r.wal = 1e5
	env.Limits = &record.Limits{CPUs: "1", Memory: 256 << 20}
	env.Dataset.Tables = dataset().Dataset.Tables
	if err := c.system(rec, env, r); err != nil {
		t.Fatal(err)
	}
	if c.System.WALBytes != 0 || c.System.CPUs != 1 || c.System.Others != 1 || c.Accounts == nil {
		t.Errorf("%+v", c.System)
	}
	env.Volumes[0].Emulation.Model.Array = &device.Array{Members: 2}
	if err := c.system(rec, env, r); err == nil || !strings.Contains(err.Error(), "the model of the data disk of") {
		t.Error(err)
	}
	env.Volumes[0].Emulation = nil
	if err := c.system(rec, env, r); err == nil || !strings.Contains(err.Error(), "the model of the data disk is not known") {
		t.Error(err)
	}
}

// TestSelectOnly: WAL that is written beside reads, such as that of hint bits, is no commit's.
func TestSelectOnly(t *testing.T) {
	rec, env := recorded(t, "select-only")
	c := Cell{Cell: experiment.Cell{Workload: "select-only", Clients: 1, Threads: 1}}
	for _, r := range []reading{{tps: 1000, backends: 0.5, server: 0.5, wal: 1e6}, {tps: 1000, backends: 0.5, server: 0.5, wal: 1e6, syncs: 400}} {
		if err := c.system(rec, env, r); err != nil || c.System.WALBytes != 0 || c.System.Commits != 0 || c.System.Statements != 1 {
			t.Errorf("%+v, %v", c.System, err)
		}
	}
}

// TestLocks: which rows a script of one's own locks is not known, nor which it needs how often.
func TestLocks(t *testing.T) {
	rec, env := recorded(t, "own")
	env.Limits, env.Dataset.Tables = dataset().Limits, dataset().Dataset.Tables
	var c Cell
	c.Cell = experiment.Cell{Workload: "own", Clients: 8, Threads: 1}
	for share, refused := range map[float64]bool{0.02: false, 0.3: true} {
		r := reading{tps: 1000, backends: 0.5, server: 0.5, locks: share, syncs: 500, wal: 1e6}
		if err := c.system(rec, env, r); err != nil != refused || c.Accounts != nil {
			t.Errorf("%.0f %%: %v", 100*share, err)
		}
	}
}

func TestReadable(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*record.Environment, *experiment.Cell)
		want   string
	}{
		"unknown":  {func(e *record.Environment, _ *experiment.Cell) { e.Server = "MySQL" }, "not for MySQL"},
		"Redis":    {func(e *record.Environment, _ *experiment.Cell) { e.Server = "Redis" }, ""},
		"Valkey":   {func(e *record.Environment, _ *experiment.Cell) { e.Server = "Valkey" }, ""},
		"clients":  {func(_ *record.Environment, c *experiment.Cell) { c.Clients = 20000 }, "20000 clients are too many"},
		"rate":     {func(_ *record.Environment, c *experiment.Cell) { c.Rate = 10 }, "a run at a fixed rate"},
		"remote":   {func(e *record.Environment, _ *experiment.Cell) { e.Elsewhere = true }, "a machine that plinth did not read"},
		"quota":    {func(e *record.Environment, _ *experiment.Cell) { e.Limits = &record.Limits{CPUQuota: 1} }, "a CPU quota"},
		"standby":  {func(e *record.Environment, _ *experiment.Cell) { e.Replica = &record.Replica{} }, "no standby"},
		"pressure": {func(e *record.Environment, _ *experiment.Cell) { e.Pressure = &record.Pressure{} }, "no neighbour"},
		"cold": {func(e *record.Environment, _ *experiment.Cell) {
			e.Volumes = []record.Volume{{Role: "data"}, {Role: "tablespace cold"}}
		}, "no tablespaces"},
		"plain": {func(*record.Environment, *experiment.Cell) {}, ""},
	} {
		e, c := record.Environment{Name: "x", Server: "PostgreSQL"}, experiment.Cell{Workload: "w", Clients: 1}
		tc.change(&e, &c)
		err := readable(e, c)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCommits: which transactions wait for a flush.
func TestCommits(t *testing.T) {
	for name, tc := range map[string]struct {
		syncs, wal    float64
		commits, size float64
		refused       bool
	}{
		"all":         {500, 4e6, 1, 4000, false},
		"few":         {25, 4e5, 0.2, 2000, false},
		"only reads":  {1, 1e3, 0, 0, false},
		"not counted": {0, 4e6, 0, 0, true},
		"mix":         {500, 1e6, 0.25, 4000, false}, // three of four transactions only read
	} {
		workload := "tpcb-like"
		if name == "mix" {
			workload = name
		}
		var s closed.System
		c := Cell{Cell: experiment.Cell{Workload: workload, Clients: 8}}
		rec, env := recorded(t, workload)
		exp, err := rec.Experiment()
		if err != nil {
			t.Fatal(err)
		}
		err = c.commits(&s, exp, env, reading{tps: 1000, syncs: tc.syncs, wal: tc.wal})
		if (err != nil) != tc.refused || s.Commits != tc.commits || math.Abs(s.WALBytes-tc.size) > 1e-6 {
			t.Errorf("%s: %v, %v, %v", name, s.Commits, s.WALBytes, err)
		}
	}
}

// TestMean: means of all figures.
func TestMean(t *testing.T) {
	a, b := reading{}, reading{}
	a.tps, b.tps, a.locks, b.wal = 100, 300, 0.5, 8
	if m := mean([]reading{a, b}); m.tps != 200 || m.locks != 0.25 || m.wal != 4 {
		t.Errorf("%+v", m)
	}
	c := Cell{Runs: []Run{{TPS: 1}, {TPS: 4}}}
	if got := c.Mean(func(r Run) float64 { return r.TPS }); got != 2.5 {
		t.Error(got)
	}
}

// recorded returns a record with one run, and its environment.
func recorded(t *testing.T, workload string) (*record.Record, record.Environment) {
	t.Helper()
	e := record.Environment{Name: "x", Server: "PostgreSQL", Settings: map[string]string{"synchronous_commit": "on", "fsync": "on"}, Dataset: record.Dataset{Rows: 2_000_219},
		Volumes: []record.Volume{{Role: "data", Emulation: &record.Emulation{Model: device.Device{Name: "disk", Write: device.Latency{Median: 1000 * 1000}}}}}}
	workloads := map[string]string{"tpcb-like": "[tpcb-like]", "select-only": "[select-only]", "own": "[{name: own, sql: \"SELECT 1;\"}]",
		"mix": "[{name: mix, scripts: [{builtin: select-only, weight: 3}, {builtin: tpcb-like}]}]"}[workload]
	exp, _, err := decode.Parse("x.yaml", []byte("name: x\nworkloads: "+workloads+"\nclients: 8\nenvironments: {x: {}}\n"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record.Record{ExperimentYAML: encode.YAML(exp), Environments: map[string]record.Environment{"x": e}, Runs: []record.Run{*run().Run}}
	rec.Runs[0].Environment = "x"
	return rec, e
}
