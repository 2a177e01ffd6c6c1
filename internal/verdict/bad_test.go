package verdict_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// wantError checks an error's text and its hint.
func wantError(t *testing.T, name string, err error, text, advice string) {
	t.Helper()
	if err == nil || err.Error() != text || hint.Of(err) != advice {
		t.Errorf("%s:\n got %v\n     hint: %s\nwant %s\n     hint: %s", name, err, hint.Of(err), text, advice)
	}
}

func TestBadInput(t *testing.T) {
	number := func(f float64) *float64 { return &f }
	const restore = "restore the record from a copy"
	for _, c := range []struct {
		name    string
		text    string
		change  func(*record.Record)
		options verdict.Options
		want    string
		hint    string
	}{
		{"nearest name", "", nil, verdict.Options{Environments: []string{"disk", "memmory"}},
			`cannot compare: fixture has no environment "memmory"`, "did you mean memory?"},
		{"no near name", "", nil, verdict.Options{Environments: []string{"tape", "memory"}},
			`cannot compare: fixture has no environment "tape"`, "use one of disk, memory"},
		{"itself", "", nil, verdict.Options{Environments: []string{"disk", "disk"}},
			"cannot compare disk with itself", "give two different environments: disk, memory"},
		{"one environment", file("environments: {disk: {}}"), nil, verdict.Options{},
			"cannot compare: fixture has one environment, disk", "compare it with another record: plinth compare RECORD RECORD"},
		{"no such metric", "", nil, verdict.Options{Metrics: []string{"p99.8"}},
			`there is no metric or figure "p99.8"`, "did you mean p99.9?"},
		{"negative margin", "", nil, verdict.Options{Margin: number(-0.02)},
			"cannot compare: a margin of -2 % is not between 0 % and 100 %", "give a share from 0 to 1: 0.03 is 3 %"},
		{"margin that is no number", "", nil, verdict.Options{Margin: number(math.NaN())},
			"cannot compare: a margin of NaN % is not between 0 % and 100 %", "give a share from 0 to 1: 0.03 is 3 %"},
		{"experiment edited", "", func(r *record.Record) { r.ExperimentYAML = append(r.ExperimentYAML, "# hello\n"...) }, verdict.Options{},
			"cannot compare: experiment.yaml of fixture was edited after the experiment began", restore},
		{"looks edited", "", func(r *record.Record) { r.Summary.Plan.Looks[0].Repeat = 5 }, verdict.Options{},
			"cannot compare: the plan of fixture (looks, margin or metric) was edited after the first run", restore},
		{"margin edited", "", func(r *record.Record) { r.Summary.Plan.Margin = 0.5 }, verdict.Options{},
			"cannot compare: the plan of fixture (looks, margin or metric) was edited after the first run", restore},
		{"plan taken away", "", func(r *record.Record) { r.Summary.Plan = nil }, verdict.Options{},
			"cannot compare: the plan of fixture (looks, margin or metric) was edited after the first run", restore},
		{"no experiment", "", func(r *record.Record) { r.ExperimentYAML = nil }, verdict.Options{},
			"cannot compare: experiment.yaml of fixture was edited after the experiment began", restore},
	} {
		if c.text == "" {
			c.text = file()
		}
		rec := made(t, c.text, nil)
		if c.change != nil {
			c.change(rec)
		}
		_, err := verdict.Of(rec, c.options)
		wantError(t, c.name, err, c.want, c.hint)
	}
}

// TestPlansThatNobodyMade checks that a damaged plan is refused if no run holds the fingerprint
// of the declaration, as in a record from an untrusted source.
func TestPlansThatNobodyMade(t *testing.T) {
	for want, change := range map[string]func(*record.Plan){
		"it has no looks": func(p *record.Plan) { p.Looks = nil },
		"the alphas of the looks up to repeat 6 add up to 1, more than 0.05":                                                   func(p *record.Plan) { p.Looks[0].Alpha = 1 },
		"the look at repeat 6 has alpha -1, which must be above 0":                                                             func(p *record.Plan) { p.Looks[0].Alpha = -1 },
		"the look at repeat 6 has alpha NaN, which must be above 0":                                                            func(p *record.Plan) { p.Looks[0].Alpha = gap },
		"there is a look at repeat 0":                                                                                          func(p *record.Plan) { p.Looks[0].Repeat = 0 },
		"the alphas of the looks up to repeat 7 add up to 0.1, more than 0.05":                                                 func(p *record.Plan) { p.Looks = append(p.Looks, record.Look{Repeat: 7, Alpha: 0.05}) },
		"a look at repeat 7 with 7 blocks is impossible in 6 repeats":                                                          func(p *record.Plan) { p.Looks = []record.Look{{Repeat: 7, Units: 7, Alpha: 0.05}} },
		"a look at repeat 6 with 78 blocks is impossible in 6 repeats":                                                         func(p *record.Plan) { p.Looks[0].Units = 78 },
		"unknown unit \"second\"":                                                                                              func(p *record.Plan) { p.Unit = "second" },
		"workload comparisons: 0, cell comparisons: 1; there must be at least one of workloads, and at least as many of cells": func(p *record.Plan) { p.Family = 0 },
		"workload comparisons: 1, cell comparisons: 0; there must be at least one of workloads, and at least as many of cells": func(p *record.Plan) { p.Cells = 0 },
		"a margin of 200 % is not between 0 % and 100 %":                                                                       func(p *record.Plan) { p.Margin = 2 },
		"a margin of -10 % is not between 0 % and 100 %":                                                                       func(p *record.Plan) { p.Margin = -0.1 },
	} {
		rec := made(t, file(), func(run *record.Run) { run.Declared = "" })
		change(rec.Summary.Plan)
		_, err := verdict.Of(rec, verdict.Options{})
		wantError(t, want, err, "cannot compare: the plan of fixture is damaged: "+want, "restore the record from a copy")
	}
}

// TestRecordsWithoutAPlan checks that the plan of a record from an earlier plinth is
// derived from its experiment.
func TestRecordsWithoutAPlan(t *testing.T) {
	rec := made(t, file(), func(run *record.Run) {
		memory(1.2)(run)
		run.Declared = ""
	})
	rec.Summary.Plan = nil
	if c := of(t, rec, verdict.Options{}); tps(t, c).Outcome != record.Better || c.Plan.Family != 1 {
		t.Errorf("%+v", c)
	}
}

// TestAllRunsInvalid checks that every comparison says so, by every metric, without a
// crash.
func TestAllRunsInvalid(t *testing.T) {
	for _, environments := range []string{"{disk: {}, memory: {}}", "{disk: {}, memory: {}, nfs: {}}"} {
		rec := made(t, file(fourCells, "environments: "+environments), func(run *record.Run) { run.Status = record.Invalid })
		rec.Runs = append(rec.Runs, again(rec.Runs, func(record.Run) bool { return true })...)
		c := of(t, rec, verdict.Options{})
		for _, v := range append(c.Verdicts, c.Cells...) {
			if v.Outcome != record.Unfit || v.N != 0 || v.Level != 0 {
				t.Errorf("%+v", v)
			}
		}
		others := strings.Count(environments, ":") - 1
		if c.Decided() || len(c.Sentences) != others || c.Ranking != nil {
			t.Errorf("decided %v, %q, %+v", c.Decided(), c.Sentences, c.Ranking)
		}
		if text := fmt.Sprint(c.Sentences); !strings.HasPrefix(text, "[memory: tpcb-like TPS: invalid, no block in which both have a valid run") {
			t.Error(text)
		}
	}
}
