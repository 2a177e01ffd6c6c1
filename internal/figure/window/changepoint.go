package window

import (
	"container/heap"
	"math"
	"slices"
)

const (
	// FewestForDrop is the fewest seconds in which a drop is looked for.
	FewestForDrop = 8

	// mostAside is the fewest seconds on either side of a drop where the window has
	// them to spare: a stall of two seconds at its end is no cliff.
	mostAside = 5

	// byChance is the likelihood ratio, as n ln(of one median / of two), above which
	// two medians are more than chance. The best of many splits always fits better
	// than none: of 3,000 windows of 8 to 600 seconds that had one mean, with normal
	// or with heavy tails (Laplace), 1 in 100 came to 6 to 9.
	byChance = 8

	// rounding holds what adding up leaves of the deviations of values that are all the
	// same, as a share of the values.
	rounding = 1e-12
)

// ChangePoint is the number of values before the change: where values fall from one
// median to another that together leave the least absolute deviations. It is 0 where
// two medians do not fit better than one by more than chance.
//
// Least squares would need less code, but follow a slow start or a stall, and miss the
// cliff behind it. Splits after which values are higher do not count.
func ChangePoint(values []float64) int {
	n := len(values)
	backwards := slices.Clone(values)
	slices.Reverse(backwards)
	before, after := beginnings(values), beginnings(backwards)
	all := before[n-1].deviations
	best, least := 0, all
	aside := min(mostAside, n/2-1)
	for k := aside; k <= n-aside; k++ {
		a, b := before[k-1], after[n-k-1]
		if left := a.deviations + b.deviations; a.median > b.median && left < least {
			best, least = k, left
		}
	}
	magnitude := 0.0
	for _, v := range values {
		magnitude += math.Abs(v)
	}
	if all <= rounding*magnitude || least > 0 && float64(n)*math.Log(all/least) <= byChance {
		return 0
	}
	return best
}

// spread is the median of values, and their absolute deviations from it in sum.
type spread struct{ median, deviations float64 }

// beginnings are the spreads of the first value, the first two, and so on.
func beginnings(values []float64) []spread {
	var h halves
	spreads := make([]spread, len(values))
	for i, v := range values {
		h.add(v)
		spreads[i] = h.spread()
	}
	return spreads
}

// Median returns the median of values, of which there is at least one.
func Median(values []float64) float64 { return beginnings(values)[len(values)-1].median }

// halves are numbers in two halves, so that their median is at hand while more come.
// The low half has as many as the high one, or one more.
type halves struct {
	low, high       numbers // of the low half the negatives: the greatest is its top
	sumLow, sumHigh float64
}

func (h *halves) add(v float64) {
	// By way of the low half the greatest of it comes into the high one.
	heap.Push(&h.low, -v)
	greatest := -heap.Pop(&h.low).(float64)
	heap.Push(&h.high, greatest)
	h.sumLow, h.sumHigh = h.sumLow+v-greatest, h.sumHigh+greatest
	if len(h.high) > len(h.low) {
		v := heap.Pop(&h.high).(float64)
		heap.Push(&h.low, -v)
		h.sumHigh, h.sumLow = h.sumHigh-v, h.sumLow+v
	}
}

// spread is that of the numbers so far; there is at least one.
func (h *halves) spread() spread {
	middle := -h.low[0]
	below := middle*float64(len(h.low)) - h.sumLow
	above := h.sumHigh - middle*float64(len(h.high))
	if len(h.low) == len(h.high) {
		middle = middle/2 + h.high[0]/2 // the deviations are the same from all between the two
	}
	return spread{middle, max(0, below) + max(0, above)}
}

// numbers is a heap with the least on top (container/heap).
type numbers []float64

func (n numbers) Len() int           { return len(n) }
func (n numbers) Less(i, j int) bool { return n[i] < n[j] }
func (n numbers) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }

// Push is for package heap.
func (n *numbers) Push(v any) { *n = append(*n, v.(float64)) }

// Pop is for package heap.
func (n *numbers) Pop() any {
	last := (*n)[len(*n)-1]
	*n = (*n)[:len(*n)-1]
	return last
}
