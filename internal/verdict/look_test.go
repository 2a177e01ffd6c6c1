package verdict_test

import (
	"fmt"
	"reflect"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// TestPlans checks that the looks follow from the number of blocks.
func TestPlans(t *testing.T) {
	const matrix = "clients: [1, 10, 25, 50, 100]"
	for _, c := range []struct {
		lines         []string
		looks         []record.Look
		family, cells int
	}{
		{nil, []record.Look{{Repeat: 6, Units: 6, Alpha: 0.05}}, 1, 1},
		{[]string{"repeats: 12"}, []record.Look{{Repeat: 12, Units: 12, Alpha: 0.05}}, 1, 1},
		{[]string{"repeats: 20"}, []record.Look{{Repeat: 8, Units: 8, Alpha: 0.01}, {Repeat: 12, Units: 12, Alpha: 0.015}, {Repeat: 20, Units: 20, Alpha: 0.025}}, 1, 1},
		{[]string{matrix, "threads: [1, 4, 8]"}, []record.Look{{Repeat: 1, Units: 13, Alpha: 0.01}, {Repeat: 3, Units: 39, Alpha: 0.015}, {Repeat: 6, Units: 78, Alpha: 0.025}}, 1, 13},
		{[]string{matrix, "threads: [1, 4, 8]", "interleave: repeat"}, []record.Look{{Repeat: 6, Units: 6, Alpha: 0.05}}, 1, 13},
		{[]string{"repeats: 1"}, []record.Look{{Repeat: 1, Units: 1, Alpha: 0.05}}, 1, 1},
		{[]string{"workloads: [tpcb-like, select-only]", "environments: {disk: {}, memory: {}, nfs: {}}", fourCells}, nil, 4, 16},
		{[]string{"workloads: [tpcb-like, select-only]", "environments: {disk: {}, memory: {}, nfs: {}}", "compare: [tpcb-like/nfs]", fourCells}, nil, 1, 4},
		{[]string{"workloads: [tpcb-like, select-only]", "environments: {disk: {}, memory: {}, nfs: {}}", "compare: all", fourCells}, nil, 6, 24},
		{[]string{"environments: {disk: {}, memory: {}, nfs: {}, tape: {}, tmpfs: {}}", "compare: all"}, nil, 10, 10},
		{[]string{"compare: all"}, nil, 1, 1},
	} {
		plan := verdict.PlanOf(parsed(t, file(c.lines...)))
		if c.looks != nil && !reflect.DeepEqual(plan.Looks, c.looks) || plan.Family != c.family || plan.Cells != c.cells {
			t.Errorf("%v: %+v, want %+v, %d and %d comparisons", c.lines, plan, c.looks, c.family, c.cells)
		}
	}
	if plan := verdict.PlanOf(parsed(t, file("environments: {disk: {}}"))); plan != nil {
		t.Errorf("one environment has the plan %+v", plan)
	}
}

// TestOnlyTheLastLookIsRead checks that no number includes data from after the last look, and
// that before the first there is a range and no outcome.
func TestOnlyTheLastLookIsRead(t *testing.T) {
	for _, c := range []struct {
		repeats, n int
		level      float64
		next       int
	}{
		{1, 1, 0, 8}, {7, 7, 0, 8}, {8, 8, 0.99, 12}, {11, 8, 0.99, 12}, {12, 12, 0.985, 20}, {19, 12, 0.985, 20}, {20, 20, 0.975, 0},
	} {
		rec := made(t, file("repeats: 20"), func(run *record.Run) {
			memory(1.2)(run)
			if run.Repeat > c.n {
				run.Result.TPS = float64(run.Number) // driven after the look
			}
		})
		got := of(t, until(rec, c.repeats), verdict.Options{})
		v := tps(t, got)
		next := 0
		if got.Next != nil {
			next = got.Next.Repeat
		}
		if v.N != c.n || v.Level != c.level || next != c.next || v.Effect < 0.15 || v.Effect > 0.25 {
			t.Errorf("after %d repeats: %+v, next %d; want %d blocks at %g, next %d", c.repeats, v, next, c.n, c.level, c.next)
		}
		if want := map[bool]record.Outcome{true: record.Better}[c.level > 0]; v.Outcome != want || !v.Asked || (got.Look != nil) != (c.level > 0) {
			t.Errorf("after %d repeats: %q at %+v, want %q", c.repeats, v.Outcome, got.Look, want)
		}
	}
}

// TestALookComesAfterACompleteRepeat checks that a block that waits for its second
// attempt keeps the repeat open, even in a comparison of two other environments.
func TestALookComesAfterACompleteRepeat(t *testing.T) {
	rec := made(t, file("environments: {disk: {}, memory: {}, nfs: {}}"), func(run *record.Run) {
		memory(1.2)(run)
		if run.Environment == "nfs" && run.Repeat == 6 {
			run.Status = record.Invalid
		}
	})
	for _, environments := range [][]string{nil, {"disk", "memory"}} {
		c := of(t, rec, verdict.Options{Environments: environments})
		if v := tps(t, c); c.Look != nil || v.Outcome != "" || v.N != 5 {
			t.Errorf("%v: look %+v, %+v", environments, c.Look, v)
		}
	}
	rec.Runs = append(rec.Runs, again(rec.Runs, func(run record.Run) bool { return run.Status == record.Invalid })...)
	if c := of(t, rec, verdict.Options{}); c.Look == nil || tps(t, c).Outcome != record.Inconclusive {
		t.Errorf("after the second attempt: look %+v, %+v", c.Look, c.Verdicts)
	}
}

// TestOneRepeatIsNoError checks one repeat, an incomplete block and no runs: none is an
// error.
func TestOneRepeatIsNoError(t *testing.T) {
	rec := made(t, file("repeats: 1"), memory(1.2))
	c := of(t, rec, verdict.Options{})
	if v := tps(t, c); v.Outcome != record.Inconclusive || v.Level != 0 || v.N != 1 || c.Fewest.Workload != 6 {
		t.Errorf("%+v, fewest %+v", v, c.Fewest)
	}
	rec.Runs, rec.Summary.State = rec.Runs[:1], record.Running
	if c := of(t, rec, verdict.Options{}); len(c.Sentences) != 0 || tps(t, c).Outcome != "" {
		t.Errorf("a block that is not complete: %+v", c)
	}
	rec.Runs = nil
	if c := of(t, rec, verdict.Options{}); len(c.Sentences) != 0 || tps(t, c).Outcome != "" || c.Decided() {
		t.Errorf("no runs: %+v", c)
	}
}

// TestNotesOnBlocksAfterTheLook checks that blocks after the look get no notes: they have
// no part in the verdict.
func TestNotesOnBlocksAfterTheLook(t *testing.T) {
	rec := until(made(t, file("repeats: 20"), memory(1.2)), 9)
	rec.Runs = rec.Runs[:len(rec.Runs)-1]
	if c := of(t, rec, verdict.Options{}); hasNote(c.Warnings, record.RuleBlockIncomplete, "") {
		t.Errorf("%+v", c.Warnings)
	}
}

// TestIntervalsHaveTheLevelOfTheirStep checks the levels by Holm: the smallest of three p
// is tested at a third of alpha, the next one at half of it.
func TestIntervalsHaveTheLevelOfTheirStep(t *testing.T) {
	rec := made(t, file("repeats: 12", "environments: {disk: {}, fast: {}, faster: {}, same: {}}"), func(run *record.Run) {
		run.Result.TPS *= noise(run, 0.02) * map[string]float64{"disk": 1, "fast": 1.2, "faster": 1.5, "same": 1}[run.Environment]
	})
	c := of(t, rec, verdict.Options{})
	got := ""
	for _, v := range c.Verdicts {
		if v.Metric == "tps" {
			got += fmt.Sprintf("%s %.4f %s; ", v.Other, v.Level, v.Outcome)
		}
	}
	// Both p have the smallest possible value; Holm takes them in the order of the file.
	if want := "fast 0.9833 better; faster 0.9750 better; same 0.9500 "; len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
