//go:build linux

package redisbench

import (
	"math"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// TestWatch has a line of progress each 250 ms for 2.6 s: 1000 requests in each of the
// first two seconds, 1200 in the rest.
func TestWatch(t *testing.T) {
	var shown []record.Point
	var begun []time.Time
	w := newWatch(driver.Job{
		Experiment: &experiment.Experiment{Transactions: 3200},
		Live:       func(p record.Point) { shown = append(shown, p) },
		Begun:      func(at time.Time) { begun = append(begun, at) },
	})
	start := time.Now()
	w.tick(start.Add(firstTick), tick{overall: 0, mean: math.NaN()})
	for at := 0.25; at < 2.6; at += 0.25 {
		done := 1000 * at
		if at > 2 {
			done += 1000 * (at - 2)
		}
		w.tick(start.Add(time.Duration(at*float64(time.Second))), tick{overall: done / at, mean: 0.001})
	}
	if len(begun) != 1 || !begun[0].Equal(start) || !w.begun.Equal(start) {
		t.Errorf("begun at %v, want %s", begun, start)
	}
	if len(shown) != 2 || shown[1].Second != 2 || math.Abs(shown[1].TPS-1000) > 1 || math.Abs(shown[1].LatencyMS-1) > 1e-3 {
		t.Errorf("shown were %+v", shown)
	}
	points := w.progress.points(2.6, &report{requests: 3200, mean: 0.001, detailed: true})
	seconds, tps := points.Columns[0].Values, points.Columns[1].Values
	if len(seconds) != 2 || math.Abs(tps[0]-1000) > 1 || math.Abs(tps[1]-1000) > 1 {
		t.Errorf("points of the seconds %v: %v", seconds, tps)
	}
}
