package stats

import (
	"fmt"
	"slices"
	"testing"
)

// TestScreening checks that effects of factors are independent of each other, and of what two factors do together.
func TestScreening(t *testing.T) {
	for factors := 1; factors <= MostScreened; factors++ {
		design := Screening(factors)
		if want := min(1<<factors, 8*((factors+4)/4)); len(design) != want {
			t.Errorf("%d factors: %d runs, want %d", factors, len(design), want)
		}
		if slices.Contains(design[0], true) || slices.Contains(design[len(design)-1], false) {
			t.Errorf("%d factors: first %v, last %v", factors, design[0], design[len(design)-1])
		}
		// The product of signs of some factors, summed over the runs.
		sum := func(these ...int) (sum int) {
			for _, run := range design {
				sign := 1
				for _, f := range these {
					if !run[f] {
						sign = -sign
					}
				}
				sum += sign
			}
			return sum
		}
		for a := range factors {
			if sum(a) != 0 {
				t.Fatalf("factor %d of %d is not in half of the runs", a, factors)
			}
			for b := range a {
				if sum(a, b) != 0 {
					t.Fatalf("factors %d and %d of %d are not independent", a, b, factors)
				}
				for c := range b {
					if sum(a, b, c) != 0 {
						t.Fatalf("factor %d of %d is mixed up with %d and %d together", a, factors, b, c)
					}
				}
			}
		}
		seen := map[string]bool{}
		for _, run := range design {
			if key := fmt.Sprint(run); seen[key] {
				t.Errorf("%d factors: two runs are the same", factors)
			} else {
				seen[key] = true
			}
		}
	}
}
