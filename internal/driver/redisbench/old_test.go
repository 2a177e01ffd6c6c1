package redisbench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// oldReport prints latencies in microseconds as version 6.0 does (showLatencyReport in
// redis-benchmark.c of 6.0, with --precision 3). No registry has that program.
func oldReport(rps float64, latencies []int) string {
	slices.Sort(latencies)
	var b strings.Builder
	fmt.Fprintf(&b, "====== SET ======\n  %d requests completed in %.2f seconds\n  multi-thread: no\n\n",
		len(latencies), float64(len(latencies))/rps)
	bucket, unit, precision := 0, 1, 3
	for i, l := range latencies {
		if l/unit == bucket && i != len(latencies)-1 {
			continue
		}
		if l >= 2000 {
			unit, precision = 1000, 0
		}
		bucket = l / unit
		fmt.Fprintf(&b, "%.2f%% <= %.*f milliseconds\n", float64(i+1)*100/float64(len(latencies)),
			precision, float64(bucket)/math.Pow(10, float64(precision)))
	}
	fmt.Fprintf(&b, "%.2f requests per second\n\n", rps)
	return b.String()
}

// TestOldReports checks that the form of 6.0 is read with its full precision: shares to
// 0.01 %, latencies to 1 µs and, from 2 ms on, to 1 ms.
func TestOldReports(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		latencies := rapid.SliceOfN(rapid.IntRange(20, 6000), 2, 800).Draw(t, "latencies")
		var text []string
		for line := range strings.Lines(oldReport(5000, latencies)) {
			text = append(text, strings.TrimSpace(line))
		}
		r, err := parseReport(text, int64(len(latencies)))
		if err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(text, "\n"))
		}
		if r.detailed || r.histogram.TotalCount() != int64(len(latencies)) {
			t.Fatalf("it counts %d of %d", r.histogram.TotalCount(), len(latencies))
		}
		want := 0.0
		for _, l := range latencies {
			want += float64(l) / float64(len(latencies))
		}
		if got := r.histogram.Mean() / 1e3; math.Abs(got-want) > 510+want*0.01 {
			t.Fatalf("the mean is %g µs, want %g", got, want)
		}
		for _, percentile := range []float64{50, 99} {
			at := latencies[min(len(latencies)-1, int(math.Ceil(percentile/100*float64(len(latencies)))))-0]
			got := float64(r.histogram.ValueAtPercentile(percentile)) / 1e3
			low := latencies[max(0, int(percentile/100*float64(len(latencies)))-2)]
			if got < float64(low)-1001 || got > float64(at)+1001 {
				t.Fatalf("percentile %g is %g µs, want %d to %d", percentile, got, low, at)
			}
		}
	})
}

// TestFewKnownLatencies checks that in short lists each latency below 2 ms is read exactly.
func TestFewKnownLatencies(t *testing.T) {
	latencies := []int{50, 50, 50, 60, 70, 70, 1999, 1999}
	var text []string
	for line := range strings.Lines(oldReport(1000, latencies)) {
		text = append(text, strings.TrimSpace(line))
	}
	r, err := parseReport(text, 8)
	if err != nil {
		t.Fatal(err)
	}
	for micros, want := range map[int64]int64{50: 3, 60: 1, 70: 2, 1999: 2} {
		got := int64(0)
		for _, b := range r.histogram.Distribution() {
			if b.To >= micros*1000 && b.From < (micros+1)*1000 {
				got += b.Count
			}
		}
		if got != want {
			t.Errorf("%d µs: %d, want %d", micros, got, want)
		}
	}
}
