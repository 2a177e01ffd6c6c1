package record_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/record"
)

func lost(s record.Injection) float64 { return float64(s.Lost()) }

func TestDurability(t *testing.T) {
	d := record.Durability{Injections: []record.Injection{
		{Acknowledged: 100, Found: 90}, {Acknowledged: 50, Found: 50}, {}, {Acknowledged: 60, Found: 20, Broke: "it burns"},
	}}
	if d.Acknowledged() != 210 || d.Lost() != 50 || d.Lossy() != 2 || d.Telling() != 3 || d.Broke() != "it burns" {
		t.Errorf("%d, %d, %d, %d, %s", d.Acknowledged(), d.Lost(), d.Lossy(), d.Telling(), d.Broke())
	}
	if d.Worst(lost) != 40 || d.Median(lost) != 10 {
		t.Errorf("worst %v, median %v", d.Worst(lost), d.Median(lost))
	}
	if none := (record.Durability{}); none.Worst(lost) != 0 || none.Median(lost) != 0 || none.Bound() != 1 || none.Broke() != "" {
		t.Errorf("of nothing: %+v", none)
	}
}

// TestAnswered: a server that has not come back has answered after no time.
func TestAnswered(t *testing.T) {
	d := record.Durability{Injections: []record.Injection{{Acknowledged: 10, Found: 10, Took: 2}, {Acknowledged: 10, Took: 60, Broke: "it does not start"}}}
	if d.Answered() != 2 || (record.Durability{Injections: d.Injections[1:]}).Answered() != 0 {
		t.Errorf("%v", d.Answered())
	}
	if d.Injections[1].Found = 4; d.Answered() != 31 { // it broke afterwards
		t.Errorf("%v", d.Answered())
	}
}

// TestBound checks the exact rule of three: 20 faults without a loss give 13.9 %.
func TestBound(t *testing.T) {
	for n, want := range map[int]float64{1: 0.95, 3: 0.6316, 20: 0.1391, 100: 0.0295} {
		var d record.Durability
		for range n {
			d.Injections = append(d.Injections, record.Injection{Acknowledged: 1, Found: 1})
		}
		if got := d.Bound(); math.Abs(got-want) > 0.0001 {
			t.Errorf("%d: %v", n, got)
		}
		if d.Injections[0].Found = 0; d.Bound() != 1 {
			t.Errorf("%d, with a loss: %v", n, d.Bound())
		}
	}
}

// TestDurabilityHoldsTogether checks the invariants for arbitrary faults.
func TestDurabilityHoldsTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		faults := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) record.Injection {
			s := record.Injection{Acknowledged: rapid.Int64Range(0, 1000).Draw(t, "acknowledged")}
			s.Found = rapid.Int64Range(0, s.Acknowledged).Draw(t, "found")
			return s
		}), 0, 30).Draw(t, "faults")
		d := record.Durability{Injections: faults}
		worst, median, n := d.Worst(lost), d.Median(lost), float64(d.Telling())
		switch {
		case median > worst || worst > float64(d.Lost()) || float64(d.Lost()) > n*worst || d.Lost() > d.Acknowledged():
			t.Fatalf("worst %v, median %v, lost %d of %d", worst, median, d.Lost(), d.Acknowledged())
		case (d.Lossy() == 0) != (d.Lost() == 0) || d.Lossy() > d.Telling():
			t.Fatalf("%d of %d faults lost %d", d.Lossy(), d.Telling(), d.Lost())
		case d.Bound() <= 0 || d.Bound() > 1 || n > 0 && d.Lost() == 0 && d.Bound() > 3/n:
			t.Fatalf("bound %v of %v", d.Bound(), n)
		}
	})
}
