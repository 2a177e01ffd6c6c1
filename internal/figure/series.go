package figure

import (
	"math"
)

// series is one value for some of the window's seconds, or why there are too few.
type series struct {
	seconds, values []float64
	why             string
}

// of makes a series of the sums of columns.
func (w *window) of(columns ...string) series {
	rows, why := w.known(columns...)
	s := series{why: why}
	for _, i := range rows {
		s.seconds = append(s.seconds, w.seconds[i])
		s.values = append(s.values, w.sum(columns, i))
	}
	return s
}

// mean is that of the seconds that are known.
func (s series) mean() number {
	if s.why != "" {
		return number{why: s.why}
	}
	return number{value: total(s.values) / float64(len(s.values))}
}

// most is the greatest value, and the first second that has it.
func (s series) most() (value, second number) {
	return s.first(func(a, b float64) bool { return a > b })
}

// least is the smallest value, and the first second that has it.
func (s series) least() (value, second number) {
	return s.first(func(a, b float64) bool { return a < b })
}

// first is the value that comes before all others, and its second.
func (s series) first(before func(a, b float64) bool) (value, second number) {
	if s.why != "" {
		return number{why: s.why}, number{why: s.why}
	}
	best := 0
	for i, v := range s.values {
		if before(v, s.values[best]) {
			best = i
		}
	}
	return number{value: s.values[best]}, number{value: s.seconds[best]}
}

// share is the sum of some columns over that of others, over all seconds in which
// all of them are known: never a mean of means.
func (w *window) share(of, all []string) number {
	rows, why := w.known(append(append([]string{}, of...), all...)...)
	if why != "" {
		return number{why: why}
	}
	part, whole := 0.0, 0.0
	for _, i := range rows {
		part += w.sum(of, i)
		whole += w.sum(all, i)
	}
	if whole == 0 {
		return number{why: nothing(all)}
	}
	return number{value: part / whole}
}

// nothing is why there is nothing to divide by.
func nothing(columns []string) string {
	if len(columns) == 1 {
		return columns[0] + " was 0 in the whole window"
	}
	return columns[0] + " and similar columns were 0 in the whole window"
}

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// timed is operations of one kind: the column of their mean time in a second, and
// that of how many there were.
type timed struct{ latency, rate string }

// operations are the seconds in which there were any, with their time, or why too
// few are known. A second without operations has no latency, and that is no gap.
func (w *window) operations(t timed) (rows []int, why string) {
	rows, known := w.ended(t)
	return rows, w.tooFew(known, []string{t.rate, t.latency})
}

// ended are the seconds in which there were operations, with their time, and how many
// seconds are known.
func (w *window) ended(t timed) (rows []int, known int) {
	for i := range w.seconds {
		rate, latency := w.at(t.rate, i), w.at(t.latency, i)
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

// latency is the mean over all operations of several kinds: their time over their
// number. A mean of the seconds' means would let a quiet second weigh as much as a
// busy one.
func (w *window) latency(kinds ...timed) number {
	time, count := 0.0, 0.0
	var rates []string
	for _, t := range kinds {
		rows, why := w.operations(t)
		if why != "" {
			return number{why: why}
		}
		for _, i := range rows {
			time += w.at(t.latency, i) * w.at(t.rate, i)
			count += w.at(t.rate, i)
		}
		rates = append(rates, t.rate)
	}
	if count == 0 {
		return number{why: nothing(rates)}
	}
	return number{value: time / count}
}

// worst is the mean time in the second in which it was longest, and that second.
func (w *window) worst(t timed) (value, second number) {
	rows, why := w.operations(t)
	if why == "" && len(rows) == 0 {
		why = nothing([]string{t.rate})
	}
	s := series{why: why}
	for _, i := range rows {
		s.seconds = append(s.seconds, w.seconds[i])
		s.values = append(s.values, w.at(t.latency, i))
	}
	return s.most()
}

// spent is the time of all operations in the window, in seconds. It takes every second: without
// one, the total would be too small.
func (w *window) spent(t timed) number {
	rows, known := w.ended(t)
	switch {
	case known == 0 || known < len(w.seconds):
		return number{why: w.why(known, []string{t.rate, t.latency})}
	case len(rows) == 0:
		return number{why: nothing([]string{t.rate})}
	}
	time := 0.0
	for _, i := range rows {
		time += w.at(t.latency, i) * w.at(t.rate, i)
	}
	return number{value: time}
}
