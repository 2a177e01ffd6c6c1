package figure

import "math"

// timed is operations of one kind: the column of their mean time in a second, and
// that of how many there were.
type timed struct{ latency, rate string }

// operations are the seconds in which there were any, with their time, or why too
// few are known. A second without operations has no latency, and that is no gap.
func (w *window) operations(t timed) (rows []int, why string) {
	known := 0
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
	return rows, w.tooFew(known, []string{t.rate, t.latency})
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
