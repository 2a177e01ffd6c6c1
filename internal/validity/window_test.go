package validity

import (
	"math"
	"math/rand/v2"
	"testing"
)

var windowTrials = []trial{
	{"short", func(c *Case) { c.Run.Result.Duration = 29 }, "short", "runs shorter than 30 s seldom see a checkpoint or the kernel's write-back"},
	{"long enough", func(c *Case) { c.Run.Result.Duration = 30 }, "", ""},
	{"rises", func(c *Case) {
		c.Points = points(60, func(s int) float64 { return 1000 + 2*float64(s) + float64(s%3) })
	}, "trend", "TPS rose by 11.1 % of its mean"},
	{"falls", func(c *Case) {
		c.Points = points(60, func(s int) float64 { return 1000 - float64(s) })
	}, "trend", "TPS fell by 6.08 % of its mean"},
	{"hardly rises", func(c *Case) {
		c.Points = points(60, func(s int) float64 { return 1000 + 0.8*float64(s) })
	}, "", ""},
	{"rises too little to be certain", func(c *Case) {
		c.Points = points(60, func(s int) float64 { return 1000 + 2*float64(s) + 200*float64(s%7-3) })
	}, "", ""},
	{"too few points", func(c *Case) {
		c.Points = points(9, func(s int) float64 { return float64(100 * s) })
	}, "", ""},
	{"the last second is not whole", func(c *Case) {
		c.Run.Result.Duration = 59.5
		c.Points = points(60, func(s int) float64 {
			if s == 59 {
				return 1e6
			}
			return 1000
		})
	}, "", ""},
	{"gaps", func(c *Case) {
		c.Points = points(60, func(s int) float64 {
			if s%2 == 0 {
				return math.NaN()
			}
			return 1000 + 2*float64(s)
		})
	}, "trend", ""},
	{"no points", func(c *Case) { c.Points.Columns = nil }, "", ""},
	{"nothing happened", func(c *Case) { c.Points = points(60, func(int) float64 { return 0 }) }, "", ""},
}

// TestSteadyNoise checks that few steady runs are reported as not steady, even if their
// seconds are autocorrelated, and that most sufficiently long runs that change by a fifth
// are.
func TestSteadyNoise(t *testing.T) {
	const trials = 1000
	for _, c := range []struct {
		seconds       int
		alike, change float64
		least, most   float64 // share that warns
	}{
		{10, 0, 0, 0, 0.03}, {30, 0, 0, 0, 0.01}, {60, 0, 0, 0, 0.01},
		{10, 0.5, 0, 0, 0.08}, {30, 0.5, 0, 0, 0.02}, {60, 0.5, 0, 0, 0.02}, {60, 0.8, 0, 0, 0.04}, {300, 0.9, 0, 0, 0.03},
		{60, 0, 0.2, 0.8, 1}, {60, 0.5, 0.2, 0.3, 1}, {300, 0.5, 0.2, 0.9, 1},
	} {
		random := rand.New(rand.NewPCG(1, uint64(c.seconds)))
		warned := 0
		for range trials {
			if trend(noisy(random, c.seconds, c.alike, c.change)) != "" {
				warned++
			}
		}
		share := float64(warned) / trials
		t.Logf("%d s, autocorrelation %.1f, change %.0f %%: %.1f %% warn", c.seconds, c.alike, 100*c.change, 100*share)
		if share < c.least || share > c.most {
			t.Errorf("want %.1f %% to %.1f %%", 100*c.least, 100*c.most)
		}
	}
}

// noisy returns a run whose seconds vary by 10 % around a line that changes by a share over
// the window.
func noisy(random *rand.Rand, seconds int, alike, change float64) Case {
	c := sound()
	c.Run.Result.Duration = float64(seconds)
	level := random.NormFloat64()
	c.Points = points(seconds, func(s int) float64 {
		level = alike*level + math.Sqrt(1-alike*alike)*random.NormFloat64()
		return 1000 * (1 + 0.1*level + change*(float64(s)/float64(seconds)-0.5))
	})
	return c
}

func TestFit(t *testing.T) {
	l := fit([]float64{1, 3, 2, 5, 4})
	if l.mean != 3 || math.Abs(l.slope-0.8) > 1e-12 {
		t.Errorf("%+v, want a mean of 3 and a slope of 0.8", l)
	}
	// Residuals -0.4, 0.8, -1, 1.2, -0.6: their squares are 3.6, by 3 degrees of
	// freedom and 10 of spread. Neighbours are unlike, so nothing is added.
	if want := math.Sqrt(3.6 / 3 / 10); math.Abs(l.err-want) > 1e-12 {
		t.Errorf("standard error %v, want %v", l.err, want)
	}
}

// TestAlike checks the correction of the bias that fitting a line causes.
func TestAlike(t *testing.T) {
	const trials = 4000
	for _, want := range []float64{0, 0.3, 0.6} {
		random := rand.New(rand.NewPCG(2, 3))
		found := 0.0
		for range trials {
			values := windowTPS(noisy(random, 60, want, 0))
			residuals, sum := fit(values).residuals(values)
			found += alike(residuals, sum) / trials
		}
		if math.Abs(found-want) > 0.02 {
			t.Errorf("autocorrelation %.3f, want %.1f", found, want)
		}
	}
}
