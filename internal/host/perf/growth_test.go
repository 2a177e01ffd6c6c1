package perf

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestGrowth(t *testing.T) {
	const top = math.MaxUint64
	for what, test := range map[string]struct {
		before, now sample
		n           float64
		waiting     uint64
		back        bool
	}{
		"counted all the time":        {sample{10, Times{100, 100}}, sample{30, Times{200, 200}}, 20, 0, false},
		"counted half the time":       {sample{10, Times{100, 100}}, sample{30, Times{200, 150}}, 40, 0, false},
		"counted a quarter, before":   {sample{10, Times{100, 25}}, sample{30, Times{200, 125}}, 20, 0, false},
		"not a whole number":          {sample{}, sample{1, Times{3, 2}}, 1.5, 0, false},
		"nothing happened":            {sample{10, Times{100, 50}}, sample{10, Times{200, 90}}, 0, 0, false},
		"never counted":               {sample{10, Times{100, 50}}, sample{10, Times{170, 50}}, 0, 70, false},
		"no time passed":              {sample{10, Times{100, 50}}, sample{10, Times{100, 50}}, 0, 0, false},
		"longer than to be":           {sample{}, sample{8, Times{100, 101}}, 8, 0, false},
		"the value wraps around":      {sample{top - 4, Times{0, 0}}, sample{5, Times{10, 10}}, 10, 0, false},
		"all fields wrap around":      {sample{top, Times{top - 9, top - 4}}, sample{2, Times{10, 5}}, 6, 0, false},
		"the value went back":         {sample{10, Times{100, 100}}, sample{9, Times{200, 200}}, 0, 0, true},
		"the time went back":          {sample{10, Times{100, 100}}, sample{30, Times{99, 200}}, 0, 0, true},
		"the running time went back":  {sample{10, Times{100, 100}}, sample{30, Times{200, 99}}, 0, 0, true},
		"the product needs 126 bits":  {sample{}, sample{1 << 62, Times{1 << 62, 1 << 61}}, 1 << 63, 0, false},
		"the largest that can happen": {sample{}, sample{math.MaxInt64, Times{math.MaxInt64, 1}}, math.MaxInt64 * float64(math.MaxInt64), 0, false},
	} {
		n, waiting, back := growth(test.before, test.now)
		if n != test.n || waiting != test.waiting || back != test.back {
			t.Errorf("%s: %v, %v, %v, want %v, %v, %v", what, n, waiting, back, test.n, test.waiting, test.back)
		}
	}
}

// TestGrowthIsCountTimesEnabledOverRunning checks the extrapolation against exact arithmetic,
// wherever the counters start.
func TestGrowthIsCountTimesEnabledOverRunning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := sample{rapid.Uint64().Draw(t, "value"), Times{rapid.Uint64().Draw(t, "enabled"), rapid.Uint64().Draw(t, "running")}}
		enabled := rapid.Uint64Range(1, math.MaxInt64).Draw(t, "for")
		running := rapid.Uint64Range(1, enabled).Draw(t, "counted for")
		count := rapid.Uint64Range(0, math.MaxInt64).Draw(t, "count")
		n, waiting, back := growth(start, sample{start.value + count, Times{start.Enabled + enabled, start.Running + running}})
		if waiting != 0 || back {
			t.Fatalf("waiting %d, back %v", waiting, back)
		}
		exact := new(big.Rat).SetFrac(
			new(big.Int).Mul(new(big.Int).SetUint64(count), new(big.Int).SetUint64(enabled)), new(big.Int).SetUint64(running))
		want, _ := exact.Float64()
		if math.Abs(n-want) > 1e-15*want { // five roundings
			t.Errorf("%d * %d / %d is %v, want %v", count, enabled, running, n, want)
		}
		if n < float64(count) {
			t.Errorf("%v is less than the %d that were counted", n, count)
		}
	})
}

// TestMeterLosesNothing checks that a total never decreases, and that an event of constant frequency
// is extrapolated to that frequency, whichever turns the kernel gives it.
func TestMeterLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const perNanosecond = 3
		now := sample{rapid.Uint64().Draw(t, "value"), Times{rapid.Uint64().Draw(t, "enabled"), rapid.Uint64().Draw(t, "running")}}
		start := now.Enabled
		var m meter
		m.add(now)
		known := now.Enabled
		for range rapid.IntRange(1, 20).Draw(t, "readings") {
			enabled := rapid.Uint64Range(0, 2e9).Draw(t, "for")
			running := rapid.Uint64Range(0, enabled).Draw(t, "counted for")
			now = sample{now.value + perNanosecond*running, Times{now.Enabled + enabled, now.Running + running}}
			before := m.total
			waiting, back := m.add(now)
			if waiting == 0 {
				known = now.Enabled
			}
			if back || m.total < before || waiting != now.Enabled-known {
				t.Fatalf("from %v to %v: waiting %d, back %v", before, m.total, waiting, back)
			}
			if want := perNanosecond * float64(known-start); math.Abs(m.total-want) > 1e-12*want {
				t.Fatalf("the total is %v, want %v", m.total, want)
			}
		}
	})
}
