package telemetry

import (
	"math"
	"slices"
)

// largest returns the values of a metric.Max: for each second the largest of the intervals between
// readings that belong to it. A reading without a value, because it failed, leaves the interval open
// until the next one, so that no maximum is lost; a value that is Unknown ends it.
func (c *cutter) largest(s *series) (values []float64, why []string) {
	values, why = make([]float64, len(c.seconds)), make([]string, len(c.seconds))
	for n := range values {
		values[n], why[n] = math.NaN(), c.unread(s, n)
	}
	last := -1
	for i := range c.at {
		value, unknown := s.at(i), s.unknown[i]
		if math.IsNaN(value) && unknown == "" {
			continue
		}
		for n := range c.shared(last, i) {
			switch {
			case unknown != "":
				values[n], why[n] = tooLarge, unknown
			case math.IsNaN(values[n]) || values[n] < value:
				values[n], why[n] = value, ""
			}
		}
		last = i
	}
	for n, v := range values {
		if v == none || v == tooLarge {
			values[n] = math.NaN()
		}
	}
	return values, why
}

// tooLarge stands for an unknown value, which may be the largest.
var tooLarge = math.Inf(+1)

// shared returns the seconds, by index, to which the interval between two readings belongs: those
// that contain at least half of it, and those of which it covers at least half. There is no interval
// before the first reading.
func (c *cutter) shared(from, to int) func(yield func(n int) bool) {
	return func(yield func(n int) bool) {
		if from < 0 {
			return
		}
		a, b := c.at[from], c.at[to]
		first, _ := slices.BinarySearch(c.seconds, a-1)
		for n := first; n < len(c.seconds) && c.seconds[n] < b; n++ {
			within := min(b, c.seconds[n]+1) - max(a, c.seconds[n])
			if within > 0 && 2*within >= min(1, b-a) && !yield(n) {
				return
			}
		}
	}
}

// unread returns why no interval belongs to a second.
func (c *cutter) unread(s *series, n int) string {
	if i := c.next[n]; i < len(c.at) && c.at[i] < c.seconds[n]+1+near && math.IsNaN(s.at(i)) {
		return c.unknown(s, i)
	}
	return notRead
}
