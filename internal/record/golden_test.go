package record_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
)

// version1 is a record written by the first version. It is never regenerated: every later version
// has to read it.
const version1 = "testdata/v1"

var makeGolden = flag.Bool("make-golden", false, "write the golden record where there is none yet")

func TestVersion1(t *testing.T) {
	if *makeGolden {
		writeGolden(t)
	}
	rec, err := record.Open(version1)
	if err != nil {
		t.Fatal(err)
	}
	s := rec.Summary
	if s.Name != "two-disks" || s.Question != "Is the second disk faster?" || s.State != record.Interrupted ||
		s.Seed != 42 || s.Baseline != "disk" || s.Planned != 4 || !s.Created.Equal(created) ||
		s.Machine.Kernel != "6.1.0" || s.Counts != (record.Counts{Valid: 2, Failed: 1}) {
		t.Errorf("summary = %+v", s)
	}
	if len(s.Samples) != 2 || s.Samples[1].Environment != "ram-disk" || s.Samples[1].TPS[0] != 1000 || s.Samples[1].Clients != 10 {
		t.Errorf("samples = %+v", s.Samples)
	}
	if s.Fingerprint != record.Fingerprint(rec.ExperimentYAML) {
		t.Error("experiment.yaml has not the fingerprint in record.json")
	}
	disk := rec.Environments["disk"]
	if disk.VersionN != 150018 || disk.Settings["fsync"] != "on" || disk.Volumes[0].Filesystem != "ext4" ||
		disk.Dataset.Tables[0].Rows != 100_000 || disk.Warnings[0].Rule != "no-checkpoint" {
		t.Errorf("disk = %+v", disk)
	}
	checkGoldenRuns(t, rec.Runs)
}

func checkGoldenRuns(t *testing.T, runs []record.Run) {
	t.Helper()
	if len(runs) != 3 || runs[0].Environment != "disk" || runs[1].Environment != "ram-disk" {
		t.Fatalf("runs = %+v", runs)
	}
	first, failed := runs[0], runs[2]
	if first.Result.TPS != 1000 || first.Phases.Dead != 0.125 || first.Driver.Version != "15.18" ||
		first.Result.Statements[0].Mean != 2e6 || first.Warnings[0].Text != "the governor is powersave" {
		t.Errorf("first run = %+v", first)
	}
	if failed.Status != record.Failed || failed.Reasons[0].Hint != "look at its log" || failed.Rate != 500 || failed.Attempt != 2 {
		t.Errorf("failed run = %+v", failed)
	}
	h, err := first.Result.Latency.Decode()
	if err != nil || h.TotalCount() != 1000 || math.Abs(float64(first.Result.Latency.P99)-990e3) > 1e3 {
		t.Errorf("histogram: %v, %+v", err, first.Result.Latency)
	}
	points, err := record.ReadPoints(filepath.Join(version1, first.Path(), "points.parquet"))
	if err != nil || len(points.Columns) != 5 || points.Columns[1].Name != "tps" || !math.IsNaN(points.Columns[2].Values[0]) {
		t.Errorf("points: %v, %+v", err, points)
	}
}

func writeGolden(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(version1); err == nil {
		t.Fatalf("%s is there, and stays as it is", version1)
	}
	summary := &record.Summary{
		Name: "two-disks", Question: "Is the second disk faster?", Engine: "postgres", Plinth: "0.1.0", Seed: 42,
		Baseline: "disk", Planned: 4, Command: []string{"plinth", "run"}, Source: "two-disks.yaml",
		Machine: host.Facts{OS: "Debian", Kernel: "6.1.0", Arch: "amd64", CPUs: 2, Memory: 8 << 30},
	}
	w, err := record.Create(t.TempDir(), "two-disks", created, summary, []byte(experimentYAML))
	must(t, err)
	must(t, w.WriteEnvironment(record.Environment{
		Name: "disk", Kind: "own", Server: "PostgreSQL", Version: "15.18", VersionN: 150018, Transport: "socket",
		Settings: map[string]string{"fsync": "on"}, Volumes: []record.Volume{{Role: "data", Path: "/srv", Filesystem: "ext4"}},
		Dataset:  record.Dataset{Loaded: created, Rows: 100_000, Tables: []record.Table{{Name: "pgbench_accounts", Kind: "table", Rows: 100_000}}},
		Warnings: []record.Note{{Rule: "no-checkpoint", Text: "CHECKPOINT is not permitted"}},
	}))
	h := record.NewHistogram()
	for us := int64(1); us <= 1000; us++ {
		must(t, h.RecordValue(us*1000))
	}
	var runs []record.Run
	for i, env := range []string{"disk", "ram-disk", "disk"} {
		run := newRun(runID(env, 1), i+1)
		run.Phases.Dead = 0.125
		run.Result.Latency = record.Summarise(h)
		run.Result.Statements = []record.StatementMean{{Statement: "COMMIT;", Mean: 2e6}}
		run.Warnings = []record.Note{{Rule: "governor", Text: "the governor is powersave"}}
		if i == 2 {
			run.Cell = experiment.Cell{Workload: "tpcb-like", Clients: 10, Threads: 4, Rate: 500}
			run.Attempt, run.Status = 2, record.Failed
			run.Reasons = []record.Note{{Rule: "server", Text: "it was killed", Hint: "look at its log"}}
		}
		commit(t, w, run)
		runs = append(runs, *run)
	}
	summary.Counts = record.Count(runs)
	summary.Samples, summary.Warnings = record.Samples([]string{"disk", "ram-disk"}, runs)
	must(t, w.Save(summary))
	must(t, w.Close())
	must(t, os.CopyFS(version1, os.DirFS(w.Path())))
}
