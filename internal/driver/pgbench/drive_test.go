//go:build linux

package pgbench

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/driver/latency"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// newJob returns a short select-only run, which tests modify.
func newJob(t testing.TB, s *server) driver.Job {
	t.Helper()
	dir := t.TempDir()
	return driver.Job{
		Experiment: &experiment.Experiment{
			Protocol: "simple", Connect: "once", MaxTries: 1,
			Duration: unit.Duration(time.Second),
		},
		Workload: builtin("select-only"),
		Cell:     experiment.Cell{Workload: "select-only", Clients: 2, Threads: 2},
		Conninfo: s.conninfo(),
		Keep:     drivertest.In(t, dir), Scratch: dir,
	}
}

func newest(t testing.TB) *Driver {
	for version, path := range pgbenches(t) {
		if strings.HasPrefix(path, shared.get(t).bin) {
			return New(path, version)
		}
	}
	t.Fatal("no pgbench beside the server")
	return nil
}

// drive drives a run that must be valid. A run that a busy machine invalidated is repeated.
func drive(t *testing.T, d *Driver, job driver.Job) *driver.Outcome {
	t.Helper()
	for attempt := 1; ; attempt++ {
		o, err := d.Drive(t.Context(), launch.NewLocal(), job)
		if err != nil {
			t.Fatal(err)
		}
		if attempt < 10 && slices.ContainsFunc(o.Problems, ofTheMachine) {
			t.Logf("driven again: %v", o.Problems)
			continue
		}
		for _, p := range o.Problems {
			t.Errorf("problem: %s: %s", p.Rule, p.Text)
		}
		checkHistogramLog(t, job, o)
		return o
	}
}

// ofTheMachine reports whether background load on the machine may have caused a problem.
func ofTheMachine(p record.Note) bool {
	return slices.Contains([]string{"generator-stalled", "unfinished", "window-not-covered", "nothing-measured"}, p.Rule)
}

// checkHistogramLog reads latency.hlog with the library and compares it with the result.
func checkHistogramLog(t *testing.T, job driver.Job, o *driver.Outcome) {
	t.Helper()
	text, err := os.ReadFile(drivertest.Of(job).HistogramLog)
	if err != nil {
		t.Fatal(err)
	}
	all, tags := record.NewHistogram(), map[string]*hdrhistogram.Histogram{}
	reader := hdrhistogram.NewHistogramLogReader(bytes.NewReader(text))
	intervals := 0
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		intervals++
		if tags[h.Tag()] == nil {
			tags[h.Tag()] = record.NewHistogram()
		}
		tags[h.Tag()].Merge(h)
		all.Merge(h)
	}
	scripts := max(len(o.Result.Scripts), 1)
	if want := int(math.Ceil(o.Result.Duration)) * scripts; intervals != want {
		t.Errorf("%d intervals in the histogram log, want %d", intervals, want)
	}
	sameLatency(t, "all", all, o.Result.Latency, o.Result.Transactions)
	for _, s := range o.Result.Scripts {
		sameLatency(t, s.Name, tags[latency.TagOf(s.Name)], s.Latency, s.Transactions)
	}
}

func sameLatency(t *testing.T, name string, h *hdrhistogram.Histogram, l record.Latency, n int64) {
	t.Helper()
	if h.TotalCount() != n {
		t.Errorf("%s: %d latencies in the histogram log, %d transactions", name, h.TotalCount(), n)
	}
	var got [4]int64
	for i, p := range []float64{50, 95, 99, 99.9} {
		got[i] = min(h.ValueAtPercentile(p), l.Max)
	}
	if want := [4]int64{l.P50, l.P95, l.P99, l.P999}; got != want {
		t.Errorf("%s: percentiles of the histogram log %v, of the result %v", name, got, want)
	}
	if decoded, err := l.Decode(); err != nil || !decoded.Equals(h) {
		t.Errorf("%s: the result's histogram is not the log's (%v)", name, err)
	}
}

func column(t *testing.T, o *driver.Outcome, name string) []float64 {
	t.Helper()
	for _, c := range o.Points.Columns {
		if c.Name == name {
			return c.Values
		}
	}
	t.Fatalf("no column %s", name)
	return nil
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

// TestVersions drives the closed loop with every installed pgbench, and checks the clock:
// the window is whole, and pgbench is stopped soon after it.
func TestVersions(t *testing.T) {
	s := shared.get(t)
	for version, path := range pgbenches(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			job := newJob(t, s)
			job.Experiment.Warmup = unit.Duration(time.Second)
			var live atomic.Int32
			job.Live = func(p record.Point) {
				if p.TPS > 0 && p.LatencyMS > 0 {
					live.Add(1)
				}
			}
			began := time.Now()
			o := drive(t, New(path, version), job)
			if o.Result.Loop != "closed" || o.Result.Duration != 1 || o.Result.Transactions < 1 {
				t.Errorf("result %+v", o.Result)
			}
			if first := o.Begin.Add(-time.Second); first.Before(began) || o.End.After(time.Now()) || o.End.Sub(o.Begin) != time.Second {
				t.Errorf("started at %s, and measured from %s to %s", began, o.Begin, o.End)
			}
			if seconds := column(t, o, "second"); len(seconds) != 2 || seconds[0] != -1 || seconds[1] != 0 {
				t.Errorf("seconds %v, want -1 and 0", seconds)
			}
			if tps := column(t, o, "tps"); tps[1] != o.Result.TPS {
				t.Errorf("points say %v TPS, the result %v", tps[1], o.Result.TPS)
			}
			if live.Load() < 1 {
				t.Error("no live figures")
			}
			if n := len(o.Result.Statements); n != 2 || !strings.HasPrefix(o.Result.Statements[1].Statement, "SELECT abalance") || o.Result.Statements[1].Mean <= 0 {
				t.Errorf("statements %+v", o.Result.Statements)
			}
			if o.Driver.Version != version || o.Driver.Command[0] != path {
				t.Errorf("driver %+v", o.Driver)
			}
		})
	}
}

func TestMixOfScripts(t *testing.T) {
	t.Parallel()
	job := newJob(t, shared.get(t))
	job.Cell.Threads = 1 // pgbench's own counts of scripts are exact then
	job.Experiment.Protocol = "prepared"
	job.Experiment.KeepLog = true
	job.Workload = experiment.Workload{Name: "mix", Variables: map[string]string{"top": "1000"},
		Scripts: []experiment.Script{
			{Name: "read it", SQL: "\\set aid random(1, :top)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;", Weight: 3},
			{Name: "count", SQL: "SELECT count(*) FROM pgbench_branches;\n", Weight: 1},
		}}
	o := drive(t, newest(t), job)
	if len(o.Result.Scripts) != 2 {
		t.Fatalf("scripts %+v", o.Result.Scripts)
	}
	a, b := o.Result.Scripts[0], o.Result.Scripts[1]
	if a.Transactions+b.Transactions != o.Result.Transactions {
		t.Errorf("%d and %d transactions of the scripts, %d in all", a.Transactions, b.Transactions, o.Result.Transactions)
	}
	n := float64(o.Result.Transactions)
	if off := float64(a.Transactions) - 0.75*n; math.Abs(off) > 7*math.Sqrt(n*0.75*0.25)+2 { // seven standard deviations
		t.Errorf("the script of weight 3 of 4 had %d of %g", a.Transactions, n)
	}
	if got := sum(column(t, o, "script.read it.tps")) + sum(column(t, o, "script.count.tps")); got != sum(column(t, o, "tps")) {
		t.Errorf("the scripts' points do not add up: %v", got)
	}
	if st := o.Result.Statements; len(st) != 3 || st[0].Script != "read it" || st[2].Script != "count" {
		t.Errorf("statements %+v", st)
	}
	kept := 0
	for _, name := range []string{"transactions-0.log", "script-1.sql", "script-2.sql", "summary.txt", "stderr.txt", "command.txt"} {
		text, err := os.ReadFile(filepath.Join(drivertest.Of(job).Raw, name))
		if err != nil || len(text) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if strings.HasPrefix(name, "transactions") {
			kept += bytes.Count(text, []byte("\n"))
		}
	}
	if int64(kept) < o.Result.Transactions {
		t.Errorf("%d lines kept of %d transactions", kept, o.Result.Transactions)
	}
}

// TestOpenLoop asks for more than the server can do within the latency limit.
func TestOpenLoop(t *testing.T) {
	t.Parallel()
	job := newJob(t, shared.get(t))
	job.Cell.Rate = 300
	job.Experiment.LatencyLimit = unit.Duration(20 * time.Millisecond)
	job.Workload.Scripts = []experiment.Script{{SQL: "SELECT pg_sleep(0.012);"}}
	o := drive(t, newest(t), job)
	r := o.Result
	if r.Loop != "open" || r.Skipped == 0 || r.Late == 0 || r.Lag == nil || r.Lag.Mean <= 0 || r.Lag.Max <= 0 {
		t.Errorf("result %+v lag %+v", r, r.Lag)
	}
	if got := sum(column(t, o, "skipped")); got != float64(r.Skipped) {
		t.Errorf("points have %v skipped transactions, the result %d", got, r.Skipped)
	}
	if lag := column(t, o, "schedule_lag_max_ns"); lag[0] != float64(r.Lag.Max) {
		t.Errorf("schedule lag %v, want %d", lag, r.Lag.Max)
	}
}

// TestIdleSeconds checks seconds without any transaction.
func TestIdleSeconds(t *testing.T) {
	job := fakeJob(t)
	job.Experiment.Duration = unit.Duration(2500 * time.Millisecond)
	o := drive(t, fake(t, "0 1 1700000 0 101 700000\n0 2 1700000 0 103 400000\n",
		"number of transactions actually processed: 2\nlatency average = 1700.000 ms\n"), job)
	if o.Result.Duration != 2.5 || o.Result.Transactions != 1 {
		t.Errorf("result %+v", o.Result)
	}
	tps, p50 := column(t, o, "tps"), column(t, o, "latency_p50_ns")
	if len(tps) != 2 || tps[0] != 0 || tps[1] != 1 || !math.IsNaN(p50[0]) || p50[1] < 1.6e9 {
		t.Errorf("tps %v, p50 %v", tps, p50)
	}
}

func TestConnectEach(t *testing.T) {
	t.Parallel()
	job := newJob(t, shared.get(t))
	job.Experiment.Connect = "each"
	o := drive(t, newest(t), job)
	if o.Result.Transactions < 1 {
		t.Errorf("result %+v", o.Result)
	}
	if len(o.Warnings) != 1 || o.Warnings[0].Rule != "connect-not-in-latency" {
		t.Errorf("warnings %v", o.Warnings)
	}
}

func TestTransactions(t *testing.T) {
	t.Parallel()
	job := newJob(t, shared.get(t))
	job.Experiment.KeepLog = true
	job.Experiment.Duration, job.Experiment.Transactions = 0, 2001
	o := drive(t, newest(t), job)
	if o.Result.Transactions != 2002 { // rounded up to whole transactions per client
		t.Errorf("%d transactions, want 2002", o.Result.Transactions)
	}
	if got := float64(o.Result.Transactions) / o.Result.Duration; math.Abs(got/o.Result.TPS-1) > 1e-9 {
		t.Errorf("TPS %v over %v s", o.Result.TPS, o.Result.Duration)
	}
	if o.Warnings != nil {
		t.Errorf("warnings %v", o.Warnings)
	}
	kept := 0
	for _, name := range []string{"transactions-0.log", "transactions-1.log"} { // of each thread
		text, err := os.ReadFile(filepath.Join(drivertest.Of(job).Raw, name))
		if err != nil {
			t.Error(err)
		}
		kept += bytes.Count(text, []byte("\n"))
	}
	if kept != 2002 {
		t.Errorf("%d lines kept of 2002 transactions", kept)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	s := shared.get(t)
	job := newJob(t, s)
	job.Cell.Clients = 6
	job.Experiment.MaxTries = 2
	job.Workload.Scripts = []experiment.Script{{SQL: "BEGIN ISOLATION LEVEL SERIALIZABLE;\n" +
		"UPDATE pgbench_branches SET bbalance = bbalance + 1;\nSELECT pg_sleep(0.01);\nEND;"}}
	o := drive(t, newest(t), job)
	if o.Result.Retries == 0 || o.Result.Failures == 0 {
		t.Errorf("result %+v", o.Result)
	}
	if got := sum(column(t, o, "retries")); got != float64(o.Result.Retries) {
		t.Errorf("points have %v retries, the result %d", got, o.Result.Retries)
	}
}
