package stats

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestExchangesByBruteForce tries all permutations of whole numbers, which are exact.
func TestExchangesByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.IntRange(-4, 4), 1, 5).Draw(t, "a")
		b := rapid.SliceOfN(rapid.IntRange(-4, 4), 1, 5).Draw(t, "b")
		theta := rapid.IntRange(-3, 3).Draw(t, "theta")
		pool := slices.Clone(a)
		for _, v := range b {
			pool = append(pool, v-theta)
		}
		least, most, all := 0, 0, 0
		seen := difference(pool, 1<<len(a)-1)
		for set := range 1 << len(pool) {
			if bits.OnesCount(uint(set)) != len(a) {
				continue
			}
			all++
			if d := difference(pool, set); d >= seen {
				most++
				least += boolean(d == seen)
			} else {
				least++
			}
		}
		want := min(1, 2*float64(min(least, most))/float64(all))
		test := must(Independent(tenths(a), tenths(b), 1))
		if p := test.P(float64(theta) * 0.1); math.Abs(p-want) > 1e-15 {
			t.Fatalf("p is %v, of all permutations %v", p, want)
		}
	})
}

// difference of means, times both sizes: a whole number.
func difference(pool []int, inA int) int {
	sumA, sumB, sizeA := 0, 0, bits.OnesCount(uint(inA))
	for i, v := range pool {
		if inA>>i&1 == 1 {
			sumA += v
		} else {
			sumB += v
		}
	}
	return sumB*sizeA - sumA*(len(pool)-sizeA)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func tenths(whole []int) []float64 {
	values := make([]float64, len(whole))
	for i, v := range whole {
		values[i] = float64(v) * 0.1
	}
	return values
}

func TestIndependentFacts(t *testing.T) {
	test := independent(t, []float64{1, 2, 3}, []float64{5, 6, 7, 10})
	low, high := test.Range()
	if test.N() != 3 || !near(test.Mean(), 5) || !near(test.SD(), 4/math.Sqrt(5)) || low != 2 || high != 9 {
		t.Errorf("n %d, mean %v, sd %v, range %v to %v", test.N(), test.Mean(), test.SD(), low, high)
	}
	if p, want := test.P(0), 2.0/35; !near(p, want) {
		t.Errorf("apart in all: p is %v, not %v", p, want)
	}
	if single := independent(t, []float64{1}, []float64{2}); single.SD() != 0 || single.P(0) != 1 {
		t.Errorf("one against one: sd %v, p %v", single.SD(), single.P(0))
	}
}

func TestPermutations(t *testing.T) {
	for _, c := range []struct{ n, k, want int }{{7, 3, 35}, {2, 1, 2}, {22, 11, 705_432}, {20, 6, 38_760}, {1_000_000, 1, 1_000_000}} {
		if got := permutations(c.n, c.k); got != c.want {
			t.Errorf("%d of %d: %d, not %d", c.k, c.n, got, c.want)
		}
	}
	for _, c := range [][2]int{{24, 12}, {156, 78}, {100_000, 50_000}} {
		if got := permutations(c[0], c[1]); got <= mostExchanges {
			t.Errorf("%d of %d: only %d", c[1], c[0], got)
		}
	}
}

func TestDrawnExchangesAreNearExact(t *testing.T) {
	a, b := noise(1, 9), plus(noise(2, 11), 0.8)
	exact := independent(t, a, b)
	if !exact.exact {
		t.Fatal("drawn, though all could be listed")
	}
	_, ofA := centre(a)
	_, ofB := centre(b)
	e := exchange{pool: slices.Concat(ofA, ofB), few: len(a)}
	e.draw(1)
	drawn := &Test{samples: exact.samples, typical: plus(e.typical, exact.mean), orders: float64(draws+1) / 2}
	for _, theta := range []float64{-0.2, 0, 0.5, 1.5} {
		p, q := exact.P(theta), drawn.P(theta)
		if math.Abs(p-q) > 4*math.Sqrt(2*p/draws)+1e-4 {
			t.Errorf("theta %v: exact p %v, drawn %v", theta, p, q)
		}
	}
}

func TestManyIndependentUnits(t *testing.T) {
	test := independent(t, noise(1, 40), plus(noise(2, 78), 2))
	if test.exact || test.N() != 40 {
		t.Errorf("exact %v, n %d", test.exact, test.N())
	}
	low, high, ok := test.Interval(0.05)
	if !ok || low > 2 || high < 2 || high-low > 1.2 || test.P(0) != 2.0/100_001 {
		t.Errorf("[%v, %v] %v, p %v", low, high, ok, test.P(0))
	}
}
