package watch

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// epoch is when the wall clock of a fake watch begins.
var epoch = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// watched is a stopped watch with readings at these seconds; the wall clock is
// set forward by steps[i] seconds right before reading i.
func watched(at []float64, steps map[int]float64) *Watch {
	w := &Watch{clock: clocks{began: time.Now()}}
	step := 0.0
	for i, s := range at {
		step += steps[i]
		w.readings = append(w.readings, reading{at: seconds(s), wall: epoch.Add(seconds(s + step))})
	}
	return w
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func TestBetween(t *testing.T) {
	every := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for name, c := range map[string]struct {
		at         []float64
		steps      map[int]float64
		begin, end float64 // of the wall clock, seconds after start
		covered    float64 // -1 for an error
	}{
		"the readings inside":        {every, nil, 1.5, 8.5, 6},
		"on the readings themselves": {every, nil, 2, 8, 6},
		"shorter than the pace":      {every, nil, 2.2, 2.8, 1},
		"one reading inside":         {every, nil, 2.5, 3.5, 2},
		"exactly one reading":        {every, nil, 3, 3, -1},
		"begins at the only one":     {every, nil, 3, 3.5, 1},
		"ends at the only one":       {every, nil, 2.5, 3, 1},
		"more than was read":         {every, nil, -5, 50, 10},
		"before all":                 {every, nil, -5, -1, -1},
		"after all":                  {every, nil, 11, 12, -1},
		"just before the end":        {every, nil, 9.5, 12, 1},
		"just after the beginning":   {every, nil, -1, 0.5, 1},
		"the wrong way round":        {every, nil, 8, 2, -1},
		"that within one pace":       {every, nil, 2.8, 2.2, -1},
		"one reading":                {[]float64{0}, nil, 0, 1, -1},
		"no reading":                 {nil, nil, 0, 1, -1},

		"the clock set forward before":        {every, map[int]float64{1: 100}, 102, 108, 6},
		"the clock set forward inside":        {every, map[int]float64{5: 100}, 2, 108, 6},
		"a time that the clock passed over":   {every, map[int]float64{5: 100}, 50, 108, 3},
		"the clock set back inside":           {every, map[int]float64{5: -3}, 1, 6.5, 8},
		"the clock set back: the first time":  {every, map[int]float64{5: -3}, 1, 4, 3},
		"the clock set back by a long time":   {every, map[int]float64{5: -100}, 1, -91, 8},
		"all before the clock was set back":   {every, map[int]float64{9: -100}, 1, 7, 6},
		"the clock set forward after the end": {every, map[int]float64{9: 100}, 1, 7, 6},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := watched(c.at, c.steps).Between(epoch.Add(seconds(c.begin)), epoch.Add(seconds(c.end)))
			if (err != nil) != (c.covered < 0) || err == nil && u.Covered != seconds(c.covered) {
				t.Errorf("covered %v, %v; want %v s", u.Covered, err, c.covered)
			}
		})
	}
}

// Times that were taken in this process hold whatever happens to the wall clock.
func TestBetweenMonotonic(t *testing.T) {
	w := watched([]float64{0, 1, 2, 3, 4}, map[int]float64{2: -1e6})
	u, err := w.Between(w.clock.began.Add(seconds(0.5)), w.clock.began.Add(seconds(4.5)))
	if err != nil || u.Covered != 3*time.Second {
		t.Errorf("covered %v, %v", u.Covered, err)
	}
}

// With a clock that nobody sets, a window is never larger than it must be.
func TestBetweenProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, now := []float64{}, 0.0
		for range rapid.IntRange(0, 20).Draw(t, "readings") {
			at = append(at, now)
			now += rapid.Float64Range(0.001, 3).Draw(t, "pause")
		}
		begin := rapid.Float64Range(-5, 40).Draw(t, "begin")
		end := begin + rapid.Float64Range(0, 40).Draw(t, "length")
		u, err := watched(at, nil).Between(epoch.Add(seconds(begin)), epoch.Add(seconds(end)))
		if err != nil {
			return
		}
		inside := 0
		for _, s := range at {
			if seconds(s) >= seconds(begin) && seconds(s) <= seconds(end) {
				inside++
			}
		}
		length := seconds(end) - seconds(begin)
		if u.Covered <= 0 || inside >= 2 && u.Covered > length || inside < 2 && u.Covered > length+6*time.Second {
			t.Fatalf("%v covered of %v with %d inside", u.Covered, length, inside)
		}
	})
}
