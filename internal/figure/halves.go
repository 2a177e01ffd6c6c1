package figure

import "container/heap"

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
