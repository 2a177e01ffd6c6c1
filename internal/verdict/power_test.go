package verdict_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

func power(t *testing.T, text string, n record.Noise, blockTime float64) []verdict.Power {
	t.Helper()
	e := parsed(t, text)
	return verdict.PowerOf(e, verdict.PlanOf(e), []record.Noise{n}, blockTime)
}

var tpcbNoise = record.Noise{Workload: "tpcb-like", Metric: "tps", PairSD: 0.05, BlockTime: 130}

// TestPower checks the effect that the planned units detect, each comparison at its share
// of the alpha of the last look.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		lines []string
		units int
		sd    float64
		alpha float64
	}{
		{nil, 6, 0.05, 0.05},
		{[]string{"repeats: 12"}, 12, 0.05, 0.05},
		{[]string{"repeats: 20"}, 20, 0.05, 0.025},
		{[]string{"repeats: 12", three, twoByTwo}, 12, 0.05, 0.05 / 4},
		{[]string{"repeats: 12", three, "compare: [tpcb-like/nfs]"}, 12, 0.05, 0.05},
		{[]string{"repeats: 6", "clients: [1, 2, 4, 8]"}, 24, 0.05, 0.025},
		// The variation between loads, 0.03, does not average out over four cells; 0.04
		// does.
		{[]string{"repeats: 6", "clients: [1, 2, 4, 8]", "interleave: repeat"}, 6, math.Sqrt(0.0009 + 0.0016/4), 0.05},
	} {
		n := tpcbNoise
		n.LoadSD = 0.03
		p := power(t, file(c.lines...), n, 0)[0]
		near(t, "deviation", p.PairSD, c.sd)
		near(t, "effect", p.Effect, math.Expm1(stats.Detectable(c.sd, c.units, c.alpha, 0.5)))
		if p.Units != c.units || p.Effect < 0.01 || p.Effect > 0.2 || !p.Possible || p.Difference {
			t.Errorf("%v: %+v, want %d units", c.lines, p, c.units)
		}
	}
}

// TestTooFewSeeNothing checks that too few units detect no effect.
func TestTooFewSeeNothing(t *testing.T) {
	for _, lines := range [][]string{{"repeats: 5"}, {"repeats: 6", three}} {
		if p := power(t, file(lines...), tpcbNoise, 0)[0]; p.Possible || p.Effect != 0 {
			t.Errorf("%v: %+v", lines, p)
		}
	}
}

// TestNoNoiseSeesAnything checks that an Effect of 0 without noise differs from too few
// units by Possible.
func TestNoNoiseSeesAnything(t *testing.T) {
	silent := tpcbNoise
	silent.PairSD = 0
	if p := power(t, file(), silent, 0)[0]; !p.Possible || p.Effect != 0 {
		t.Errorf("%+v", p)
	}
	// An unrealistic deviation: the effect overflows.
	silent.PairSD = 1e6
	if p := power(t, file(), silent, 0)[0]; p.Possible || p.Effect != 0 {
		t.Errorf("%+v", p)
	}
}

// TestNeeds checks that the need is computed at the end of a plan of that length. From 20
// units on the alpha there is 0.025, because the plan has earlier looks.
func TestNeeds(t *testing.T) {
	p := power(t, file("clients: [1, 2]", twoByTwo), tpcbNoise, 0)[0]
	if len(p.Needs) != len(verdict.Wanted) {
		t.Fatalf("%+v", p.Needs)
	}
	for i, need := range p.Needs {
		if need.Effect != verdict.Wanted[i] || need.Units != 2*need.Repeats || i > 0 && need.Units > p.Needs[i-1].Units {
			t.Errorf("%+v", need)
		}
		near(t, "time", need.Seconds, float64(need.Repeats*4)*130) // two workloads of two cells
		alpha := map[bool]float64{true: 0.025, false: 0.05}[need.Units >= 20]
		if at := stats.Detectable(0.05, need.Units, alpha/2, 0.5); at > math.Log1p(need.Effect) {
			t.Errorf("%d units see %g, not %g", need.Units, at, need.Effect)
		}
	}
	if p.Needs[0].Units < 20 || p.Needs[5].Units > 20 {
		t.Errorf("%+v: want plans on either side of 20 units", p.Needs)
	}
	if timed := power(t, file("clients: [1, 2]", twoByTwo), tpcbNoise, 10)[0]; timed.Needs[2].Seconds != float64(timed.Needs[2].Repeats*4)*10 {
		t.Errorf("with blocks of 10 s: %+v", timed.Needs[2])
	}
	for _, need := range power(t, file("clients: [1, 2]", "interleave: repeat"), tpcbNoise, 0)[0].Needs {
		if need.Units != need.Repeats {
			t.Errorf("repeats are the units: %+v", need)
		}
	}
	loud := tpcbNoise
	loud.PairSD = 50
	if p := power(t, file(), loud, 0)[0]; p.Needs[0] != (verdict.Need{Effect: 0.01}) {
		t.Errorf("too long: %+v", p.Needs[0])
	}
}

// TestPowerOfShares checks that the effect on a share is in points.
func TestPowerOfShares(t *testing.T) {
	p := power(t, file("metric: failures"), record.Noise{Workload: "tpcb-like", Metric: "failures", PairSD: 0.05}, 1)[0]
	near(t, "effect", p.Effect, stats.Detectable(0.05, 6, 0.05, 0.5))
	if !p.Difference {
		t.Errorf("not said to be in points: %+v", p)
	}
}

// TestNoiseOfAnotherWorkload checks that noise of another workload, or by another metric,
// is not used.
func TestNoiseOfAnotherWorkload(t *testing.T) {
	for _, n := range []record.Noise{{Workload: "select-only", Metric: "tps", PairSD: 0.1}, {Workload: "tpcb-like", Metric: "p99", PairSD: 0.1}} {
		if p := power(t, file(), n, 1); len(p) != 0 {
			t.Errorf("%+v: %+v", n, p)
		}
	}
	e := parsed(t, file(alone))
	if p := verdict.PowerOf(e, verdict.PlanOf(e), []record.Noise{tpcbNoise}, 1); p != nil {
		t.Errorf("one environment: %+v", p)
	}
}

// TestPowerOfAScreeningDesign checks that it is that of the effect of a group, which rests on all environments.
func TestPowerOfAScreeningDesign(t *testing.T) {
	const text = "workloads: [tpcb-like]\nrepeats: 20\nablate: screen\nenvironments: {tuned: {tuning: [{name: mine, settings: [{knob: work_mem, value: 8MB, group: a}, {knob: commit_delay, value: 9, group: b}, {knob: bgwriter_delay, value: 10ms, group: c}]}]}}\n"
	e := parsed(t, text)
	plan := verdict.PlanOf(e)
	if len(e.Environments) != 8 || plan.Family != 1 || plan.Effects != 3 {
		t.Fatalf("%d environments, %+v", len(e.Environments), plan)
	}
	got := verdict.PowerOf(e, plan, []record.Noise{tpcbNoise}, 0)[0]
	last := plan.Looks[len(plan.Looks)-1]
	want := math.Expm1(stats.Detectable(0.05/2, 20, last.Alpha/3, 0.5))
	if math.Abs(got.Effect-want) > 1e-9 {
		t.Errorf("%v, want %v", got.Effect, want)
	}
}

// TestLooksOfAScreeningDesign checks that there is no look before an effect can be decided: effects are more than the one
// comparison, and need more units.
func TestLooksOfAScreeningDesign(t *testing.T) {
	var groups []string
	for i, knob := range []string{"commit_delay", "commit_siblings", "bgwriter_lru_maxpages", "seq_page_cost", "random_page_cost", "effective_io_concurrency",
		"cpu_tuple_cost", "cpu_operator_cost", "cpu_index_tuple_cost", "geqo_threshold", "from_collapse_limit", "join_collapse_limit"} {
		groups = append(groups, fmt.Sprintf("{knob: %s, value: 9, group: g%d}", knob, i))
	}
	e := parsed(t, "workloads: [tpcb-like]\nrepeats: 20\nablate: screen\nenvironments: {tuned: {tuning: [{name: mine, settings: ["+strings.Join(groups, ", ")+"]}]}}\n")
	plan := verdict.PlanOf(e)
	if plan.Effects != 12 || plan.Family != 1 {
		t.Fatalf("%+v", plan)
	}
	if first := plan.Looks[0]; first.Units < stats.Fewest(first.Alpha, plan.Effects) {
		t.Errorf("the first look is after %d units, and an effect takes %d", first.Units, stats.Fewest(first.Alpha, plan.Effects))
	}
}
