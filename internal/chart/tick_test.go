package chart

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func labels(ticks []tick) string {
	var names []string
	for _, t := range ticks {
		names = append(names, t.label)
	}
	return strings.Join(names, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		got  []tick
		want string
	}{
		{linearTicks(0, 25000, 5), "0 5,000 10,000 15,000 20,000 25,000"},
		{linearTicks(0, 1, 5), "0.0 0.2 0.4 0.6 0.8 1.0"},
		{linearTicks(-51, 131, 7), "-50 0 50 100"},
		{linearTicks(0.0012, 0.0031, 4), "0.0015 0.0020 0.0025 0.0030"},
		{linearTicks(3, 3, 4), "3.00"},
		{signed(linearTicks(-2, 2, 4)), "-2 -1 0 +1 +2"},
		{logTicks(0.2, 50, 6), "0.2 0.5 1 2 5 10 20 50"},
		{logTicks(1, 1e6, 6), "1 10 100 1,000 10,000 100,000 1,000,000"},
		{logTicks(90, 110, 4), "90 95 100 105 110"},
		{ratioTicks(0.4, 4), "x0.5 x1 x2 x4"},
		{ratioTicks(0.9, 1.25), "x0.90 x0.95 x1.00 x1.05 x1.10 x1.15 x1.20 x1.25"},
		{ratioTicks(0.001, 1e6), "x0.01 x1 x100 x10,000 x1,000,000"},
		{timeTicks(-60, 600), "-1:00 0:00 1:00 2:00 3:00 4:00 5:00 6:00 7:00 8:00 9:00 10:00"},
		{timeTicks(0, 30000), "0:00 1:00:00 2:00:00 3:00:00 4:00:00 5:00:00 6:00:00 7:00:00 8:00:00"},
		{tailAxis(2e5).ticks, "0 50 90 99 99.9 99.99 99.999"},
		{runAxis(span{1, 60, true}).ticks, "1 10 20 30 40 50 60"},
		{runAxis(span{1, 3, true}).ticks, "1 2 3"},
	} {
		if got := strings.TrimSpace(labels(c.got)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for want, got := range map[string]string{
		"1,234,567": number(1234567, 0), "-1,234.50": number(-1234.5, 2), "0.0": number(-0.01, 1), "999": number(999, 0),
		"1e+15": number(1e15, 0), "1e-09": number(1e-9, 2), "0.5": plain(0.5), "1,000": plain(1000), "2": plain(2),
		"12.3": short(12.34), "0.00123": short(0.0012345), "1,235": short(1234.6), "0": short(math.NaN()),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAxisEnds(t *testing.T) {
	for _, c := range []struct {
		axis   axis
		lo, hi float64
	}{
		{linearAxis(span{900, 23000, true}, 5), 0, 25000},
		{linearAxis(span{2100, 2900, true}, 4), 2000, 3000},
		{linearAxis(span{}, 4), 0, 1},
		{linearAxis(span{5, 5, true}, 4), 4.7, 5.3},
		{logAxis(span{0.4, 41, true}, 6), 0.2, 50},
		{logAxis(span{1, 100, true}, 6), 1, 100},
		{logAxis(span{}, 6), 1, 10},
	} {
		if math.Abs(c.axis.lo-c.lo) > 0.11*math.Abs(c.lo) || math.Abs(c.axis.hi-c.hi) > 0.11*math.Abs(c.hi) {
			t.Errorf("got %v to %v, want %v to %v", c.axis.lo, c.axis.hi, c.lo, c.hi)
		}
	}
}

// TestAxisHolds checks that an axis covers its span, and that its ticks are on it, in order,
// with labels that do not touch.
func TestAxisHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := rapid.Bool().Draw(t, "log")
		size := rapid.SampledFrom([]float64{72, 110, 170, 200}).Draw(t, "height")
		var s span
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.Float64Range(0.001, 1e5)), 1, 8).Draw(t, "values")
		s.add(log, values...)
		if !s.some {
			return
		}
		a := linearAxis(s, int(size/30))
		if log {
			a = logAxis(s, max(3, int(size/30)))
		}
		a.from, a.to = size, 0
		slack := 2e-6 * (a.hi - a.lo) // too little to be visible
		if a.lo > s.lo+slack || a.hi < s.hi-slack {
			t.Fatalf("%v to %v do not hold %v to %v", a.lo, a.hi, s.lo, s.hi)
		}
		for i, k := range a.ticks {
			if at := a.at(k.value); !(at >= -1 && at <= size+1) {
				t.Fatalf("%s stands at %v", k.label, at)
			}
			if i == 0 {
				continue
			}
			if gap := a.at(a.ticks[i-1].value) - a.at(k.value); gap < 11 {
				t.Fatalf("%s and %s are %v px apart", a.ticks[i-1].label, k.label, gap)
			}
		}
	})
}

func TestFitLeavesOutLabelsThatTouch(t *testing.T) {
	a := axis{lo: 1, hi: 1024, from: 30, to: 300, log: true}
	for x := 1.0; x <= 1024; x++ {
		a.ticks = append(a.ticks, tick{x, plain(x)})
	}
	kept := a.fit()
	if len(kept) < 8 || kept[0].label != "1" {
		t.Fatalf("kept %s", labels(kept))
	}
	for i := 1; i < len(kept); i++ {
		room := a.at(kept[i].value) - a.at(kept[i-1].value)
		if need := textWidth(kept[i].label, small)/2 + textWidth(kept[i-1].label, small)/2; room < need {
			t.Errorf("%s and %s touch", kept[i-1].label, kept[i].label)
		}
	}
}
