package share

import (
	"math"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/figure/window"
	"plinth/internal/record"
)

// runOf returns the window of a run with columns that have one value each, over some seconds.
func runOf(seconds int, columns map[string]float64) *window.Window {
	var p record.Points
	all := func(f func(int) float64) (values []float64) {
		for s := range seconds {
			values = append(values, f(s))
		}
		return values
	}
	p.Columns = append(p.Columns, record.Column{Name: "second", Values: all(func(s int) float64 { return float64(s) })})
	for name, v := range columns {
		p.Columns = append(p.Columns, record.Column{Name: name, Values: all(func(int) float64 { return v })})
	}
	run := &record.Run{RunID: record.RunID{Cell: experiment.Cell{Clients: 8, Threads: 1}}, Result: record.Result{Loop: "closed"}, Telemetry: &record.Telemetry{}}
	return window.New(run, p)
}

var postgres = record.Environment{Server: "PostgreSQL"}

// base are the columns of 8 clients whose transactions take 4 ms.
func base() map[string]float64 {
	return map[string]float64{
		"tps": 2000, "latency_mean_ns": 4e6, "wait.active": 5, "wait.CPU": 1, "wait.IO.WALSync": 1, "wait.LWLock.WALWrite": 3, "wait.Lock.tuple": 0.5,
		"process.server.backends.cpu": 0.9, "process.server.backends.run_delay": 0.8, "plinth.cpu": 0.1,
		"process.generator.cpu": 0.3, "process.generator.run_delay": 0.2,
	}
}

func divide(t *testing.T, w *window.Window, e record.Environment) Division {
	t.Helper()
	timeline, why := Of(w, e)
	if why != "" {
		t.Fatal(why)
	}
	d, why := timeline.Divide(0, math.Inf(1), Fewest)
	if why != "" {
		t.Fatal(why)
	}
	return d
}

// TestDivision checks each part, and that the parts are the whole.
func TestDivision(t *testing.T) {
	d := divide(t, runOf(16, base()), postgres)
	sum := 0.0
	for _, p := range d.Parts {
		sum += p.Sessions
		if math.Abs(p.Share-p.Sessions/8) > 1e-9 || math.Abs(p.Time-p.Share*4e6) > 1e-3 || p.Title == "" {
			t.Errorf("%+v", p)
		}
	}
	if math.Abs(sum-8) > 1e-9 || math.Abs(d.InFlight-8) > 1e-9 || d.TPS != 2000 || math.Abs(d.Response-4e6) > 1e-3 || math.Abs(d.Error-0.04) > 1e-9 || d.Seconds != 16 {
		t.Errorf("%+v: the sum is %g", d, sum)
	}
	for name, want := range map[string]float64{CPU: 0.8, RunDelay: 0.8, WALFlush: 4, RowLock: 0.5, Generator: 0.3, GeneratorDelay: 0.2, Unexplained: 1.4, DataRead: 0} {
		if got := d.Part(name).Sessions; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g sessions, want %g", name, got, want)
		}
	}
	if last := d.Parts[len(d.Parts)-1]; last.Name != Unexplained {
		t.Errorf("the last part is %s", last.Name)
	}
}

// TestCountedTwice: times that count twice leave less than nothing, and nothing is taken off other parts.
func TestCountedTwice(t *testing.T) {
	columns := base()
	columns["process.server.backends.run_delay"] = 4
	d := divide(t, runOf(16, columns), postgres)
	if got := d.Part(Unexplained).Sessions; math.Abs(got+1.8) > 1e-9 {
		t.Errorf("%g sessions are not explained", got)
	}
	if got := d.Part(WALFlush).Sessions; got != 4 {
		t.Errorf("flushes are %g sessions", got)
	}
}

// TestMissing: a part whose source is missing is a gap with its reason, and what is left is not explained.
func TestMissing(t *testing.T) {
	columns := base()
	delete(columns, "process.server.backends.run_delay")
	d := divide(t, runOf(16, columns), postgres)
	if len(d.Missing) != 1 || d.Missing[0].What != RunDelay || d.Missing[0].Why == "" {
		t.Errorf("missing: %+v", d.Missing)
	}
	if got := d.Part(Unexplained).Sessions; math.Abs(got-2.2) > 1e-9 {
		t.Errorf("%g sessions are not explained", got)
	}
	columns["process.server.cpu"] = 1.2 // a record of an earlier version
	delete(columns, "process.server.backends.cpu")
	d = divide(t, runOf(16, columns), postgres)
	if got := d.Part(CPU).Sessions; math.Abs(got-1.1) > 1e-9 || len(d.Missing) != 2 {
		t.Errorf("the CPU is %g sessions; missing: %+v", got, d.Missing)
	}
}

// TestElsewhere: with load generators on other machines, the network is what their connections measured, for
// each statement.
func TestElsewhere(t *testing.T) {
	w := runOf(16, base())
	w.Run.Generators = []record.GeneratorRun{{Network: &record.Network{RoundTrip: 200e3}}, {Network: &record.Network{RoundTrip: 100e3}}}
	w.Run.Result.Statements = []record.StatementMean{{Statement: `\set x 1`}, {Statement: "BEGIN;"}, {Statement: "UPDATE t SET x = 1;"}, {Statement: "END;"}}
	d := divide(t, w, postgres)
	if got := d.Part(Network).Sessions; math.Abs(got-3*150e-6*2000) > 1e-9 {
		t.Errorf("the network is %g sessions", got)
	}
	if got := d.Part(Generator).Sessions; got != 0 {
		t.Errorf("the load generator is %g sessions", got)
	}
}

// TestUndivided: a division needs a throughput, samples of sessions and enough seconds.
func TestUndivided(t *testing.T) {
	for _, c := range []struct {
		without string
		server  string
		want    string
	}{{"tps", "PostgreSQL", "tps"}, {"wait.active", "PostgreSQL", "wait.active"}, {"latency_mean_ns", "PostgreSQL", "latency"}, {"", "Oracle", "PostgreSQL"}} {
		columns := base()
		delete(columns, c.without)
		if _, why := Of(runOf(16, columns), record.Environment{Server: c.server}); !strings.Contains(why, c.want) {
			t.Errorf("without %q: %q", c.without, why)
		}
	}
	timeline, _ := Of(runOf(9, base()), postgres)
	if _, why := timeline.Divide(0, math.Inf(1), Fewest); why != "9 seconds are too few to divide the response time: 10 are needed" {
		t.Error(why)
	}
	if _, why := timeline.Divide(0, math.Inf(1), 1); why != "" {
		t.Error(why)
	}
	columns := base()
	columns["tps"] = 0
	timeline, _ = Of(runOf(16, columns), postgres)
	if _, why := timeline.Divide(0, math.Inf(1), Fewest); why != "no transaction ended in the window" {
		t.Error(why)
	}
}

// TestInServer: without a load generator, the whole is the time that transactions spend in the server.
func TestInServer(t *testing.T) {
	columns := base()
	for _, name := range []string{"latency_mean_ns", "process.generator.cpu", "process.generator.run_delay"} {
		delete(columns, name)
	}
	w := runOf(16, columns)
	w.Run.Result.Loop = ""
	d := divide(t, w, postgres)
	if want := 0.8 + 0.8 + 4 + 0.5; !d.InServer || math.Abs(d.InFlight-want) > 1e-9 || math.Abs(d.Response-want/2000*1e9) > 1e-3 || math.Abs(d.Part(Unexplained).Sessions) > 1e-9 {
		t.Errorf("%+v", d)
	}
}

// TestMean: each run weighs the same, and the parts are the whole of the mean.
func TestMean(t *testing.T) {
	columns := base()
	a := divide(t, runOf(16, columns), postgres)
	columns["wait.IO.WALSync"] = 2
	b := divide(t, runOf(20, columns), postgres)
	mean := Mean([]Division{a, b})
	if mean.Seconds != 36 || math.Abs(mean.Part(WALFlush).Share-4.5/8) > 1e-9 || math.Abs(mean.Response-4e6) > 1e-3 {
		t.Errorf("%+v", mean)
	}
	sum := 0.0
	for _, p := range mean.Parts {
		sum += p.Share
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the shares come to %g", sum)
	}
}

// TestEventNames: the same event has one part in all versions of PostgreSQL.
func TestEventNames(t *testing.T) {
	for event, want := range map[string]string{
		"IO.WALSync": WALFlush, "IO.WalSync": WALFlush, "LWLock.WALWriteLock": WALFlush, "IO.WALInitWrite": WALWrite, "IO.WALInitSync": WALWrite, "IO.WalInitWrite": WALWrite, "IO.WalInitSync": WALWrite,
		"IO.DataFileRead": DataRead, "Lock.transactionid": RowLock,
		"Lock.relation": Lock, "Lock.extend": Extension, "LWLock.SubtransSLRU": LWLock, "IPC.SyncRep": Standby, "Timeout.PgSleep": Sleep,
		"Client.ClientRead": Client, "Client.GSSOpenServer": Client, "IPC.BgworkerStartup": Other, "Activity.X": Other,
	} {
		if got := partOf(event); got != want {
			t.Errorf("%s: %s, want %s", event, got, want)
		}
	}
}

// TestLate: in an open loop, what a transaction waits for its turn is not part of what is divided.
func TestLate(t *testing.T) {
	columns := base()
	columns["latency_mean_ns"], columns["schedule_lag_mean_ns"] = 104e6, 100e6
	w := runOf(16, columns)
	w.Run.Result.Loop = "open"
	if d := divide(t, w, postgres); math.Abs(d.InFlight-8) > 1e-9 || math.Abs(d.Late-100e6) > 1e-3 || math.Abs(Mean([]Division{d, d}).Late-100e6) > 1e-3 {
		t.Errorf("%+v", d)
	}
}

// TestInServerWithoutCPU: waits are not shares of each other where the CPU time is not known.
func TestInServerWithoutCPU(t *testing.T) {
	w := runOf(16, map[string]float64{"tps": 2000, "wait.active": 5, "wait.IO.WALSync": 0.01})
	w.Run.Result.Loop = ""
	d := divide(t, w, postgres)
	if math.Abs(d.InFlight-5) > 1e-9 || d.Part(WALFlush).Share > 0.01 || !d.Lacks(CPU) || d.Lacks(WALFlush) {
		t.Errorf("%+v", d)
	}
}
