package stats

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFlipsByBruteForce flips whole numbers, which are exact.
func TestFlipsByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.IntRange(-5, 5), 1, 10).Draw(t, "d")
		theta := rapid.IntRange(-3, 3).Draw(t, "theta")
		seen := 0
		for _, v := range d {
			seen += v - theta
		}
		count := 0
		for flips := range 1 << len(d) {
			sum := 0
			for i, v := range d {
				if flips>>i&1 == 1 {
					sum -= v - theta
				} else {
					sum += v - theta
				}
			}
			if max(sum, -sum) >= max(seen, -seen) {
				count++
			}
		}
		// Tenths are not binary fractions: they tie only up to rounding.
		tenths := make([]float64, len(d))
		for i, v := range d {
			tenths[i] = float64(v) * 0.1
		}
		want := float64(count) / math.Ldexp(1, len(d))
		if p := must(Paired(tenths, 1)).P(float64(theta) * 0.1); p != want {
			t.Fatalf("p is %v, of all flips %v", p, want)
		}
	})
}

func TestAllOneWay(t *testing.T) {
	for n := 1; n <= mostExact; n++ {
		d := make([]float64, n)
		for i := range d {
			d[i] = 1 + float64(i)/10
		}
		if p, want := paired(t, d...).P(0), math.Ldexp(2, -n); p != want {
			t.Errorf("%d units, all up: p is %v, not %v", n, p, want)
		}
	}
	if p, want := paired(t, plus(make([]float64, 30), 1)...).P(0), 1.0/100_001; p != want {
		t.Errorf("30 units, all up: p is %v, not %v", p, want)
	}
}

func TestKnownInterval(t *testing.T) {
	// Six units at 0.05: k = floor(0.05 * 32) = 1, so the interval is the range.
	low, high, ok := paired(t, 3, 1, 2, 6, 5, 4).Interval(0.05)
	if !ok || !near(low, 1) || !near(high, 6) {
		t.Errorf("[%v, %v] %v", low, high, ok)
	}
	// Seven: k = 3, the third smallest mean of 1, 2, 4, 8, ... is that of {2}: 1, 1.5, 2.
	low, high, ok = paired(t, 1, 2, 4, 8, 16, 32, 64).Interval(0.05)
	if !ok || !near(low, 2) || !near(high, 40) {
		t.Errorf("[%v, %v] %v", low, high, ok)
	}
	if _, _, ok = paired(t, 1, 2, 3, 4, 5).Interval(0.05); ok {
		t.Error("five units have no interval at 0.05")
	}
}

func TestDrawnIsNearExact(t *testing.T) {
	d := plus(noise(3, 20), 0.4)
	exact := paired(t, d...)
	_, deviations := centre(d)
	drawn := &Test{samples: exact.samples, mean: exact.mean, orders: draws + 1, typical: drawSubsetMeans(deviations, 1)}
	for i := range drawn.typical {
		drawn.typical[i] += drawn.mean
	}
	for _, theta := range []float64{-0.2, 0, 0.2, 0.8} {
		p, q := exact.P(theta), drawn.P(theta)
		if math.Abs(p-q) > 4*math.Sqrt(p*(1-p)/draws)+1e-5 {
			t.Errorf("theta %v: exact p %v, drawn %v", theta, p, q)
		}
	}
}

func TestDrawnSets(t *testing.T) {
	// With powers of two a sum identifies its members: no set may be empty or whole, none may
	// reach past the last value, and all members are equally likely.
	for _, n := range []int{21, 39} {
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Ldexp(1, i)
		}
		tables := byteSums(values)
		all := uint64(1)<<n - 1
		for set := uint64(1); set < all; set = set*3 + 1 {
			sum, size := sumOf([]uint64{set}, tables)
			if sum != float64(set) || size != bits.OnesCount64(set) {
				t.Fatalf("%d units: set %b sums to %v of %d", n, set, sum, size)
			}
		}
	}
	means := drawSubsetMeans([]float64{-1, 1}, 7) // {-1} with {1}, never {} with {-1, 1}
	if len(means) != 2*draws || slices.Contains(means, 0) {
		t.Errorf("%d means, some of the whole", len(means))
	}
	ups := 0
	for i := 0; i < len(means); i += 2 {
		if means[i] != -means[i+1] {
			t.Fatalf("%v and %v are no complements", means[i], means[i+1])
		}
		if means[i] > 0 {
			ups++
		}
	}
	if math.Abs(float64(ups)-draws/2) > 4*math.Sqrt(draws)/2 {
		t.Errorf("%d of %d sets hold the second value", ups, draws)
	}
}

func TestWideSets(t *testing.T) {
	for _, n := range []int{63, 64, 65, 128, 129, 300} {
		ones := plus(make([]float64, n), 1)
		tables := byteSums(ones)
		members := make([]uint64, (n+63)/64)
		for i := range n {
			members[i/64] |= 1 << (i % 64)
		}
		if sum, size := sumOf(members, tables); sum != float64(n) || size != n {
			t.Errorf("%d ones add up to %v of %d", n, sum, size)
		}
	}
}

func TestSeed(t *testing.T) {
	d := noise(5, 30)
	same, again, other := must(Paired(d, 1)), must(Paired(d, 1)), must(Paired(d, 2))
	if !slices.Equal(same.typical, again.typical) {
		t.Error("the same seed draws other orders")
	}
	if slices.Equal(same.typical, other.typical) {
		t.Error("another seed draws the same orders")
	}
}

func TestConstant(t *testing.T) {
	for _, n := range []int{6, 12, 30} {
		up := paired(t, plus(make([]float64, n), 0.1)...)
		low, high, ok := up.Interval(0.05)
		if !ok || !near(low, 0.1) || !near(high, 0.1) || up.P(0) > 0.05 || up.P(0.1) != 1 {
			t.Errorf("%d units of 0.1: [%v, %v] %v, p of 0 is %v, of 0.1 is %v", n, low, high, ok, up.P(0), up.P(0.1))
		}
		if none := paired(t, make([]float64, n)...); none.P(0) != 1 {
			t.Errorf("%d units of 0: p is %v", n, none.P(0))
		}
	}
}
