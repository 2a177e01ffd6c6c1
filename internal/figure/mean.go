package figure

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
	return columns[0] + " and the like were 0 in the whole window"
}

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}
