package load

import (
	"math"
	"strings"
	"testing"

	"plinth/internal/report/reporttest"
	"plinth/internal/report/show"
)

// TestMeanOver checks that few blocks have their range, and more an interval around the
// geometric mean.
func TestMeanOver(t *testing.T) {
	for _, c := range []struct {
		values          []float64
		mean, low, high float64
	}{
		{[]float64{4}, 4, 4, 4},
		{[]float64{1, 2, 6}, 3, 1, 6},
		{[]float64{0, 1, 1, 1, 1, 2}, 1, 0, 2},
		{[]float64{10, 10, 10, 1000, 1000, 1000}, 100, 7.086, 1411.2},
	} {
		mean, low, high := meanOver(c.values)
		for got, want := range map[float64]float64{mean: c.mean, low: c.low, high: c.high} {
			if math.Abs(got-want) > 0.001*want {
				t.Errorf("of %v: %v, want %v", c.values, got, want)
			}
		}
	}
}

// TestCurves checks that each load of a published record has its row, over all thread counts
// and with each of them.
func TestCurves(t *testing.T) {
	rec := reporttest.Published(t)
	numbers, err := show.Gather(rec, 0, true)
	if err != nil {
		t.Fatal(err)
	}
	cs := Curves{numbers, rec, nil}
	text := cs.Throughput().HTML()
	for _, want := range []string{"1,677", "61.61", "threads=all", "threads=8", "Only the cells with 8 threads.", "the minimum and maximum of the blocks"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if text := cs.Latency().Markdown(); !strings.Contains(text, "Latency at 100 clients, 8 threads") || strings.Contains(text, "Latency at 10 clients") {
		t.Errorf("the busiest load is not the one that is shown:\n%s", text)
	}
	for i := range rec.Runs {
		rec.Runs[i].Clients, rec.Runs[i].Rate = 8, float64(100+i%3)
	}
	if got := (Curves{Numbers: &show.Numbers{Counted: rec.Runs}}).axis().title; !strings.HasPrefix(got, "rate, ") {
		t.Errorf("of three rates the axis is %s", got)
	}
}
