package layout

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/unit"
)

var someInput = rapid.Custom(func(t *rapid.T) Input {
	share := Share(rapid.Float64Range(0, 0.9).Draw(t, "read share"))
	return Input{
		Size: unit.Size(rapid.IntRange(1, 8000).Draw(t, "GiB")) * unit.GiB, TPS: rapid.Float64Range(10, 20000).Draw(t, "tps"), ReadShare: &share,
		Growth: unit.Size(rapid.IntRange(0, 100).Draw(t, "growth")) * unit.GiB, Months: rapid.IntRange(1, 24).Draw(t, "months"),
		Instance: rapid.SampledFrom([]string{"", "m6i.2xlarge", "i3en.2xlarge", "i4i.8xlarge", "r6i.16xlarge"}).Draw(t, "instance"),
		Standby:  rapid.SampledFrom(standbys).Draw(t, "standby"),
	}
})

// TestMoreIsNotCheaper: a larger database does not cost less, if both can be had.
func TestMoreIsNotCheaper(t *testing.T) {
	choice := today(t)
	rapid.Check(t, func(t *rapid.T) {
		small := someInput.Draw(t, "input")
		large := small
		large.Size += unit.Size(rapid.IntRange(1, 4000).Draw(t, "more")) * unit.GiB
		a, err := Find(small, choice)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Find(large, choice)
		if err != nil {
			t.Fatal(err)
		}
		if !a.Meets() && b.Meets() {
			t.Fatalf("%s cannot be had (%v), %s can", small.Size, a.Plan.Violations, large.Size)
		}
		if x, y := a.Plan.After.Dollars.USD, b.Plan.After.Dollars.USD; b.Meets() && y < x-1e-6 {
			t.Fatalf("%s costs $%.2f, %s $%.2f", small.Size, x, large.Size, y)
		}
	})
}

// TestWhatMeetsTheGoalDoes: the same layout, computed again with each object where it is, exceeds
// nothing; all that is on a volume fits; and the price is the sum of the disks.
func TestWhatMeetsTheGoalDoes(t *testing.T) {
	choice := today(t)
	rapid.Check(t, func(t *rapid.T) {
		in := someInput.Draw(t, "input")
		l, err := Find(in, choice)
		if err != nil {
			t.Fatal(err)
		}
		f, err := newFinder(in, choice)
		if err != nil {
			t.Fatal(err)
		}
		where := map[string]string{}
		for _, o := range l.Plan.Objects {
			where[o.Name] = o.To
		}
		again, err := f.plan(where)
		if err != nil {
			t.Fatal(err)
		}
		if l.Meets() != (len(again.Violations) == 0) {
			t.Fatalf("it meets the goal: %v; again %v", l.Meets(), again.Violations)
		}
		sum := 0.0
		for _, d := range l.Disks {
			sum += d.Dollars.USD
			if l.Meets() && d.Filled > 0.8+1e-6 {
				t.Fatalf("%s is filled to %.0f%%", d.Name, 100*d.Filled)
			}
		}
		if math.Abs(sum-again.After.Dollars.USD) > 1e-6 {
			t.Fatalf("the disks cost $%.2f, the layout $%.2f", sum, again.After.Dollars.USD)
		}
		for i, d := range l.Disks {
			parts := unit.Size(0)
			for _, v := range l.Volumes {
				if v.disk == i {
					parts += v.Size
				}
			}
			if l.Meets() && parts > d.Size {
				t.Fatalf("the volumes of %s have %s of %s", d.Name, parts, d.Size)
			}
		}
	})
}
