package diagnose

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
)

// observed returns a record of two environments and two blocks, in which slow waits longer for flushes.
func observed(t *testing.T) *record.Record {
	t.Helper()
	rec, e := reporttest.NewRecord(t, "name: two-disks\nworkloads: [simple-update]\nclients: [8]\nthreads: [1]\nrepeats: 6\nenvironments: {fast: {}, slow: {}}\nbaseline: fast\n")
	rec.Path = filepath.Join(t.TempDir(), "two-disks-20261121T031500Z")
	steady := reporttest.Steady
	for repeat := 1; repeat <= 6; repeat++ {
		more := float64(repeat) / 100
		for _, env := range []struct {
			name         string
			tps, flushes float64
		}{{"fast", 2000, 2}, {"slow", 800, 6.2}} {
			run := reporttest.Measured(t, rec, record.RunID{Environment: env.name, Cell: e.Cells()[0], Repeat: repeat, Attempt: 1}, env.tps, 8000/env.tps)
			run.Telemetry = &record.Telemetry{}
			run.Result.Statements = []record.StatementMean{
				{Statement: `\set aid random(1, 100000 * :scale)`, Mean: 1e3}, {Statement: "BEGIN;", Mean: 1e5},
				{Statement: "UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;", Mean: 1.1e6}, {Statement: "END;", Mean: 8e9/env.tps - 1.201e6},
			}
			run.Figures = map[string]float64{"wal-sync-latency": env.flushes * 4e5, "commits-per-flush": 1.6}
			run.Resources = []record.Resource{{Name: "cpu", Unit: "s/s", Mean: 0.8, Peak: 1, Ceiling: 2, From: "2 CPUs", Use: 0.4}}
			reporttest.Observe(t, rec, run, 0, 15, []reporttest.Column{
				steady("tps", env.tps), steady("latency_mean_ns", 8e9/env.tps), steady("wait.active", 7),
				steady("wait.IO.WALSync", env.flushes/4+more), steady("wait.LWLock.WALWrite", env.flushes*3/4), steady("wait.Lock.tuple", 0.6),
				steady("process.server.backends.cpu", env.tps*200e-6), steady("process.server.backends.run_delay", env.tps*100e-6), steady("plinth.cpu", 0.001),
				steady("process.generator.cpu", env.tps*50e-6), steady("process.generator.run_delay", 0.01),
				steady("stat.cpu.user", 0.5), steady("stat.cpu.nice", 0), steady("stat.cpu.system", 0.3), steady("stat.cpu.irq", 0), steady("stat.cpu.softirq", 0),
				steady("stat.cpu.idle", 1.2), steady("stat.cpu.steal", 0), steady("process.server.cpu", 0.6), steady("process.others.cpu", 0.02),
			})
		}
	}
	return rec
}

// TestRecord checks the diagnosis of a record in each format.
func TestRecord(t *testing.T) {
	rec := observed(t)
	for format, file := range map[string]string{"text": "record.txt", "markdown": "record.md"} {
		var out bytes.Buffer
		if err := WriteRecord(&out, rec, "", format, Options{}); err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, "testdata/"+file, out.String())
		narrow(t, format, out.String())
	}
	var out bytes.Buffer
	if err := WriteRecord(&out, rec, "slow", "json", Options{}); err != nil {
		t.Fatal(err)
	}
	var o struct {
		Schema string
		Cells  []struct {
			Environments []struct {
				Environment string
				Runs        int
				Causes      []struct {
					Cause string
					First int
				}
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Cells) != 1 || len(o.Cells[0].Environments) != 1 {
		t.Fatalf("%s", out.String())
	}
	if e := o.Cells[0].Environments[0]; o.Schema != "plinth/diagnosis/v1" || e.Environment != "slow" || e.Runs != 6 || e.Causes[0].Cause != "wal-flush" || e.Causes[0].First != 6 {
		t.Errorf("%+v", o)
	}
}

// TestRun checks the diagnosis of a run, with all causes and without.
func TestRun(t *testing.T) {
	rec := observed(t)
	run := &rec.Runs[1]
	run.Status, run.Reasons = record.Invalid, []record.Note{{Rule: "x", Text: "the load generator was busy"}}
	for file, options := range map[string]Options{"run.txt": {}, "run-all.txt": {All: true}} {
		var out bytes.Buffer
		if err := WriteRun(&out, rec, run, "text", options); err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, "testdata/"+file, out.String())
		narrow(t, file, out.String())
	}
}

// TestNothing: a run without telemetry says what is missing.
func TestNothing(t *testing.T) {
	rec := observed(t)
	run := &rec.Runs[0]
	reporttest.Observe(t, rec, run, 0, 15, []reporttest.Column{reporttest.Steady("tps", 1000), reporttest.Steady("latency_mean_ns", 8e6)})
	run.Telemetry = nil
	var out bytes.Buffer
	if err := WriteRun(&out, rec, run, "text", Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "cannot be divided: the run was not observed") || strings.Contains(out.String(), "Primary") {
		t.Error(out.String())
	}
}

func narrow(t *testing.T, name, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 && name != "markdown" && !strings.HasPrefix(line, "    ") {
			t.Errorf("%s: %d characters: %s", name, n, line)
		}
	}
}
