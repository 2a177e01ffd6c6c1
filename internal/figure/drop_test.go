package figure_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// timeline is seconds made of steps of five, as pgbench -P 5 prints them.
func timeline(steps ...float64) (seconds []float64) {
	for _, tps := range steps {
		seconds = append(seconds, each(5, tps)...)
	}
	return seconds
}

// The timelines of "PostgreSQL OLTP Benchmark - Case Study". Of the first there are
// words only: 17,000 TPS for 20 seconds, then 5,000 to 7,000. The last ones end after
// 40 of 60 seconds.
var (
	cliff     = slices.Concat(timeline(17000, 17000, 17000, 17000), timeline(7000, 5000, 6000, 5000, 7000, 6000, 7000, 5000))
	osTuned   = timeline(15263, 15361, 11322, 9458, 8772, 8500, 8415, 8570)
	optimised = timeline(15553, 14414, 13712, 13447, 13947, 10613, 7840, 11347)
)

// TestPublishedTimelines: where the drop is, and how deep in the words of the source.
func TestPublishedTimelines(t *testing.T) {
	// What the last 20 seconds were follows from the published mean of all 60.
	const mean = 11469
	sum := 0.0
	for _, tps := range optimised {
		sum += tps
	}
	whole := append(slices.Clone(optimised), each(20, (60*mean-sum)/20)...)
	for _, c := range []struct {
		name            string
		tps             []float64
		shallow, deep   float64
		second, highest float64
	}{
		{"I/O cliff: 50 to 70 %", cliff, 0.5, 0.7, 20, 17000},
		{"after the kernel was tuned: still there, but less", osTuned, 0.4, 0.5, 10, 15361},
		{"optimised: 30 to 40 %, after 25 s", whole, 0.3, 0.4, 25, 15553},
	} {
		figures, _ := of(t, input(table{"tps": c.tps}))
		if drop := figures["tps-drop"]; drop < c.shallow || drop > c.deep {
			t.Errorf("%s: it is %.0f %%", c.name, 100*drop)
		}
		near(t, c.name+": second", figures["tps-drop-second"], c.second)
		near(t, c.name+": peak", figures["tps-peak"], c.highest)
	}
}

// TestStepsAreFound, wherever they are, with the second and the depth that was put in.
func TestStepsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(8, 200).Draw(t, "seconds")
		aside := min(5, n/2-1)
		at := rapid.IntRange(aside, n-aside).Draw(t, "at")
		high := rapid.Float64Range(1e-3, 1e6).Draw(t, "high")
		depth := rapid.Float64Range(0.01, 1).Draw(t, "depth")
		noise := rapid.SampledFrom([]float64{0, 0.0005}).Draw(t, "noise")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var tps []float64
		for i := range n {
			value := high * (1 + noise*(2*rng.Float64()-1))
			if i >= at {
				value -= depth * high
			}
			tps = append(tps, max(0, value))
		}
		figures, gaps := ofTPS(tps)
		if figures["tps-drop-second"] != float64(at) || math.Abs(figures["tps-drop"]-depth) > 2*noise+1e-9 {
			t.Errorf("put in %g at %d, found %g at %g (%s)", depth, at, figures["tps-drop"], figures["tps-drop-second"], gaps["tps-drop-second"])
		}
	})
}

// TestWhatDoesNotDrop is 0, has no second, and says so.
func TestWhatDoesNotDrop(t *testing.T) {
	stall := each(60, 1000)
	stall[20], stall[21] = 0, 0
	var rising []float64
	for i := range 60 {
		rising = append(rising, 1000+float64(i))
	}
	for name, tps := range map[string][]float64{
		"steady": each(60, 0.1), "nothing at all": each(60, 0), "rising": rising, "one step up": append(each(30, 500), each(30, 1000)...),
		"a stall of two seconds": stall, "two seconds at the end": append(each(58, 1000), 1, 1), "two seconds at the start": append([]float64{9999, 9999}, each(58, 1000)...),
	} {
		figures, gaps := of(t, input(table{"tps": tps}))
		if drop, known := figures["tps-drop"]; !known || drop != 0 || gaps["tps-drop-second"] != "TPS did not drop" {
			t.Errorf("%s: drop %v, known %v, %q", name, drop, known, gaps["tps-drop-second"])
		}
	}
	_, gaps := of(t, input(table{"tps": {9, 9, 9, 9, 1, 1, 1}}))
	if gaps["tps-drop"] != "7 seconds are too few: 8 are needed" || gaps["tps-drop-second"] == "" {
		t.Errorf("gaps: %v", gaps)
	}
}

// TestNoiseIsRarelyADrop: of windows whose seconds have one mean, about one in a
// hundred has one, whatever their length.
func TestNoiseIsRarelyADrop(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const trials = 300
	for _, n := range []int{8, 60, 200} {
		found := 0
		for range trials {
			var tps []float64
			for range n {
				tps = append(tps, 1000+50*rng.NormFloat64())
			}
			if figures, _ := of(t, input(table{"tps": tps})); figures["tps-drop"] > 0 {
				found++
			}
		}
		if found > trials*3/100 {
			t.Errorf("%d of %d windows of %d s have a drop", found, trials, n)
		}
	}
}

// TestASlowStartHidesNoCliff: the step up at its end is larger, and is no drop.
func TestASlowStartHidesNoCliff(t *testing.T) {
	figures, _ := of(t, input(table{"tps": slices.Concat(each(10, 100), each(30, 1000), each(20, 700))}))
	near(t, "drop", figures["tps-drop"], 0.3)
	near(t, "second", figures["tps-drop-second"], 40)
}

// TestDropByBruteForce: the same as all splits tried one by one.
func TestDropByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tps := rapid.SliceOfN(rapid.Float64Range(1, 1000), 8, 40).Draw(t, "tps")
		aside := min(5, len(tps)/2-1)
		_, all := deviations(tps)
		depth, at, least := 0.0, 0, all
		for k := aside; k <= len(tps)-aside; k++ {
			before, a := deviations(tps[:k])
			after, b := deviations(tps[k:])
			if before > after && a+b < least {
				depth, at, least = 1-after/before, k, a+b
			}
		}
		ratio := float64(len(tps)) * math.Log(all/least)
		if math.Abs(ratio-8) < 1e-6 {
			return // just at the limit: rounding decides
		}
		figures, _ := ofTPS(tps)
		if ratio < 8 {
			depth, at = 0, 0
		}
		if math.Abs(figures["tps-drop"]-depth) > 1e-9 || figures["tps-drop-second"] != float64(at) {
			t.Errorf("found %g at %g, want %g at %d", figures["tps-drop"], figures["tps-drop-second"], depth, at)
		}
	})
}

// deviations are the median of values and how far they are from it in sum.
func deviations(values []float64) (median, sum float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	median = (sorted[(n-1)/2] + sorted[n/2]) / 2
	for _, v := range values {
		sum += math.Abs(v - median)
	}
	return median, sum
}
