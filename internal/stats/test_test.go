package stats

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func paired(t testing.TB, d ...float64) *Test {
	t.Helper()
	test, err := Paired(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

func independent(t testing.TB, a, b []float64) *Test {
	t.Helper()
	test, err := Independent(a, b, 1)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// values are measurements, or small whole numbers, which produce ties.
func values(least, most int) *rapid.Generator[[]float64] {
	value := rapid.OneOf(rapid.Float64Range(-10, 10), rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) / 10 }))
	return rapid.SliceOfN(value, least, most)
}

// anyTest returns a paired test, or one of independent samples.
func anyTest(t *rapid.T) *Test {
	var test *Test
	var err error
	if rapid.Bool().Draw(t, "paired") {
		test, err = Paired(values(1, 14).Draw(t, "d"), 1)
	} else {
		test, err = Independent(values(1, 7).Draw(t, "a"), values(1, 7).Draw(t, "b"), 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return test
}

func TestIntervalIsWhatPDoesNotRefute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		test := anyTest(t)
		alpha := rapid.Float64Range(0.001, 0.999).Draw(t, "alpha")
		if rapid.Bool().Draw(t, "an alpha that P can be") {
			alpha = min(0.999, float64(rapid.IntRange(1, 50).Draw(t, "k"))/test.orders)
		}
		low, high, ok := test.Interval(alpha)
		if !ok {
			if p := test.P(math.Inf(1)); p <= alpha {
				t.Fatalf("no interval at %v, though some theta has p = %v", alpha, p)
			}
			return
		}
		ends := []float64{low, high, math.Nextafter(low, -100), math.Nextafter(high, 100), 0, test.Mean()}
		theta := rapid.OneOf(rapid.SampledFrom(ends), rapid.SampledFrom(test.typical), rapid.Float64Range(-11, 11)).Draw(t, "theta")
		if excluded, p := theta < low || theta > high, test.P(theta); excluded != (p <= alpha) {
			t.Fatalf("theta %v, interval [%v, %v] at alpha %v, but p = %v", theta, low, high, alpha, p)
		}
	})
}

func TestAgreementHoldsForDrawnOrdersToo(t *testing.T) {
	test := paired(t, noise(1, 40)...)
	for _, alpha := range []float64{0.05, 0.01, 0.05 / 3, 0.01 / 39, 1.0 / 100_001} {
		low, high, ok := test.Interval(alpha)
		if !ok {
			t.Fatalf("no interval at %v", alpha)
		}
		for theta, in := range map[float64]bool{
			low: true, high: true, (low + high) / 2: true,
			math.Nextafter(low, -9): false, math.Nextafter(high, 9): false,
		} {
			if p := test.P(theta); in != (p > alpha) {
				t.Errorf("alpha %v, theta %v in [%v, %v] is %v, but p = %v", alpha, theta, low, high, in, p)
			}
		}
	}
	if _, _, ok := test.Interval(0.99 / 100_001); ok {
		t.Error("an interval at an alpha that no p reaches")
	}
}

func TestIntervalsNest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		test := anyTest(t)
		wide := rapid.Float64Range(0.0001, 0.5).Draw(t, "alpha")
		low, high, ok := test.Interval(wide)
		narrowLow, narrowHigh, narrowOK := test.Interval(wide * rapid.Float64Range(1, 1.99).Draw(t, "factor"))
		if ok && (!narrowOK || narrowLow < low || narrowHigh > high || narrowLow > narrowHigh) {
			t.Fatalf("[%v, %v] does not hold [%v, %v]", low, high, narrowLow, narrowHigh)
		}
	})
}

func TestSwapMirrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := values(1, 7).Draw(t, "a"), values(1, 7).Draw(t, "b")
		d := values(6, 25).Draw(t, "d")
		other := make([]float64, len(d))
		for i, v := range d {
			other[i] = -v
		}
		mirrored(t, must(Paired(d, 5)), must(Paired(other, 5)))
		mirrored(t, must(Independent(a, b, 5)), must(Independent(b, a, 5)))
	})
}

func mirrored(t *rapid.T, x, y *Test) {
	if x.Mean() != -y.Mean() || !near(x.SD(), y.SD()) || !near(x.P(0), y.P(0)) {
		t.Fatalf("mean %v, sd %v, p %v against %v, %v, %v", x.Mean(), x.SD(), x.P(0), y.Mean(), y.SD(), y.P(0))
	}
	low, high, ok := x.Interval(0.05)
	otherLow, otherHigh, otherOK := y.Interval(0.05)
	if ok != otherOK || !near(low, -otherHigh) || !near(high, -otherLow) {
		t.Fatalf("[%v, %v] is not the mirror of [%v, %v]", low, high, otherLow, otherHigh)
	}
}

func TestScaleAndShift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := values(6, 24).Draw(t, "d")
		factor, shift := rapid.Float64Range(0.01, 100).Draw(t, "factor"), rapid.Float64Range(-10, 10).Draw(t, "shift")
		moved := make([]float64, len(d))
		for i, v := range d {
			moved[i] = factor*v + shift
		}
		x, y := must(Paired(d, 5)), must(Paired(moved, 5))
		low, high, _ := x.Interval(0.05)
		movedLow, movedHigh, _ := y.Interval(0.05)
		if !near(movedLow, factor*low+shift) || !near(movedHigh, factor*high+shift) || !near(y.SD(), factor*x.SD()) {
			t.Fatalf("[%v, %v] became [%v, %v]", low, high, movedLow, movedHigh)
		}
	})
}

func TestFactsOfATest(t *testing.T) {
	test := paired(t, 0.1, -0.2, 0.4)
	low, high := test.Range()
	if test.N() != 3 || !near(test.Mean(), 0.1) || !near(test.SD(), 0.3) || low != -0.2 || high != 0.4 {
		t.Errorf("n %d, mean %v, sd %v, range %v to %v", test.N(), test.Mean(), test.SD(), low, high)
	}
	if p := test.P(math.NaN()); !math.IsNaN(p) {
		t.Errorf("p of NaN is %v", p)
	}
	for _, alpha := range []float64{0, -1, 1, 2, math.NaN()} {
		if _, _, ok := test.Interval(alpha); ok {
			t.Errorf("an interval at alpha %v", alpha)
		}
	}
}

func TestInputStaysAsItWas(t *testing.T) {
	d := []float64{3, 1, 2, 5, 4, 9}
	test := paired(t, d...)
	test.Interval(0.05)
	if !slices.Equal(d, []float64{3, 1, 2, 5, 4, 9}) {
		t.Errorf("the caller's values became %v", d)
	}
	before := test.Notes()
	d[0] = 1e6
	if !slices.Equal(before, test.Notes()) {
		t.Error("a test changes with the caller's values")
	}
}

func TestRefused(t *testing.T) {
	good := []float64{1, 2}
	for name, bad := range map[string][]float64{
		"no values": nil, "NaN": {1, math.NaN()}, "+Inf": {math.Inf(1)}, "-Inf": {0, math.Inf(-1)}, "1e+300": {1e300},
	} {
		_, alone := Paired(bad, 1)
		_, first := Independent(bad, good, 1)
		_, second := Independent(good, bad, 1)
		for _, err := range []error{alone, first, second} {
			if err == nil || !strings.Contains(err.Error(), name) || !strings.HasPrefix(err.Error(), "cannot ") {
				t.Errorf("%s: error is %v", name, err)
			}
		}
	}
}

func must(t *Test, err error) *Test {
	if err != nil {
		panic(err)
	}
	return t
}

// near allows for rounding of values up to about a thousand.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-8 }

// TestRankDividesAsPDoes tries every possible p, and the alphas just below: alpha times orders
// alone is off by one for some of each.
func TestRankDividesAsPDoes(t *testing.T) {
	for _, orders := range []float64{32, 35.0 / 2, 462.0 / 2, 50_000.5, 100_001} {
		for k := 1.0; k < min(orders, 6000); k++ {
			p := k / orders
			if got := rank(p, orders); float64(got) != k {
				t.Fatalf("of %v orders, alpha %v: rank %d, not %v", orders, p, got, k)
			}
			if got := rank(math.Nextafter(p, 0), orders); float64(got) != k-1 {
				t.Fatalf("of %v orders, just below alpha %v: rank %d, not %v", orders, p, got, k-1)
			}
		}
	}
}
