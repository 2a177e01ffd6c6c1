package window

import (
	"math"
)

// Series is one value for some of the window's seconds, or why there are too few.
type Series struct {
	Seconds, Values []float64
	Why             string
}

// Of returns the sums of columns, over the seconds in which all of them are known.
func (w *Window) Of(columns ...string) Series {
	rows, why := w.Known(columns...)
	s := Series{Why: why}
	for _, i := range rows {
		s.Seconds = append(s.Seconds, w.Seconds[i])
		s.Values = append(s.Values, w.Sum(columns, i))
	}
	return s
}

// Mean returns the mean over the seconds that are known.
func (s Series) Mean() Number {
	if s.Why != "" {
		return Number{Why: s.Why}
	}
	return Number{Value: Total(s.Values) / float64(len(s.Values))}
}

// Most returns the greatest value, and the first second that has it.
func (s Series) Most() (value, second Number) {
	return s.first(func(a, b float64) bool { return a > b })
}

// Least returns the smallest value, and the first second that has it.
func (s Series) Least() (value, second Number) {
	return s.first(func(a, b float64) bool { return a < b })
}

// first is the value that comes before all others, and its second.
func (s Series) first(before func(a, b float64) bool) (value, second Number) {
	if s.Why != "" {
		return Number{Why: s.Why}, Number{Why: s.Why}
	}
	best := 0
	for i, v := range s.Values {
		if before(v, s.Values[best]) {
			best = i
		}
	}
	return Number{Value: s.Values[best]}, Number{Value: s.Seconds[best]}
}

// Share returns the sum of some columns over that of others, over all seconds in which
// all of them are known: never a mean of means.
func (w *Window) Share(of, all []string) Number {
	rows, why := w.Known(append(append([]string{}, of...), all...)...)
	if why != "" {
		return Number{Why: why}
	}
	part, whole := 0.0, 0.0
	for _, i := range rows {
		part += w.Sum(of, i)
		whole += w.Sum(all, i)
	}
	if whole == 0 {
		return Number{Why: Nothing(all)}
	}
	return Number{Value: part / whole}
}

// Nothing returns why there is nothing to divide by.
func Nothing(columns []string) string {
	if len(columns) == 1 {
		return columns[0] + " was 0 in the whole window"
	}
	return columns[0] + " and similar columns were 0 in the whole window"
}

// Total returns the sum of values.
func Total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// Timed names the columns of operations of one kind: the column of their mean time in a second, and
// that of how many there were.
type Timed struct{ Latency, Rate string }

// operations are the seconds in which there were any, with their time, or why too
// few are known. A second without operations has no latency, and that is no gap.
func (w *Window) operations(t Timed) (rows []int, why string) {
	rows, known := w.ended(t)
	return rows, w.TooFew(known, []string{t.Rate, t.Latency})
}

// ended are the seconds in which there were operations, with their time, and how many
// seconds are known.
func (w *Window) ended(t Timed) (rows []int, known int) {
	for i := range w.Seconds {
		rate, latency := w.At(t.Rate, i), w.At(t.Latency, i)
		switch {
		case math.IsNaN(rate) || rate != 0 && math.IsNaN(latency):
			continue
		case rate != 0:
			rows = append(rows, i)
		}
		known++
	}
	return rows, known
}

// Latency returns the mean over all operations of several kinds: their time over their
// number. A mean of the seconds' means would let a quiet second weigh as much as a
// busy one.
func (w *Window) Latency(kinds ...Timed) Number {
	time, count := 0.0, 0.0
	var rates []string
	for _, t := range kinds {
		rows, why := w.operations(t)
		if why != "" {
			return Number{Why: why}
		}
		for _, i := range rows {
			time += w.At(t.Latency, i) * w.At(t.Rate, i)
			count += w.At(t.Rate, i)
		}
		rates = append(rates, t.Rate)
	}
	if count == 0 {
		return Number{Why: Nothing(rates)}
	}
	return Number{Value: time / count}
}

// Worst returns the mean time in the second in which it was longest, and that second.
func (w *Window) Worst(t Timed) (value, second Number) {
	rows, why := w.operations(t)
	if why == "" && len(rows) == 0 {
		why = Nothing([]string{t.Rate})
	}
	s := Series{Why: why}
	for _, i := range rows {
		s.Seconds = append(s.Seconds, w.Seconds[i])
		s.Values = append(s.Values, w.At(t.Latency, i))
	}
	return s.Most()
}

// Spent returns the time of all operations in the window, in seconds. It takes every second: without
// one, the total would be too small.
func (w *Window) Spent(t Timed) Number {
	rows, known := w.ended(t)
	switch {
	case known == 0 || known < len(w.Seconds):
		return Number{Why: w.why(known, []string{t.Rate, t.Latency})}
	case len(rows) == 0:
		return Number{Why: Nothing([]string{t.Rate})}
	}
	time := 0.0
	for _, i := range rows {
		time += w.At(t.Latency, i) * w.At(t.Rate, i)
	}
	return Number{Value: time}
}
