package page

import (
	"errors"
	"math"
)

const (
	// mostValues is the maximum number of values of any series.
	mostValues = 100_000
	// farthest is the limit of plausible seconds: no file of points holds more.
	farthest = 1_000_000
	// sparse is the maximum ratio of the time span to the observed seconds: a file beyond it is
	// not from a run.
	sparse = 100
)

// timeGrid divides the time of a run into steps of equal length, and maps each row of its points
// to a step.
type timeGrid struct {
	start, step float64
	steps       int
	of          []int // by row; -1 for a row without a second
}

// newTimeGrid returns a grid of at most most steps (0 means mostValues), each a whole number of
// seconds.
func newTimeGrid(seconds []float64, most int) (timeGrid, error) {
	first, last, rows := math.Inf(1), math.Inf(-1), 0
	for _, s := range seconds {
		if believed(s) {
			first, last, rows = min(first, math.Floor(s)), max(last, math.Floor(s)), rows+1
		}
	}
	if rows == 0 {
		return timeGrid{}, errors.New("they contain no whole second")
	}
	span := last - first + 1
	if span > float64(sparse*rows) {
		return timeGrid{}, errors.New("their seconds are too far apart to come from a run")
	}
	g := timeGrid{start: first, step: math.Ceil(span / float64(atMost(most)))}
	g.steps = int(math.Ceil(span / g.step))
	for _, s := range seconds {
		at := -1
		if believed(s) {
			at = int((math.Floor(s) - first) / g.step)
		}
		g.of = append(g.of, at)
	}
	return g, nil
}

func atMost(n int) int {
	if n <= 0 || n > mostValues {
		return mostValues
	}
	return n
}

func believed(second float64) bool { return math.Abs(second) < farthest } // false for NaN

// thinned is a column with one value for each step of a grid; NaN if all of its seconds are
// unknown.
type thinned struct {
	mean, low, high []Number
}

// thin aggregates the values of rows by the steps of the grid. It keeps the minimum and maximum
// of each step, so that no stall or spike is lost.
func (g timeGrid) thin(values []float64) thinned {
	t := thinned{gaps(g.steps), gaps(g.steps), gaps(g.steps)}
	counts := make([]int, g.steps)
	for row, at := range g.of {
		if at < 0 || row >= len(values) || !isKnown(values[row]) {
			continue
		}
		v := Number(values[row])
		if counts[at]++; counts[at] == 1 {
			t.mean[at], t.low[at], t.high[at] = v, v, v
			continue
		}
		// A sum could overflow where the mean does not.
		t.mean[at] += (v - t.mean[at]) / Number(counts[at])
		t.low[at], t.high[at] = min(t.low[at], v), max(t.high[at], v)
	}
	return t
}

func gaps(n int) []Number {
	all := make([]Number, n)
	for i := range all {
		all[i] = Number(math.NaN())
	}
	return all
}

func isKnown(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
