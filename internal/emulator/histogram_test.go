package emulator

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBucketsAreNarrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(2*time.Hour)).Draw(t, "d"))
		bound := upperBound(bucketOf(d))
		if bound <= d || bound > d+d/16+histogramUnit {
			t.Errorf("%v is counted below %v", d, bound)
		}
	})
	if last := bucketOf(math.MaxInt64); last != histogramBuckets-1 {
		t.Errorf("the longest time of all is in bucket %d", last)
	}
	if bucketOf(-time.Second) != 0 {
		t.Error("what is early is not in the first bucket")
	}
}

func TestLateness(t *testing.T) {
	h := newHistogram()
	h.add(time.Second) // before the first reading: not counted
	before := Reading{Late: h.copied()}
	for range 99 {
		h.add(10 * time.Microsecond)
	}
	h.add(5 * time.Millisecond)
	late := Late(before, Reading{Late: h.copied()})
	if late.Answered != 100 || late.Mean != (99*10*time.Microsecond+5*time.Millisecond)/100 {
		t.Errorf("%+v", late)
	}
	if late.P99 < 10*time.Microsecond || late.P99 > 11*time.Microsecond {
		t.Errorf("p99 is %v", late.P99)
	}
	if late.Max < 5*time.Millisecond || late.Max > 5400*time.Microsecond {
		t.Errorf("the most is %v", late.Max)
	}
	if none := Late(before, before); none != (Lateness{}) {
		t.Errorf("between a reading and itself: %+v", none)
	}
}

func TestReadingsTravel(t *testing.T) {
	h := newHistogram()
	h.add(time.Millisecond)
	for _, balance := range []float64{math.NaN(), 0, 0.5, 1} {
		r := Reading{Reads: 3, InFlight: 2, Queue: 1.5, Late: h.copied(), IOPSBalance: balance, ThroughputBalance: 0.25}
		text, err := json.Marshal(r.wire())
		if err != nil {
			t.Fatal(err)
		}
		var w wireReading
		if err := json.Unmarshal(text, &w); err != nil {
			t.Fatal(err)
		}
		got := w.reading()
		if math.Float64bits(got.IOPSBalance) != math.Float64bits(balance) && !(math.IsNaN(balance) && math.IsNaN(got.IOPSBalance)) {
			t.Errorf("a balance of %v came as %v", balance, got.IOPSBalance)
		}
		if got.Reads != 3 || got.InFlight != 2 || got.Queue != 1.5 || got.ThroughputBalance != 0.25 || Late(Reading{}, got).Answered != 1 {
			t.Errorf("%s came as %+v", text, got)
		}
	}
}
