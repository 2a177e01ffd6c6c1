package page

import (
	"errors"
	"math"
)

const (
	// mostValues is the most values that a series ever has.
	mostValues = 100_000
	// farthest is the latest second that is believed: a file of points holds no more.
	farthest = 1_000_000
	// sparse is how many seconds there may be for each that was observed: a file that
	// goes beyond is no run.
	sparse = 100
)

// timeGrid divides the time of a run into steps of equal length, and knows which one
// each row of its points falls into.
type timeGrid struct {
	start, step float64
	steps       int
	of          []int // by row; -1 for a row without a second
}

// newTimeGrid makes a grid of at most so many steps (0: mostValues), each a whole
// number of seconds.
func newTimeGrid(seconds []float64, most int) (timeGrid, error) {
	first, last, rows := math.Inf(1), math.Inf(-1), 0
	for _, s := range seconds {
		if believed(s) {
			first, last, rows = min(first, math.Floor(s)), max(last, math.Floor(s)), rows+1
		}
	}
	if rows == 0 {
		return timeGrid{}, errors.New("there is no whole second in them")
	}
	span := last - first + 1
	if span > float64(sparse*rows) {
		return timeGrid{}, errors.New("their seconds are far apart: no run leaves such")
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

func believed(second float64) bool { return math.Abs(second) < farthest } // not so NaN

// thinned is a column with one value for each step of a grid; NaN where nothing is
// known of any of its seconds.
type thinned struct {
	mean, low, high []Number
}

// thin puts the values of rows into the steps of the grid. The least and the greatest
// of each step are kept, so that no stall and no spike is lost.
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
		// Never a sum: it may be beyond all numbers where its mean is not.
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
