package verdict_test

import (
	"math"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// TestEquals: all of an environment but its name.
func TestEquals(t *testing.T) {
	for text, want := range map[string]bool{
		"{a: {}, b: {}}": true, "{a: {}}": false,
		"{a: {settings: {fsync: off}}, b: {settings: {fsync: off}}}": true,
		"{a: {settings: {fsync: off}}, b: {}}":                       false,
		"{a: {storage: {data: /x}}, b: {storage: {data: /y}}}":       false,
		"{a: {}, b: {}, c: {postgres: {version: 15}}}":               false,
	} {
		if got := verdict.Equals(parsed(t, file("environments: "+text))); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestNoise by hand: two repeats of two cells, d = ln(B/A) of 0.01 and 0.03, then
// 0.05 and 0.07. Their mean is 0.04, so the sum of squares is 0.0020; the variance
// is a third of that. Inside repeats it is 0.0002; the means of repeats, 0.02 and
// 0.06, have 0.0008, of which half of 0.0002 is chance: 0.0007 is between.
func TestNoise(t *testing.T) {
	d := map[[2]int]float64{{1, 1}: 0.01, {1, 2}: 0.03, {2, 1}: 0.05, {2, 2}: 0.07}
	rec := made(t, file("repeats: 2", "clients: [1, 2]", "dataset: {reload: repeat}", "environments: {one: {}, again: {}}"), func(run *record.Run) {
		run.Phases = record.Phases{Reload: 1, Reset: 2, Checkpoint: 3, Settle: 4, Load: 50, CheckpointAfter: 5, Switch: 6, Dead: 9, PlinthCPU: 1000}
		if run.Environment == "again" {
			run.Result.TPS *= math.Exp(d[[2]int{run.Repeat, run.Clients}])
		}
	})
	noises, err := verdict.NoiseOf(rec)
	if err != nil || len(noises) != 1 {
		t.Fatalf("%+v, %v", noises, err)
	}
	n := noises[0]
	near(t, "pairs", n.PairSD, math.Sqrt(0.0020/3))
	near(t, "loads", n.LoadSD, math.Sqrt(0.0007))
	near(t, "time of a block", n.BlockTime, 2*80)
	if n.Workload != "tpcb-like" || n.Metric != "tps" || n.Blocks != 4 {
		t.Errorf("%+v", n)
	}
	if c := of(t, rec, verdict.Options{}); len(c.Noise) != 1 || c.Noise[0] != n {
		t.Errorf("a comparison of equals has noise %+v", c.Noise)
	}
}

// TestNoiseOfLittle: one block has no deviation, and those left out do not count.
func TestNoiseOfLittle(t *testing.T) {
	rec := made(t, file("repeats: 2", twoByTwo), func(run *record.Run) {
		if run.Workload == "tpcb-like" && run.Repeat == 2 {
			run.Result.TPS = 0
		}
	})
	noises, err := verdict.NoiseOf(rec)
	if err != nil || len(noises) != 1 || noises[0].Workload != "select-only" || noises[0].PairSD != 0 {
		t.Errorf("%+v, %v", noises, err)
	}
	rec.Runs = nil
	if noises, err = verdict.NoiseOf(rec); err != nil || len(noises) != 0 {
		t.Errorf("%+v, %v", noises, err)
	}
}

// TestCite: once for each workload that is compared by the same metric.
func TestCite(t *testing.T) {
	for sd, want := range map[float64]string{
		0.0513: "5.1", 0.1234: "12", 1.234: "123", 0.00456: "0.46", 0: "0",
	} {
		c := of(t, made(t, file(three), nil), verdict.Options{})
		before := len(c.Warnings)
		c.Cite("aa-quickstart", []record.Noise{
			{Workload: "tpcb-like", Metric: "tps", PairSD: sd}, {Workload: "tpcb-like", Metric: "p95"}, {Workload: "other", Metric: "tps"},
		})
		text := "on this machine tpcb-like differs from itself by " + want + " % from block to block (aa-quickstart)"
		if len(c.Warnings) != before+1 || c.Warnings[before].Text != text {
			t.Errorf("got %+v, want %s", c.Warnings, text)
		}
	}
}
