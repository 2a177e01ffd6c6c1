package placement

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-3*max(math.Abs(a), math.Abs(b)) }

// TestWritesByHand: a checkpoint each 100 s, relations of 100 blocks with 5,000 rows.
func TestWritesByHand(t *testing.T) {
	e := 1 - math.Exp(-1) // of 100 blocks, 100 random changes reach 63.2
	for name, test := range map[string]struct {
		pages     pages
		low, high float64
	}{
		"inserts":            {pages{100, 5000, false, Changes{Inserted: 1}, 0}, 0.02, e},
		"inserts in index":   {pages{100, 5000, true, Changes{Inserted: 1}, 0}, 0.02, e},
		"HOT":                {pages{100, 5000, false, Changes{Updated: 1, HotUpdated: 1}, 0}, 0.02, e},
		"HOT in index":       {pages{100, 5000, true, Changes{Updated: 1, HotUpdated: 1}, 0}, 0, 0},
		"not HOT":            {pages{100, 5000, false, Changes{Updated: 0.5}, 0}, 0.02, e},
		"not HOT in index":   {pages{100, 5000, true, Changes{Updated: 1}, 0}, 0.02, e},
		"deletes":            {pages{100, 5000, false, Changes{Deleted: 1}, 0}, 0.02, e},
		"deletes in index":   {pages{100, 5000, true, Changes{Deleted: 1}, 0}, 0, 0},
		"never analyzed":     {pages{100, -1, false, Changes{Inserted: 1}, 0}, 0.02, e},
		"all blocks changed": {pages{100, 100, false, Changes{Inserted: 1000}, 0}, 1, 1},
		"growth":             {pages{100, 5000, false, Changes{Inserted: 1}, 3}, 3, 3},
		"empty":              {pages{0, 0, false, Changes{}, 0}, 0, 0},
	} {
		if low, high := test.pages.writes(100); !near(low, test.low) || !near(high, test.high) {
			t.Errorf("%s: got %.4f to %.4f, want %.4f to %.4f", name, low, high, test.low, test.high)
		}
	}
}

// TestScaleByHand: ranges of 1 to 4 and 10 to 40; the middle of the way is at the geometric mean.
func TestScaleByHand(t *testing.T) {
	for counted, want := range map[float64][2]float64{-1: {2, 20}, 22: {2, 20}, 5.5: {0.5, 5}, 44: {4, 40}, 100: {4, 40}, 11: {1, 10}} {
		a, b := Range{Low: 1, High: 4}, Range{Low: 10, High: 40}
		e := scale([]*Range{&a, &b}, counted)
		if !near(a.Likely, want[0]) || !near(b.Likely, want[1]) || e.Note == "" {
			t.Errorf("%v counted: %+v and %+v, want %v", counted, a, b, want)
		}
	}
}

// TestScaleAddsUp checks that the likely values add up to what was counted wherever that is
// possible, and are within their ranges.
func TestScaleAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		ranges := make([]*Range, n)
		least, most := 0.0, 0.0
		for i := range ranges {
			low := rapid.Float64Range(0, 100).Draw(t, "low")
			ranges[i] = &Range{Low: low, High: low + rapid.Float64Range(0, 1000).Draw(t, "more")}
			least, most = least+ranges[i].Low, most+ranges[i].High
		}
		counted := rapid.Float64Range(0, 1.5*most+1).Draw(t, "counted")
		e := scale(ranges, counted)
		for _, r := range ranges {
			if r.Likely < r.Low*(1-1e-9) || r.Likely > r.High*(1+1e-9) {
				t.Fatalf("%+v is not in its range", *r)
			}
		}
		if want := min(counted, most); math.Abs(e.Sum.Likely-want) > 1e-6*(1+want) {
			t.Fatalf("they add up to %v, counted are %v, at most %v", e.Sum.Likely, counted, most)
		}
	})
}

// TestUsesByHand: an index of 100 blocks has two levels, one of 1,000 has three.
func TestUsesByHand(t *testing.T) {
	for name, test := range map[string]struct {
		pages            pages
		requests, scans  float64
		queried, changed float64
	}{
		"table":             {pages{changes: Changes{Inserted: 100, Updated: 10, Deleted: 5}}, 200, 0, 85, 115},
		"inserts in blocks": {pages{changes: Changes{Inserted: 100}}, 3, 0, 0, 100},
		"index":             {pages{index: true, blocks: 100, changes: Changes{Inserted: 100, Updated: 10, HotUpdated: 4}}, 312, 40, 100, 106},
		"appends":           {pages{index: true, blocks: 1000, changes: Changes{Inserted: 100}}, 130, 10, 30, 100},
		"scans of a leaf":   {pages{index: true, blocks: 1000}, 5, 10, 5, 0},
	} {
		if queried, changed := test.pages.uses(test.requests, test.scans); !near(queried, test.queried) || !near(changed, test.changed) {
			t.Errorf("%s: got %v queried and %v changed, want %v and %v", name, queried, changed, test.queried, test.changed)
		}
	}
}
