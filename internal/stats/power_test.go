package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestWhatBlocksCanSee(t *testing.T) {
	// In the median trial a difference of 10 % is decided if pairs vary by this much.
	for _, c := range []struct {
		units    int
		alpha    float64
		atMostSD float64
	}{{8, 0.01, 0.07}, {13, 0.01, 0.11}, {13, 0.01 / 3, 0.09}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			ten := math.Log(1.1)
			if got := Detectable(c.atMostSD, c.units, c.alpha, 0.5); got > ten*1.02 {
				t.Errorf("at a spread of %v only %v is seen, not %v", c.atMostSD, got, ten)
			}
			if got := Detectable(c.atMostSD+0.01, c.units, c.alpha, 0.5); got <= ten {
				t.Errorf("at a spread of %v even %v is seen", c.atMostSD+0.01, got)
			}
		})
	}
}

// TestLeastUnits has a closed form: with k = 1 the interval begins at the smallest unit, so an
// effect is found if all units are above zero.
func TestLeastUnits(t *testing.T) {
	for _, units := range []int{6, 7, 8, 10, 12} {
		alpha := math.Ldexp(2, -units)
		for _, power := range []float64{0.1, 0.5, 0.8, 0.95} {
			want := distuv.UnitNormal.Quantile(math.Pow(power, 1/float64(units)))
			if got := Detectable(1, units, alpha, power); math.Abs(got/want-1) > 0.02 {
				t.Errorf("%d units, power %v: %v, not %v", units, power, got, want)
			}
		}
	}
}

// TestPowerIsThatOfTheTest simulates whole trials: the promised share must find the effect,
// within three standard errors of 1,500 trials and the 2 % by which Student's t may be off.
func TestPowerIsThatOfTheTest(t *testing.T) {
	const trials = 1500
	for _, c := range []struct {
		units        int
		alpha, power float64
	}{{6, 0.05, 0.8}, {8, 0.01, 0.5}, {9, 0.05, 0.8}, {11, 0.05 / 3, 0.9}, {13, 0.01 / 3, 0.8}, {13, 0.05, 0.8}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			effect, seen := Detectable(1, c.units, c.alpha, c.power), 0
			for trial := range trials {
				test := paired(t, plus(noise(uint64(trial), c.units), effect)...)
				if low, _, ok := test.Interval(c.alpha); ok && low > 0 {
					seen++
				}
			}
			share := float64(seen) / trials
			if allowed := 0.02 + 3*math.Sqrt(c.power*(1-c.power)/trials); math.Abs(share-c.power) > allowed {
				t.Errorf("%.3f is seen in %.3f of trials", effect, share)
			}
		})
	}
}

// TestStudentIsClose checks that Student's t, where it takes over, is within 3 % of the effect.
func TestStudentIsClose(t *testing.T) {
	const units, trials = mostSimulated + 1, 1500
	for _, alpha := range []float64{0.05, 0.01, 0.01 / 3} {
		k := rank(alpha, flipOrders(units))
		var needed []float64
		for trial := range trials {
			means := subsetMeans(noise(uint64(trial), units))
			needed = append(needed, -smallest(means, k), smallest(means, len(means)+1-k))
		}
		slices.Sort(needed)
		for _, power := range []float64{0.5, 0.8} {
			want := needed[int(power*float64(len(needed)))]
			if got := Detectable(1, units, alpha, power); math.Abs(got/want-1) > 0.03 {
				t.Errorf("alpha %.4f, power %v: %.4f, in simulated trials %.4f", alpha, power, got, want)
			}
		}
	}
}

func TestDetectable(t *testing.T) {
	at := func(units int, alpha, power float64) float64 { return Detectable(0.05, units, alpha, power) }
	if got := at(12, 0.05, 0.8); !near(2*got, Detectable(0.1, 12, 0.05, 0.8)) || got != at(12, 0.05, 0.8) {
		t.Errorf("%v does not double with the spread, or differs when asked again", got)
	}
	if at(8, 0.05, 0.8) < at(12, 0.05, 0.8) || at(12, 0.05, 0.8) < at(78, 0.05, 0.8) {
		t.Error("more units see less")
	}
	if at(12, 0.05, 0.9) < at(12, 0.05, 0.8) || at(12, 0.01, 0.8) < at(12, 0.05, 0.8) {
		t.Error("more is promised of less")
	}
	if got := Detectable(0, 12, 0.05, 0.8); got != 0 {
		t.Errorf("without noise: %v", got)
	}
	inf := []float64{at(5, 0.05, 0.8), at(0, 0.05, 0.8), at(-1, 0.05, 0.8), at(12, 0, 0.8), at(12, 0.05, 0), at(12, 0.05, 1),
		Detectable(-1, 12, 0.05, 0.8), Detectable(math.NaN(), 12, 0.05, 0.8)}
	for i, got := range inf {
		if !math.IsInf(got, 1) {
			t.Errorf("nonsense %d: %v", i, got)
		}
	}
}

func TestNeeded(t *testing.T) {
	for _, c := range []struct{ sd, effect, alpha, power float64 }{
		{0.05, 0.2, 0.05, 0.8}, {0.05, 0.05, 0.05, 0.8}, {0.05, 0.02, 0.05, 0.8}, {0.05, 0.02, 0.05 / 3, 0.5}, {0.1, 0.01, 0.05, 0.8}, {0.02, 0.02, 0.05, 0.2},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			units, ok := Needed(c.sd, c.effect, c.alpha, c.power, 10_000)
			if !ok || Detectable(c.sd, units, c.alpha, c.power) > c.effect || Detectable(c.sd, units-1, c.alpha, c.power) <= c.effect {
				t.Errorf("%d units, %v", units, ok)
			}
			if again, ok := Needed(c.sd, c.effect, c.alpha, c.power, units); !ok || again != units {
				t.Errorf("at most %d units: %d, %v", units, again, ok)
			}
			if fewer, ok := Needed(c.sd, c.effect, c.alpha, c.power, units-1); ok {
				t.Errorf("one fewer: %d", fewer)
			}
		})
	}
	if units, ok := Needed(0, 0.01, 0.05, 0.8, 100); units != 6 || !ok {
		t.Errorf("without noise: %d, %v", units, ok)
	}
	for _, c := range [][4]float64{{0.05, 0, 0.05, 0.8}, {0.05, -1, 0.05, 0.8}, {math.NaN(), 1, 0.05, 0.8}, {0.05, 1, 0, 0.8}, {0.05, 1, 0.05, 1}, {math.Inf(1), 1, 0.05, 0.8}} {
		if units, ok := Needed(c[0], c[1], c[2], c[3], 1000); ok {
			t.Errorf("%v: %d", c, units)
		}
	}
}
