package share

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestQueued(t *testing.T) {
	for _, c := range []struct{ requests, ratio, want float64 }{
		{1, 0.2, 0.5},
		{2, 0.2, 0.5},        // one each
		{3, 0.5, 4.0 / 9},    // one with 2/3, two with 1/3
		{3, 2, 5.0 / 9},      // the other side
		{8, 1, 0.5},          // both are as fast
		{4, 1.00005, 0.5},    // nearly
		{20, 1e-9, 1 / 20.0}, // one at a time
	} {
		if got := queued(c.requests, c.ratio); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%g requests, ratio %g: %.6f, want %.6f", c.requests, c.ratio, got, c.want)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, c := range []struct{ requests, ratio, want float64 }{
		{1, 0.25, 0.2}, {2, 0.5, 1.0 / 7}, {3, 1, 0.25}, {2, 2, 4.0 / 7},
	} {
		if got := empty(c.requests, c.ratio); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%g requests, ratio %g: %.6f, want %.6f", c.requests, c.ratio, got, c.want)
		}
	}
}

// TestDistribution compares the formulas with sums over all numbers of requests.
func TestDistribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "requests")
		ratio := rapid.Float64Range(0.01, 5).Draw(t, "ratio")
		all, inside, mean := 0.0, 0.0, 0.0
		for k := range n + 1 {
			p := math.Pow(ratio, float64(k))
			all += p
			if k > 0 && k < n {
				inside += p
				mean += p * float64(k)
			}
		}
		// For a ratio that is nearly 1, the formulas use that of 1.
		if got, want := queued(float64(n), ratio), mean/inside/float64(n); math.Abs(got-want) > 1e-3 {
			t.Errorf("queued: %g, want %g", got, want)
		}
		if got, want := empty(float64(n), ratio), math.Pow(ratio, float64(n))/all; math.Abs(got-want) > 3e-3 {
			t.Errorf("empty: %g, want %g", got, want)
		}
	})
}

// TestHolds: two sides hold all requests, unless both are idle, and none holds requests for longer than it is busy.
func TestHolds(t *testing.T) {
	drawn := func(t *rapid.T, name string) side {
		runs := rapid.Float64Range(0, 1).Draw(t, name+" runs")
		return side{runs, rapid.Float64Range(0, 1-runs).Draw(t, name+" waits")}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t, "a"), drawn(t, "b")
		n := float64(rapid.IntRange(1, 200).Draw(t, "requests"))
		x, y := a.holds(b, n), b.holds(a, n)
		if sum, want := x.busy()+y.busy(), min(1, a.busy()+b.busy()); math.Abs(sum-want) > 1e-6 {
			t.Errorf("%v and %v hold %v and %v: %g, want %g", a, b, x, y, sum, want)
		}
		const rounding = 1e-9
		if x.runs < -rounding || x.waits < -rounding || x.runs > a.runs+rounding || x.waits > a.waits+rounding {
			t.Errorf("%v holds %v", a, x)
		}
	})
}

// TestAlone: a wait that lasts while the other side is idle holds up all requests; a shorter one, while the other
// side is busy, holds up those that queue there.
func TestAlone(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b side
		want side
	}{
		{"the other side is idle", side{0.2, 0.6}, side{0.2, 0}, side{0.2, 0.6}},
		{"a wait and work at the same time as the other side", side{0.4, 0.4}, side{0.6, 0}, side{0, 0.4}},
		{"the other side is busy for most of a wait", side{0.4, 0.4}, side{0.8, 0.1}, side{0, 0.1}},
	} {
		got := c.a.alone(c.b)
		if math.Abs(got.runs-c.want.runs) > 1e-9 || math.Abs(got.waits-c.want.waits) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestSaturated: a side that never has time is never empty, however many requests there are.
func TestSaturated(t *testing.T) {
	for _, ratio := range []float64{99, 1e9} {
		if got := empty(500, ratio); math.Abs(got-(1-1/ratio)) > 1e-9 {
			t.Errorf("%v: %v", ratio, got)
		}
	}
}
