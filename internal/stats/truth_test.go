package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// machine is a simulated machine with drift and noise. Two equal systems are measured on it in
// pairs, in random order.
type machine struct {
	random *rand.Rand
	noise  func(*rand.Rand) float64
	drift  float64 // per run, in noise standard deviations
	mood   float64 // a random walk: standard deviation of a step
}

// pairs returns n differences of two systems that differ by effect.
func (m machine) pairs(n int, effect float64) []float64 {
	d := make([]float64, n)
	level := 0.0
	run := func() float64 {
		level += m.drift + m.mood*m.random.NormFloat64()
		return level + m.noise(m.random)
	}
	for i := range d {
		first, second := run(), run()
		if d[i] = effect + second - first; m.random.IntN(2) == 0 {
			d[i] = effect + first - second
		}
	}
	return d
}

func normal(r *rand.Rand) float64 { return r.NormFloat64() }

// heavy has a tail to one side, as benchmarks do.
func heavy(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) }

// tailed is Student's t with two degrees of freedom: no finite variance.
func tailed(r *rand.Rand) float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()) }

var machines = map[string]machine{
	"quiet":             {noise: normal},
	"drifting":          {noise: normal, drift: 0.5},
	"moody":             {noise: normal, mood: 1},
	"one-sided":         {noise: heavy},
	"heavy and moody":   {noise: tailed, mood: 1},
	"drifting one-side": {noise: heavy, drift: 0.5},
}

// allowed returns a share that may occur by chance: three standard errors more.
func allowed(share float64, trials int) float64 {
	return share + 3*math.Sqrt(share*(1-share)/float64(trials))
}

func TestEqualSystemsAreRarelyCalledDifferent(t *testing.T) {
	const trials = 400
	for name, m := range machines {
		t.Run(name, func(t *testing.T) {
			m.random = rand.New(rand.NewPCG(1, 1))
			wrong := 0
			for range trials {
				family := []*Test{paired(t, m.pairs(12, 0)...), paired(t, m.pairs(8, 0)...), paired(t, m.pairs(7, 0)...)}
				for _, d := range Decide(family, 0.05, 0) {
					if d.Outcome != Unknown {
						wrong++
						break
					}
				}
			}
			if share := float64(wrong) / trials; share > allowed(0.05, trials) {
				t.Errorf("%.3f of families", share)
			}
		})
	}
}

// TestStoppingAtLooks stops at the first decision, as "stop: decided" does. The alphas are
// those of a plan of 20; the looks are earlier, where lists are short.
func TestStoppingAtLooks(t *testing.T) {
	const trials = 300
	looks := Looks(1, 20, 1)
	for i, units := range []int{8, 10, 13} {
		looks[i].Units = units
	}
	for name, m := range machines {
		t.Run(name, func(t *testing.T) {
			m.random = rand.New(rand.NewPCG(2, 1))
			wrong := 0
			for range trials {
				d := m.pairs(13, 0)
				for _, look := range looks {
					if paired(t, d[:look.Units]...).P(0) <= look.Alpha {
						wrong++
						break
					}
				}
			}
			if share := float64(wrong) / trials; share > allowed(0.05, trials) {
				t.Errorf("%.3f of experiments", share)
			}
		})
	}
}

func TestIntervalsCover(t *testing.T) {
	const trials, effect = 600, 0.7
	for name, m := range machines {
		for _, n := range []int{6, 8, 12} {
			m.random = rand.New(rand.NewPCG(3, uint64(n)))
			missed := 0
			for range trials {
				low, high, ok := paired(t, m.pairs(n, effect)...).Interval(0.05)
				if !ok || low > effect || high < effect {
					missed++
				}
			}
			if share := float64(missed) / trials; share > allowed(0.05, trials) {
				t.Errorf("%s, %d pairs: %.3f of intervals miss the truth", name, n, share)
			}
		}
	}
}

func TestDrawnIntervalsCover(t *testing.T) {
	const trials, effect = 150, 0.7
	m := machines["one-sided"]
	m.random = rand.New(rand.NewPCG(4, 1))
	missed := 0
	for range trials {
		if low, high, ok := paired(t, m.pairs(30, effect)...).Interval(0.05); !ok || low > effect || high < effect {
			missed++
		}
	}
	if share := float64(missed) / trials; share > allowed(0.05, trials) {
		t.Errorf("%.3f of intervals miss the truth", share)
	}
}

// TestIntervalsAreNoWiderThanNeeded excludes a method that is never wrong because it never
// decides: on normal noise an interval is hardly wider than that of Student's t, which assumes
// normal noise.
func TestIntervalsAreNoWiderThanNeeded(t *testing.T) {
	const trials, student = 200, 2.2010 * 2 / 3.4641 // t at 0.975 with 11 degrees of freedom, root of 12
	wide := 0.0
	for trial := range trials {
		test := paired(t, noise(uint64(trial), 12)...)
		low, high, _ := test.Interval(0.05)
		wide += (high - low) / test.SD() / trials
	}
	if math.Abs(wide/student-1) > 0.03 {
		t.Errorf("%.3f standard deviations, Student's %.3f", wide, student)
	}
}

func TestIndependentSamplesCover(t *testing.T) {
	const trials, effect = 400, 0.7
	random := rand.New(rand.NewPCG(5, 1))
	for _, n := range [][2]int{{4, 4}, {5, 8}, {9, 4}} {
		missed, wrong := 0, 0
		for range trials {
			a, b := make([]float64, n[0]), make([]float64, n[1])
			for i := range a {
				a[i] = heavy(random)
			}
			for i := range b {
				b[i] = heavy(random)
			}
			if independent(t, a, b).P(0) <= 0.05 {
				wrong++
			}
			if low, high, ok := independent(t, a, plus(b, effect)).Interval(0.05); !ok || low > effect || high < effect {
				missed++
			}
		}
		if most := allowed(0.05, trials) * trials; float64(wrong) > most || float64(missed) > most {
			t.Errorf("%v units: %d of %d called different, %d intervals miss the truth", n, wrong, trials, missed)
		}
	}
}
