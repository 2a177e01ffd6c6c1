package stats

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func TestDecide(t *testing.T) {
	wide := []float64{-0.2, 0.1, 0.3, -0.1, 0.2, -0.3, 0.1, -0.2}
	for _, c := range []struct {
		name   string
		d      []float64
		margin float64
		want   Outcome
	}{
		{"up", []float64{0.1, 0.2, 0.15, 0.12, 0.18, 0.11}, 0.03, Up},
		{"down", []float64{-0.1, -0.2, -0.15, -0.12, -0.18, -0.11}, 0.03, Down},
		{"inside the margin, and clearly not zero", []float64{0.01, 0.02, 0.015, 0.012, 0.018, 0.011}, 0.03, Equal},
		{"reaching over the margin", []float64{0.01, 0.04, 0.015, 0.012, 0.018, 0.011}, 0.03, Up},
		{"around zero, inside the margin", []float64{0.01, -0.02, 0.015, -0.012, 0.018, -0.011}, 0.03, Equal},
		{"around zero, outside the margin", wide, 0.03, Unknown},
		{"a wide margin", wide, 0.4, Equal},
		{"no margin", []float64{0.01, 0.02, 0.015, 0.012, 0.018, 0.011}, 0, Up},
		{"a margin that is no number", []float64{0.01, 0.02, 0.015, 0.012, 0.018, 0.011}, math.NaN(), Up},
		{"five units", []float64{0.1, 0.2, 0.15, 0.12, 0.18}, 0.03, Unknown},
		{"five units inside the margin", []float64{0, 0.01, 0, 0.01, 0}, 0.03, Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Decide([]*Test{paired(t, c.d...)}, 0.05, c.margin)[0]; got.Outcome != c.want {
				t.Errorf("%+v, not %s", got, c.want)
			}
		})
	}
}

func TestWhatIsShownWithTooFewUnits(t *testing.T) {
	few := func(n int) *Test { return paired(t, plus(noise(1, n), 9)...) }
	for _, c := range []struct {
		name          string
		test          *Test
		family        int
		alpha         float64
		level         float64
		shown, spared bool // an interval is shown; Decidable
	}{
		{"six alone", few(6), 1, 0.05, 0.95, true, true},
		{"six of three: the level of one", few(6), 3, 0.05, 0.95, true, false},
		{"seven of three", few(7), 3, 0.05, 1 - 0.05/3, true, true},
		{"six at an early look: what six can", few(6), 1, 0.01, 1 - 2.0/64, true, false},
		{"seven at an early look", few(7), 1, 0.01, 1 - 2.0/128, true, false},
		{"five: the range", few(5), 1, 0.05, 0, false, false},
		{"one: the range", few(1), 1, 0.05, 0, false, false},
		{"three against three: the range", independent(t, noise(1, 3), noise(2, 3)), 1, 0.05, 0, false, false},
		{"four against four at an early look", independent(t, noise(1, 4), noise(2, 4)), 1, 0.01, 1 - 1.0/35, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			family := make([]*Test, c.family)
			family[0] = c.test
			got := Decide(family, c.alpha, 0.03)[0]
			low, high := c.test.Range()
			if c.shown {
				low, high, _ = c.test.Interval(1 - c.level)
			}
			if !near(got.Level, c.level) || !near(got.Low, low) || !near(got.High, high) || (got.Outcome != Unknown) != c.spared || got.Decidable != c.spared {
				t.Errorf("%+v, not level %v, [%v, %v]", got, c.level, low, high)
			}
			if !near(got.Alpha, c.alpha/float64(c.family)) || got.P != c.test.P(0) {
				t.Errorf("alpha %v, p %v", got.Alpha, got.P)
			}
		})
	}
}

func TestWithoutNumbers(t *testing.T) {
	sure := paired(t, plus(make([]float64, 7), 1)...) // p = 1/64
	got := Decide([]*Test{nil, sure, nil}, 0.05, 0.03)
	if want := (Decision{Outcome: Unknown, Alpha: 0.025, P: 1}); got[0] != want || got[2] != want {
		t.Errorf("without numbers: %+v and %+v", got[0], got[2])
	}
	if got[1].Outcome != Up || !near(got[1].Alpha, 0.05/3) {
		t.Errorf("a comparison without numbers counts: %+v", got[1])
	}
	if got := Decide(nil, 0.05, 0.03); len(got) != 0 {
		t.Errorf("no comparisons: %v", got)
	}
}

// TestEqualIsReadAtTheStrictestShare: three certain differences, one inside the margin at the
// alpha of its step, or at that of the strictest share.
func TestEqualIsReadAtTheStrictestShare(t *testing.T) {
	sure := func(mean float64) *Test { return paired(t, plus(noise(1, 12), 100*mean)...) }
	base := noise(2, 12)
	at := func(mean float64) *Test { return paired(t, plus(base, mean)...) }
	centred := at(-stat.Mean(base, nil))
	_, step, _ := centred.Interval(0.05)
	_, strict, _ := centred.Interval(0.05 / 3)
	if !(step < strict) {
		t.Fatalf("the interval of the strictest share is no wider: %v and %v", step, strict)
	}
	between := (step + strict) / 2
	for _, c := range []struct {
		name   string
		test   *Test
		margin float64
		word   Outcome
		alpha  float64
	}{
		{"inside at both", at(-stat.Mean(base, nil)), strict + 1, Equal, 0.05 / 3},
		{"inside at the step alone, nothing found", at(-stat.Mean(base, nil)), between, Unknown, 0.05 / 3},
		{"outside at both", at(-stat.Mean(base, nil)), step / 2, Unknown, 0.05},
		{"inside at the step alone, found at both", at(9 - stat.Mean(base, nil)), 9 + between, Up, 0.05 / 3},
		{"inside at the step alone, found there alone", at(between - stat.Mean(base, nil)), between + between, Up, 0.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Decide([]*Test{c.test, sure(1), sure(-1)}, 0.05, c.margin)[0]
			low, high, _ := c.test.Interval(c.alpha)
			if got.Outcome != c.word || !near(got.Alpha, c.alpha) || got.Low != low || got.High != high || !got.Decidable || !near(got.Level, 1-c.alpha) {
				t.Errorf("%+v, not %s at %v: [%v, %v]", got, c.word, c.alpha, low, high)
			}
		})
	}
}

// TestTooFewToBeEqual: six units are enough for the last step of three, but not for the
// strictest share. Inside the margin, without a difference, the outcome is Unknown.
func TestTooFewToBeEqual(t *testing.T) {
	sure := func() *Test { return paired(t, plus(noise(1, 12), 100)...) }
	around := paired(t, 0.01, -0.02, 0.015, -0.012, 0.018, -0.011)
	if got := Decide([]*Test{around, sure(), sure()}, 0.05, 0.03)[0]; got.Outcome != Unknown || got.Decidable || !near(got.Level, 0.95) {
		t.Errorf("%+v", got)
	}
	above := paired(t, 0.01, 0.02, 0.015, 0.012, 0.018, 0.011)
	if got := Decide([]*Test{above, sure(), sure()}, 0.05, 0.03)[0]; got.Outcome != Up || !got.Decidable || !near(got.Level, 0.95) {
		t.Errorf("%+v", got)
	}
}

// TestEqualIsRarelyWrong: all of a family lie exactly at the margin, so any Equal is wrong.
// Noise is small, so all are found to differ, and Holm grants the later steps more: decided
// there, one in ten families had an Equal.
func TestEqualIsRarelyWrong(t *testing.T) {
	const trials, margin = 1000, 20.0
	wrong := 0
	for trial := range trials {
		var family []*Test
		for i := range 39 {
			family = append(family, paired(t, plus(noise(uint64(39*trial+i), 12), margin)...))
		}
		if slices.ContainsFunc(Decide(family, 0.05, margin), func(d Decision) bool { return d.Outcome == Equal }) {
			wrong++
		}
	}
	if most := 70; wrong > most { // at most 50 are expected; more than 71 occur once in a thousand
		t.Errorf("%d of %d families have an Equal that is none", wrong, trials)
	}
}

// TestWordsAgreeWithIntervals tests the purpose of the package.
func TestWordsAgreeWithIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var family []*Test
		for range rapid.IntRange(1, 4).Draw(t, "family") {
			family = append(family, anyTest(t))
		}
		alpha, margin := rapid.SampledFrom([]float64{0.05, 0.01, 0.2}).Draw(t, "alpha"), rapid.Float64Range(0, 5).Draw(t, "margin")
		strictest := alpha / float64(len(family))
		for i, d := range Decide(family, alpha, margin) {
			inside := d.Low >= -margin && d.High <= margin
			low, high, ok := family[i].Interval(strictest)
			hidden := !ok || low <= 0 && high >= 0 // the strictest interval shows no difference
			switch d.Outcome {
			case Equal:
				agree(t, d, d.Decidable && inside && d.Alpha == strictest)
			case Up:
				agree(t, d, d.Decidable && (!inside || hidden) && d.Low > 0 && d.P <= d.Alpha)
			case Down:
				agree(t, d, d.Decidable && (!inside || hidden) && d.High < 0 && d.P <= d.Alpha)
			case Unknown:
				agree(t, d, d.P > d.Alpha && (!d.Decidable || !inside && d.Low <= 0 && d.High >= 0))
			}
			if d.P != family[i].P(0) || d.Decidable && d.Level != 1-d.Alpha {
				t.Fatalf("%+v is not that of its test", d)
			}
		}
	})
}

func agree(t *rapid.T, d Decision, ok bool) {
	if !ok {
		t.Fatalf("the word contradicts what it stands beside: %+v", d)
	}
}
