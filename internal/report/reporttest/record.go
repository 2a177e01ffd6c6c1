package reporttest

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/host"
	"plinth/internal/record"
)

var created = time.Date(2026, 11, 21, 3, 15, 0, 0, time.UTC)

// NewRecord returns a record without runs, as plinth run creates it.
func NewRecord(t *testing.T, yaml string) (*record.Record, *experiment.Experiment) {
	t.Helper()
	e, _, err := decode.Parse("experiment.yaml", []byte(yaml), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record.Record{
		Path:           "results/" + e.Name + "-20261121T031500Z",
		ExperimentYAML: encode.YAML(e),
		Environments:   map[string]record.Environment{},
		Summary: record.Summary{
			Schema: record.SummarySchema, Name: e.Name, Question: e.Question, Engine: e.Engine,
			State: record.Complete, Created: created, Finished: created.Add(time.Hour), Plinth: "0.1.0",
			Fingerprint: record.Fingerprint(encode.YAML(e)), Seed: e.Seed, Baseline: e.Baseline,
			Planned: len(e.Cells()) * e.Repeats * len(e.Environments),
			Machine: host.Facts{
				OS: "Debian GNU/Linux 12 (bookworm)", Kernel: "6.1.0-44-amd64", Arch: "amd64",
				CPUModel: "AMD EPYC", CPUs: 2, Memory: 8 << 30,
			},
		},
	}
	for _, env := range e.Environments {
		rec.Environments[env.Name] = record.Environment{
			Schema: record.EnvironmentSchema, Name: env.Name, Kind: "own", Server: "PostgreSQL", Version: "15.18 (Debian 15.18-0+deb12u1)",
			Transport: "socket", Dataset: dataset(1_000_000),
		}
	}
	return rec, e
}

func dataset(accounts int64) record.Dataset {
	return record.Dataset{
		Loaded: created, Duration: 2.5, Rows: accounts + 110, RowsPerSecond: float64(accounts) / 2.5,
		Bytes: accounts * 150, SharedBuffers: 128 << 20, Memory: 8 << 30,
		Tables: []record.Table{
			{Name: "pgbench_accounts", Kind: "table", Rows: accounts, Bytes: accounts * 129},
			{Name: "pgbench_branches", Kind: "table", Rows: 10, Bytes: 8192},
			{Name: "pgbench_tellers", Kind: "table", Rows: 100, Bytes: 8192},
			{Name: "pgbench_accounts_pkey", Kind: "index", Table: "pgbench_accounts", Bytes: accounts * 21},
		},
	}
}

// latencies caches the results of latencyAround: encoding is slow under the race detector.
var latencies = map[float64]record.Latency{}

// latencyAround returns the latencies of a run around a mean.
func latencyAround(t *testing.T, ms float64) record.Latency {
	t.Helper()
	if l, ok := latencies[ms]; ok {
		return l
	}
	h := record.NewHistogram()
	random := rand.New(rand.NewPCG(uint64(ms*1000), 7))
	for range 200 {
		if err := h.RecordValue(int64(ms * 1e6 * math.Exp(random.NormFloat64()*0.2))); err != nil {
			t.Fatal(err)
		}
	}
	l := record.Summarise(h)
	l.Mean = ms * 1e6
	latencies[ms] = l
	return l
}

// Measured adds a valid run to rec.
func Measured(t *testing.T, rec *record.Record, id record.RunID, tps, latencyMS float64) *record.Run {
	t.Helper()
	loop := "closed"
	if id.Rate > 0 {
		loop = "open"
	}
	rec.Runs = append(rec.Runs, record.Run{
		Schema: record.RunSchema, RunID: id, Number: len(rec.Runs) + 1, Position: 1, Status: record.Valid,
		Started: created, Driver: record.Driver{Program: "pgbench", Version: "15.18"},
		Phases: record.Phases{Dead: 0.05 + float64(len(rec.Runs)%7)/100},
		Result: record.Result{Loop: loop, Duration: 60, Transactions: int64(tps * 60), TPS: tps, Latency: latencyAround(t, latencyMS)},
	})
	return &rec.Runs[len(rec.Runs)-1]
}

// publishedRows holds the published tables of two environments: clients, then TPS and latency
// in ms of RO, RW and TPC-B.
var publishedRows = map[string][][7]float64{
	"rds": {
		{1, 1677, 0.60, 253, 3.95, 178, 5.63},
		{10, 13955, 0.72, 1881, 5.32, 1460, 6.85},
		{25, 12859, 1.94, 2839, 8.80, 1864, 13.41},
		{50, 10397, 4.81, 2620, 19.09, 1646, 30.37},
		{100, 10627, 9.41, 2585, 38.68, 1623, 61.61},
	},
	"local-ssd": {
		{1, 749, 1.34, 134, 7.48, 99, 10.10},
		{10, 7675, 1.30, 1425, 7.02, 1031, 9.70},
		{25, 6788, 3.68, 1560, 16.02, 1073, 23.30},
		{50, 6430, 7.78, 1550, 32.27, 996, 50.18},
		{100, 6092, 16.41, 1464, 68.32, 902, 110.92},
	},
}

// Published returns a record of the published experiment in which every thread count of a row
// measured the row's values.
func Published(t *testing.T) *record.Record {
	t.Helper()
	rec, e := NewRecord(t, `
name: storage-baseline
question: What does replicated storage cost, and how does it compare with a managed database?
dataset: {scale: 100}
workloads: [select-only, simple-update, tpcb-like]
clients: [1, 10, 25, 50, 100]
threads: [1, 4, 8]
repeats: 1
seed: 42
settings: {max_connections: 839}
environments: {rds: {}, local-ssd: {}}
`)
	column := map[string]int{"select-only": 1, "simple-update": 3, "tpcb-like": 5}
	for _, slot := range e.Schedule()[0] {
		for _, row := range publishedRows[slot.Environment] {
			if int(row[0]) == slot.Cell.Clients {
				i := column[slot.Cell.Workload]
				id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
				Measured(t, rec, id, row[i], row[i+1])
			}
		}
	}
	return rec
}

// Troubled returns a record with many problems: a hostile question, a failed and an invalid
// run, warnings of all kinds, different datasets, a mix, rates, and an interruption.
func Troubled(t *testing.T) *record.Record {
	t.Helper()
	rec, e := NewRecord(t, `
name: troubled
question: "Is this \e]0;owned\a\e[2Jquestion\nharmless? \u202Eti si | <b>yes</b>"
dataset: {scale: 10}
workloads:
  - tpcb-like
  - {name: my-mix, scripts: [{builtin: select-only, weight: 9}, {builtin: tpcb-like}]}
clients: [8]
threads: [1, 2]
rate: [50, 500]
duration: 5s
warmup: 1s
repeats: 2
seed: 7
environments: {disk: {}, ram: {}}
`)
	speed := map[string]float64{"disk": 1, "ram": 0.5}
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
			run := Measured(t, rec, id, slot.Cell.Rate*(1-0.02*float64(slot.Repeat)), 4*speed[slot.Environment])
			run.Warnings = []record.Note{{Rule: "cpu-governor", Text: "the CPU governor is powersave", Hint: "set it to performance"}}
			if slot.Environment == "ram" && slot.Repeat == 2 {
				run.Warnings = append(run.Warnings, record.Note{Rule: "busy", Text: "another process took 40 % of a CPU"})
			}
		}
	}
	spoil(rec, "disk", record.Failed, "server", "the server was killed by signal 9")
	spoil(rec, "ram", record.Invalid, "count", "the log has 12 transactions, pgbench's summary 13")
	rec.Environments["disk"] = WithWarning(rec.Environments["disk"], record.Note{Rule: "no-checkpoint", Text: "CHECKPOINT is not permitted"})
	other := rec.Environments["ram"]
	other.Version, other.Dataset = "16.4", dataset(500_000)
	rec.Environments["ram"] = other
	rec.Summary.State, rec.Summary.Reason = record.Interrupted, "plinth ended before the experiment was complete"
	rec.Summary.Planned = 40
	rec.Summary.Warnings = []record.Note{
		{Rule: "parity", Text: "random_page_cost is 4 in disk, 1.1 in ram"},
		{Rule: record.RuleBlockInvalid, Text: "as it was when the record was saved"},
	}
	return rec
}

// WithWarning returns an environment with one more warning.
func WithWarning(e record.Environment, note record.Note) record.Environment {
	e.Warnings = append(e.Warnings, note)
	return e
}

// spoil makes the first run of an environment whose block is complete invalid or failed, with a
// TPS so high that it would show in any mean.
func spoil(rec *record.Record, env string, status record.Status, rule, text string) {
	for i := range rec.Runs {
		run := &rec.Runs[i]
		if run.Environment == env && run.Status == record.Valid && run.Repeat == 1 && run.Workload == "tpcb-like" {
			run.Status, run.Reasons = status, []record.Note{{Rule: rule, Text: text}}
			run.Result.TPS = 1e9
			return
		}
	}
}
