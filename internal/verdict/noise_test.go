package verdict_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// TestEquals checks that environments are equals if they differ only in their names.
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

// TestNoise checks against a calculation by hand: three repeats of two cells, d = ln(B/A)
// of 0.01 and 0.03, 0.05 and 0.07, 0.01 and 0.03. Their mean is 1/30, and the sum of
// squares around it 0.0094 - 6/900; the variance is a fifth of that. Within repeats it is
// 0.0002; the means of repeats, 0.02, 0.06 and 0.02, have the variance 0.0016/3, of which
// half of 0.0002 is chance: the rest is the variance between repeats.
func TestNoise(t *testing.T) {
	d := map[[2]int]float64{{1, 1}: 0.01, {1, 2}: 0.03, {2, 1}: 0.05, {2, 2}: 0.07, {3, 1}: 0.01, {3, 2}: 0.03}
	equals := func(lines ...string) *record.Record {
		lines = append([]string{"repeats: 3", "clients: [1, 2]", "dataset: {reload: repeat}", "environments: {one: {}, again: {}}"}, lines...)
		return made(t, file(lines...), func(run *record.Run) {
			run.Phases = record.Phases{Reload: 1, Reset: 2, Checkpoint: 3, Settle: 4, Calibration: 1, Load: 73, CheckpointAfter: 5, Switch: 6, Dead: 9, PlinthCPU: 1000}
			if run.Environment == "again" {
				run.Result.TPS *= math.Exp(d[[2]int{run.Repeat, run.Clients}])
			}
		})
	}
	rec := equals()
	noises, err := verdict.NoiseOf(rec)
	if err != nil || len(noises) != 1 {
		t.Fatalf("%+v, %v", noises, err)
	}
	n := noises[0]
	near(t, "pairs", n.PairSD, math.Sqrt((0.0094-6.0/900)/5))
	near(t, "loads", n.LoadSD, math.Sqrt(0.0016/3-0.0001))
	near(t, "time of a block", n.BlockTime, 2*(31+70)) // of Load, 3 seconds are in Dead
	if n.Workload != "tpcb-like" || n.Metric != "tps" || n.Blocks != 6 {
		t.Errorf("%+v", n)
	}
	if !slices.Equal(n.Clients, []int{1, 2}) || n.Rates != nil || n.Duration != 60 || n.Scale != 10 {
		t.Errorf("not the load: %+v", n)
	}
	if c := of(t, rec, verdict.Options{}); len(c.Noise) != 1 || !reflect.DeepEqual(c.Noise[0], n) {
		t.Errorf("a comparison of equals has noise %+v", c.Noise)
	}
	if noises, err := verdict.NoiseOf(equals("interleave: repeat")); err != nil || len(noises) != 0 {
		t.Errorf("the runs of a block are far from each other: %+v, %v", noises, err)
	}
	noises, err = verdict.NoiseOf(equals("transactions: 1000", "rate: [50, 500]", "dataset: {reload: repeat, scale: 4}"))
	if err != nil || len(noises) != 1 || noises[0].Duration != 0 || !slices.Equal(noises[0].Rates, []float64{50, 500}) || noises[0].Scale != 4 {
		t.Errorf("%+v, %v", noises, err)
	}
}

// TestNoiseOfLittle checks that five blocks are too few, and that blocks left out do not
// count.
func TestNoiseOfLittle(t *testing.T) {
	rec := made(t, file("repeats: 6", twoByTwo), func(run *record.Run) {
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

// TestCite checks that noise is cited once for each workload that is compared by the same
// metric.
func TestCite(t *testing.T) {
	here := record.Noise{Workload: "tpcb-like", Metric: "tps", Clients: []int{1}, Duration: 60, Scale: 10}
	for sd, want := range map[float64]string{
		0.0513: "5.1", 0.1234: "12", 1.234: "123", 0.00456: "0.46", 0: "0",
	} {
		rec := made(t, file(three), nil)
		c := of(t, rec, verdict.Options{})
		before := len(c.Warnings)
		n := here
		n.PairSD = sd
		c.Cite(rec, []record.FoundNoise{
			{Noise: n, Record: "aa-quickstart"},
			{Noise: record.Noise{Workload: "tpcb-like", Metric: "p95"}}, {Noise: record.Noise{Workload: "other", Metric: "tps"}},
		})
		text := "on this machine tpcb-like varies by " + want + " % from block to block between equal environments (aa-quickstart)"
		if len(c.Warnings) != before+1 || c.Warnings[before].Text != text {
			t.Errorf("got %+v, want %s", c.Warnings, text)
		}
	}
	rec := made(t, file("metric: failures"), nil)
	c := of(t, rec, verdict.Options{})
	if got := c.Quantities(); !slices.Contains(got, record.Quantity{Workload: "tpcb-like", Metric: "failures"}) || len(got) != 2 {
		t.Errorf("%+v", got)
	}
	c.Cite(rec, []record.FoundNoise{{Noise: record.Noise{Workload: "tpcb-like", Metric: "failures", PairSD: 0.02}, Record: "old"}})
	if !hasNote(c.Warnings, "machine-noise", "by 2.0 points from block to block between equal environments (old): its record does not have the load under which it was measured") {
		t.Errorf("%+v", c.Warnings)
	}
}

// TestNoiseUnderAnotherLoad checks that differences in load are listed where noise is
// cited, and beside the power derived from it.
func TestNoiseUnderAnotherLoad(t *testing.T) {
	measured := record.Noise{Workload: "tpcb-like", Metric: "tps", PairSD: 0.05, Clients: []int{1, 8}, Duration: 1, Scale: 10}
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"clients: [8, 1]", "duration: 1s"}, ""},
		{[]string{"clients: 50", "dataset: {scale: 50}"}, "measured in 1 s runs with 1 and 8 clients at scale 10; this experiment is 60 s with 50 clients at scale 50"},
		{[]string{"clients: [1, 8]", "transactions: 1000"}, "measured in 1 s runs; this experiment is counted"},
		{[]string{"clients: [1, 8]", "duration: 1s", "rate: [50, 500.5]", "metric: tps"}, "measured in a closed loop; this experiment is at 50 and 500.5 a second"},
		{[]string{"duration: 1s"}, "measured with 1 and 8 clients; this experiment is with 1 client"},
		{[]string{"duration: 1s", "clients: [1, 8, 10]"}, "measured with 1 and 8 clients; this experiment is with 1, 8 and 10 clients"},
	} {
		rec := made(t, file(c.lines...), nil)
		comparison := of(t, rec, verdict.Options{})
		comparison.Cite(rec, []record.FoundNoise{{Noise: measured, Record: "aa"}})
		cited := comparison.Warnings[len(comparison.Warnings)-1].Text
		if _, got, _ := strings.Cut(cited, "(aa)"); strings.TrimPrefix(got, ": ") != c.want {
			t.Errorf("%v:\n got %s\nwant %s", c.lines, got, c.want)
		}
		if got := power(t, file(c.lines...), measured, 1)[0].Unlike; got != c.want {
			t.Errorf("%v: power is unlike by %q, want %q", c.lines, got, c.want)
		}
	}
}
