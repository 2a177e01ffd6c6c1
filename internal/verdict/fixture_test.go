package verdict_test

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// file returns an experiment file: lines common to all tests, overridden by those given.
func file(lines ...string) string {
	text := map[string]string{
		"name": "fixture", "question": "Which?", "workloads": "[tpcb-like]", "repeats": "6", "seed": "7",
		"environments": "{disk: {}, memory: {}}",
	}
	order := []string{"name", "question", "workloads", "repeats", "seed", "environments"}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, ": ")
		if _, known := text[key]; !known {
			order = append(order, key)
		}
		text[key] = value
	}
	var b strings.Builder
	for _, key := range order {
		b.WriteString(key + ": " + text[key] + "\n")
	}
	return b.String()
}

// fatal is the part of testing.T that the builders use; rapid.T has it, too.
type fatal interface {
	Helper()
	Fatal(...any)
}

// parsed returns the experiment of a file.
func parsed(t fatal, text string) *experiment.Experiment {
	t.Helper()
	e, _, err := decode.Parse("fixture.yaml", []byte(text), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// made returns the record of a completed experiment, in the order of its real schedule.
// Each run has 1,000 TPS unless measure changes that.
func made(t fatal, text string, measure func(*record.Run)) *record.Record {
	t.Helper()
	e := parsed(t, text)
	canonical := encode.YAML(e)
	plan := verdict.PlanOf(e)
	rec := &record.Record{
		Path: "results/" + e.Name, ExperimentYAML: canonical, Environments: map[string]record.Environment{},
		Summary: record.Summary{
			Schema: record.SummarySchema, Name: e.Name, Question: e.Question, Engine: e.Engine, State: record.Complete,
			Fingerprint: record.Fingerprint(canonical), Seed: e.Seed, Baseline: e.Baseline, Plan: plan,
		},
	}
	for _, environment := range e.Environments {
		rec.Environments[environment.Name] = record.Environment{Schema: record.EnvironmentSchema, Name: environment.Name, Version: "15.18"}
	}
	declared := record.DeclaredFingerprint(canonical, plan)
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			run := record.Run{
				Schema: record.RunSchema, RunID: record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1},
				Number: len(rec.Runs) + 1, Position: slot.Position, Status: record.Valid, Declared: declared,
				Driver: record.Driver{Program: "pgbench", Version: "15.18"},
				Result: record.Result{TPS: 1000, Transactions: 60000, Duration: 60},
			}
			run.Result.Latency = record.Latency{Mean: 4e6, P50: 3e6, P95: 6e6, P99: 8e6, P999: 9e6}
			if measure != nil {
				measure(&run)
			}
			rec.Runs = append(rec.Runs, run)
		}
	}
	return rec
}

// noise returns a factor around 1 with the given deviation, which depends only on the
// run.
func noise(run *record.Run, deviation float64) float64 {
	h := fnv.New64a()
	h.Write([]byte(run.Path()))
	return 1 + deviation*rand.New(rand.NewPCG(h.Sum64(), 1)).NormFloat64()
}

// faster scales the TPS of environments by their factors, with 1 % of noise.
func faster(factors map[string]float64) func(*record.Run) {
	return func(run *record.Run) {
		run.Result.TPS *= noise(run, 0.01)
		if factor := factors[run.Environment]; factor != 0 {
			run.Result.TPS *= factor
		}
	}
}

// memory scales the TPS of environment memory, the faster one in most tests.
func memory(factor float64) func(*record.Run) { return faster(map[string]float64{"memory": factor}) }

// of compares the environments of a record.
func of(t fatal, rec *record.Record, options verdict.Options) *verdict.Comparison {
	t.Helper()
	c, err := verdict.Of(rec, options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// find returns the verdict on a workload in an environment by a metric.
func find(t fatal, verdicts []record.Verdict, workload, other, metric string) record.Verdict {
	t.Helper()
	for _, v := range verdicts {
		if v.Workload == workload && v.Other == other && v.Metric == metric {
			return v
		}
	}
	t.Fatal("there is no verdict on", workload, other, metric)
	return record.Verdict{}
}

// tps returns the verdict on the single workload of most tests.
func tps(t fatal, c *verdict.Comparison) record.Verdict {
	t.Helper()
	return find(t, c.Verdicts, "tpcb-like", "memory", "tps")
}

// until drops the runs after a repeat, as if the experiment had been interrupted there.
func until(rec *record.Record, repeat int) *record.Record {
	var runs []record.Run
	for _, run := range rec.Runs {
		if run.Repeat <= repeat {
			runs = append(runs, run)
		}
	}
	rec.Runs, rec.Summary.State = runs, record.Interrupted
	return rec
}

// hasNote reports whether notes has one of this rule that contains text.
func hasNote(notes []record.Note, rule, text string) bool {
	for _, note := range notes {
		if note.Rule == rule && strings.Contains(note.Text, text) {
			return true
		}
	}
	return false
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if d := got - want; d > 1e-9 || d < -1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
