package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLooks(t *testing.T) {
	for _, c := range []struct {
		name                       string
		perRepeat, repeats, family int
		want                       []Look
	}{
		{"six blocks", 1, 6, 1, []Look{{6, 6, 0.05}}},
		{"twelve blocks", 1, 12, 1, []Look{{12, 12, 0.05}}},
		{"nineteen blocks", 1, 19, 1, []Look{{19, 19, 0.05}}},
		{"twenty blocks", 1, 20, 1, []Look{{8, 8, 0.01}, {12, 12, 0.015}, {20, 20, 0.025}}},
		{"a family needs more for its first look", 1, 20, 3, []Look{{10, 10, 0.01}, {12, 12, 0.015}, {20, 20, 0.025}}},
		{"a large family has no first look", 1, 20, 39, []Look{{12, 12, 0.015}, {20, 20, 0.035}}},
		{"a matrix", 13, 6, 3, []Look{{1, 13, 0.01}, {3, 39, 0.015}, {6, 78, 0.025}}},
		{"an odd matrix", 3, 7, 1, []Look{{3, 9, 0.01}, {4, 12, 0.015}, {7, 21, 0.025}}},
		{"two repeats", 13, 2, 3, []Look{{1, 13, 0.015}, {2, 26, 0.035}}},
		{"no second", 10, 2, 1, []Look{{1, 10, 0.01}, {2, 20, 0.04}}},
		{"one repeat is no error", 39, 1, 3, []Look{{1, 39, 0.05}}},
		{"one unit is none either", 1, 1, 1, []Look{{1, 1, 0.05}}},
		{"nothing planned", 13, 0, 1, nil},
		{"no cells", 0, 6, 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Looks(c.perRepeat, c.repeats, c.family); !slices.Equal(got, c.want) {
				t.Errorf("%v, not %v", got, c.want)
			}
		})
	}
}

func TestLooksSpendFivePerCent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perRepeat, repeats := rapid.IntRange(1, 60).Draw(t, "per repeat"), rapid.IntRange(1, 40).Draw(t, "repeats")
		looks := Looks(perRepeat, repeats, rapid.IntRange(0, 60).Draw(t, "family"))
		spent, before := 0.0, 0
		for _, look := range looks {
			if look.Repeat <= before || look.Units != look.Repeat*perRepeat {
				t.Fatalf("out of order: %v", looks)
			}
			before, spent = look.Repeat, spent+look.Alpha
		}
		if before != repeats || math.Abs(spent-0.05) > 1e-15 {
			t.Fatalf("%v end at %d and spend %v", looks, before, spent)
		}
	})
}

func TestFewest(t *testing.T) {
	for alpha, want := range map[float64][4]int{0.05: {6, 7, 10, 11}, 0.01: {8, 10, 12, 13}} {
		for i, comparisons := range []int{1, 3, 13, 39} {
			if got := Fewest(alpha, comparisons); got != want[i] {
				t.Errorf("%d comparisons at %v: %d, not %d", comparisons, alpha, got, want[i])
			}
		}
	}
	if got := Fewest(0.05, 0); got != 6 {
		t.Errorf("no comparison counts as one: %d", got)
	}
	for _, alpha := range []float64{0, -1, math.NaN()} {
		if got := Fewest(alpha, 1); got != math.MaxInt {
			t.Errorf("alpha %v: %d", alpha, got)
		}
	}
}

// TestFewestDecides asks Decide itself.
func TestFewestDecides(t *testing.T) {
	for _, alpha := range []float64{0.05, 0.025, 0.01} {
		for _, comparisons := range []int{1, 3, 13, 39} {
			family := make([]*Test, comparisons)
			n := Fewest(alpha, comparisons)
			family[0] = paired(t, plus(make([]float64, n), 1)...)
			if got := Decide(family, alpha, 0)[0].Outcome; got != Up {
				t.Errorf("%d units of %d comparisons at %v: %s", n, comparisons, alpha, got)
			}
			family[0] = paired(t, plus(make([]float64, n-1), 1)...)
			if got := Decide(family, alpha, 0)[0].Outcome; got != Unknown {
				t.Errorf("%d units of %d comparisons at %v: %s", n-1, comparisons, alpha, got)
			}
		}
	}
}
