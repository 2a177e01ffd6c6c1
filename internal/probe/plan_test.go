package probe

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPlan(t *testing.T) {
	for total, want := range map[time.Duration]plan{
		time.Minute:      {6, 444 * time.Millisecond},
		Shortest:         {1, 158 * time.Millisecond},
		20 * time.Second: {3, 206 * time.Millisecond},
		10 * time.Minute: {6, 6872 * time.Millisecond},
	} {
		if got := newPlan(14, total); got != want {
			t.Errorf("%s: got %+v, want %+v", total, got, want)
		}
	}
}

// TestPlanKeepsItsTime checks that no plan takes longer than requested.
func TestPlanKeepsItsTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(5, 14).Draw(t, "steps")
		total := time.Duration(rapid.Int64Range(int64(Shortest), int64(time.Hour)).Draw(t, "total"))
		p := newPlan(n, total)
		if p.slices < 1 || p.slices > mostSlices || p.step < shortest {
			t.Fatalf("%+v", p)
		}
		if all := time.Duration(p.slices) * p.slice(n); all > total {
			t.Fatalf("%+v takes %s of %s", p, all, total)
		}
	})
}
