package verdict_test

import (
	"math"
	"slices"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

const fourCells = "clients: [1, 2, 4, 8]"

// TestUnits checks that the unit of the test is the unit of randomisation.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		unit  string
		n     int
	}{
		{"blocks", nil, "block", 24},
		{"environments are interleaved by repeat", []string{"interleave: repeat"}, "repeat", 6},
		{"loaded anew in each repeat", []string{"dataset: {reload: repeat}"}, "repeat", 6},
		{"loaded anew before each run", []string{"dataset: {reload: repeat}", "reset: reload"}, "block", 24},
		{"loaded before each run, by repeat", []string{"interleave: repeat", "reset: reload"}, "repeat", 6},
	} {
		rec := made(t, file(append(c.lines, fourCells)...), memory(1.2))
		got := of(t, rec, verdict.Options{})
		if v := tps(t, got); v.N != c.n || v.Cells != 4 || got.Plan.Unit != c.unit {
			t.Errorf("%s: %d %ss of %d cells, want %d %ss", c.name, v.N, got.Plan.Unit, v.Cells, c.n, c.unit)
		}
	}
}

// TestARepeatIsTheMeanOverItsCells checks that cells that differ in opposite directions
// cancel out in each repeat, and that the effect is the mean of logarithms.
func TestARepeatIsTheMeanOverItsCells(t *testing.T) {
	factors := map[int]float64{1: 1.5, 2: 1 / 1.5, 4: 1.21, 8: 1}
	rec := made(t, file("interleave: repeat", fourCells), func(run *record.Run) {
		if run.Environment == "memory" {
			run.Result.TPS *= factors[run.Clients]
		}
	})
	v := tps(t, of(t, rec, verdict.Options{}))
	want := math.Pow(1.21, 0.25) - 1
	near(t, "effect", v.Effect, want)
	near(t, "low", v.Low, want)
	near(t, "high", v.High, want)
}

// bad spoils one run in the named way.
var bad = map[string]func(*record.Run){
	"invalid": func(run *record.Run) { run.Status = record.Invalid },
	"failed":  func(run *record.Run) { run.Status = record.Failed },
	"not beside other": func(run *record.Run) {
		run.Beside = &record.Beside{Reasons: []record.Note{{Rule: "gap-differs", Text: "held back"}}}
	},
}

// TestABlockIsLeftOutWhole checks that an unusable run costs its block in every
// environment, and nothing else.
func TestABlockIsLeftOutWhole(t *testing.T) {
	three := file("environments: {disk: {}, memory: {}, nfs: {}}", "clients: [1, 4]")
	for name, spoil := range bad {
		for _, environment := range []string{"disk", "memory", "nfs"} {
			rec := made(t, three, func(run *record.Run) {
				memory(1.2)(run)
				if run.Environment == environment && run.Repeat == 3 && run.Clients == 4 {
					run.Result.TPS = 1e9 // must not count
					spoil(run)
				}
			})
			rec.Runs = append(rec.Runs, again(rec.Runs, func(run record.Run) bool { return run.Result.TPS == 1e9 })...)
			c := of(t, rec, verdict.Options{})
			for _, v := range c.Verdicts {
				if v.N != 11 || v.Metric == "tps" && (v.A > 1100 || v.B > 1300) {
					t.Errorf("%s in %s: %s %s rests on %d blocks, %g and %g", name, environment, v.Other, v.Metric, v.N, v.A, v.B)
				}
			}
			if !hasNote(c.Warnings, record.RuleBlockInvalid, "tpcb-like, 4 clients, 1 thread, repeat 3 is left out in every environment") {
				t.Errorf("%s in %s: %+v", name, environment, c.Warnings)
			}
			// A comparison of only two uses the same blocks.
			pair := of(t, rec, verdict.Options{Environments: []string{"disk", "memory"}})
			if all, alone := tps(t, c), tps(t, pair); alone.Outcome != record.Better || all.Outcome != record.Better || alone.N != all.N || alone.Low != all.Low {
				t.Errorf("%s in %s: %+v alone, %+v among all", name, environment, alone, all)
			}
		}
	}
}

// TestASecondAttemptCounts checks that a second attempt counts with its own numbers.
func TestASecondAttemptCounts(t *testing.T) {
	rec := made(t, file("repeats: 6"), func(run *record.Run) {
		if run.Repeat == 2 {
			run.Result.TPS = 5000
			if run.Environment == "disk" {
				run.Status = record.Invalid
			}
		}
	})
	if v := tps(t, of(t, rec, verdict.Options{})); v.N != 5 || v.Level != 0 || v.Outcome != "" {
		t.Fatalf("a look before the second attempt: %+v", v)
	}
	for _, environment := range []string{"memory", "disk"} {
		run := rec.Runs[0]
		run.RunID = record.RunID{Environment: environment, Cell: run.Cell, Repeat: 2, Attempt: 2}
		run.Number, run.Status, run.Result.TPS = len(rec.Runs)+1, record.Valid, 1000
		if environment == "memory" {
			run.Result.TPS = 1100
		}
		rec.Runs = append(rec.Runs, run)
	}
	v := tps(t, of(t, rec, verdict.Options{}))
	near(t, "effect", v.Effect, math.Pow(1.1, 1.0/6)-1)
	if v.N != 6 || v.Low > 0 || v.High > 0.1000001 {
		t.Errorf("%+v, want six blocks, the second one with 10 %%", v)
	}
}

// TestUnitsAreInOrderOfTime checks that the units of a test are in the order of the runs,
// not of the files: notes on adjacent units depend on it.
func TestUnitsAreInOrderOfTime(t *testing.T) {
	for _, lines := range [][]string{{"repeats: 12"}, {"repeats: 4", "clients: [1, 2, 4]"}, {"repeats: 12", "interleave: repeat", "clients: [1, 2, 4]"}} {
		trend := func(run *record.Run) {
			run.Result.TPS *= noise(run, 0.001)
			if run.Environment == "memory" {
				run.Result.TPS *= 1 + float64(run.Number)/1000
			}
		}
		rec := made(t, file(lines...), trend)
		slices.Reverse(rec.Runs)
		v := tps(t, of(t, rec, verdict.Options{}))
		if !hasNote(v.Warnings, "autocorrelation", "lag-1 autocorrelation 0.") {
			t.Errorf("%v: a trend in time is no autocorrelation: %+v", lines, v.Warnings)
		}
	}
}

// TestRepeatsThatLackACell checks the note on repeats whose means cover fewer cells.
func TestRepeatsThatLackACell(t *testing.T) {
	rec := made(t, file("interleave: repeat", fourCells), func(run *record.Run) {
		if run.Repeat < 3 && run.Clients == 8 {
			run.Status = record.Invalid
		}
	})
	rec.Runs = append(rec.Runs, again(rec.Runs, func(run record.Run) bool { return run.Status == record.Invalid })...)
	v := tps(t, of(t, rec, verdict.Options{}))
	if v.N != 6 || !hasNote(v.Warnings, "unbalanced", "2 of 6 repeats lack a cell") {
		t.Errorf("%+v", v)
	}
}

// again returns a second, equally bad attempt of the blocks that contain a spoilt run.
func again(runs []record.Run, spoilt func(record.Run) bool) []record.Run {
	blocks := map[record.Block]bool{}
	for _, run := range runs {
		if spoilt(run) {
			blocks[record.Block{Cell: run.Cell, Repeat: run.Repeat}] = true
		}
	}
	var more []record.Run
	for _, run := range runs {
		if blocks[record.Block{Cell: run.Cell, Repeat: run.Repeat}] {
			run.Attempt, run.Number = 2, len(runs)+len(more)+1
			more = append(more, run)
		}
	}
	return more
}

// TestRunsOfNoCellAreNotCounted checks that runs added to a record outside its matrix do
// not count.
func TestRunsOfNoCellAreNotCounted(t *testing.T) {
	rec := made(t, file(), memory(1.2))
	for _, run := range rec.Runs {
		run.Cell = experiment.Cell{Workload: "tpcb-like", Clients: 99, Threads: 1}
		run.Result.TPS = 1e9
		rec.Runs = append(rec.Runs, run)
	}
	if v := tps(t, of(t, rec, verdict.Options{})); v.N != 6 || v.B > 1300 {
		t.Errorf("%+v", v)
	}
}
