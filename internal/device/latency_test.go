package device

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func near(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }

// TestLatencyIsWhatItSays: samples have the median, the p99 and the mean.
func TestLatencyIsWhatItSays(t *testing.T) {
	l := Latency{micros(1800), micros(3100)}
	random := rand.New(rand.NewPCG(7, 7))
	samples := make([]time.Duration, 200000)
	sum := 0.0
	for i := range samples {
		samples[i] = l.Quantile(random.Float64())
		sum += float64(samples[i])
	}
	slices.Sort(samples)
	for name, c := range map[string]struct{ got, want float64 }{
		"median":      {float64(samples[len(samples)/2]), 1.8e6},
		"p99":         {float64(samples[len(samples)*99/100]), 3.1e6},
		"mean":        {sum / float64(len(samples)), float64(l.Mean())},
		"p99 exactly": {float64(l.Quantile(0.99)), 3.1e6},
	} {
		if !near(c.got, c.want, 0.01) {
			t.Errorf("%s: got %.0f ns, want %.0f", name, c.got, c.want)
		}
	}
}

// TestConstantLatency: without a tail all are the same.
func TestConstantLatency(t *testing.T) {
	for _, l := range []Latency{{micros(500), 0}, {micros(500), micros(500)}} {
		for _, u := range []float64{0, 0.5, 1} {
			if got := l.Quantile(u); got != 500*time.Microsecond {
				t.Errorf("%v at %v: got %s", l, u, got)
			}
		}
		if l.Mean() != 500*time.Microsecond {
			t.Errorf("%v: mean %s", l, l.Mean())
		}
	}
	if got := (Latency{}).Quantile(0.99); got != 0 {
		t.Errorf("no latency takes %s", got)
	}
}

// TestQuantilesRise, are finite, and scale.
func TestQuantilesRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLatency(t, "latency")
		a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		low, high := l.Quantile(min(a, b)), l.Quantile(max(a, b))
		if low > high || low < 0 || l.Quantile(1) > 100*time.Hour {
			t.Fatalf("%v: %s at %v, %s at %v, %s at 1", l, low, min(a, b), high, max(a, b), l.Quantile(1))
		}
		factor := rapid.Float64Range(0.1, 10).Draw(t, "factor")
		want := float64(l.Median) * factor
		if got := float64(l.Scaled(factor).Median); math.Abs(got-want) > 1 {
			t.Fatalf("%v scaled by %v has the median %v", l, factor, got)
		}
	})
}

// drawLatency is a latency from none to tens of milliseconds.
func drawLatency(t *rapid.T, name string) Latency {
	median := rapid.Float64Range(0, 20000).Draw(t, name+" median, us")
	if median < 1 {
		return Latency{}
	}
	return Latency{micros(median), micros(median * rapid.Float64Range(1, 6).Draw(t, name+" tail"))}
}
