package capture

import (
	"math"
	"slices"

	"plinth/internal/record"
)

// Column returns the values of a column, or nil.
func (s *Series) Column(name string) []float64 {
	for _, column := range s.Columns {
		if column.Name == name {
			return column.Values
		}
	}
	return nil
}

// Rate replaces the readings of a counter by its increase per second, times factor, under another name.
// The first row has none, nor has one in which the counter went back, because the statistics were reset.
func (s *Series) Rate(counter, name string, factor float64) {
	s.replace(counter, name, func(values []float64) []float64 {
		steps := s.steps()
		rates := increases(values)
		for i := range rates {
			rates[i] *= factor / steps[i]
		}
		return rates
	})
}

// Ratio adds a column with the increase of one counter divided by that of another, times factor.
func (s *Series) Ratio(over, under, name string, factor float64) {
	above, below := s.Column(over), s.Column(under)
	if above == nil || below == nil {
		return
	}
	ratios := increases(above)
	for i, increase := range increases(below) {
		ratios[i] *= factor / increase
		if increase == 0 {
			ratios[i] = math.NaN()
		}
	}
	s.Columns = append(s.Columns, record.Column{Name: name, Values: ratios})
}

// Drop drops a column.
func (s *Series) Drop(name string) {
	s.Columns = slices.DeleteFunc(s.Columns, func(c record.Column) bool { return c.Name == name })
}

func (s *Series) replace(old, name string, change func([]float64) []float64) {
	for i, column := range s.Columns {
		if column.Name == old {
			s.Columns[i] = record.Column{Name: name, Values: change(column.Values)}
			return
		}
	}
}

func increases(values []float64) []float64 {
	all := make([]float64, len(values))
	for i := range values {
		all[i] = math.NaN()
		if i > 0 && values[i] >= values[i-1] {
			all[i] = values[i] - values[i-1]
		}
	}
	return all
}

// steps returns how many seconds passed before each row, NaN if that is unknown.
//
// Times in whole seconds are uncertain by a second, as much as a usual interval. If the rows are as
// regular as such times can show, all steps are the mean.
func (s *Series) steps() []float64 {
	steps := make([]float64, len(s.Columns[0].Values))
	for i := range steps {
		steps[i] = math.NaN()
	}
	n := len(s.Times)
	if n < 2 {
		return steps
	}
	for i := 1; i < n; i++ {
		if step := s.Times[i].Time.Sub(s.Times[i-1].Time).Seconds(); step > 0 && s.Times[i].Clock == s.Times[i-1].Clock {
			steps[i] = step
		}
	}
	mean := s.Times[n-1].Time.Sub(s.Times[0].Time).Seconds() / float64(n-1)
	switch {
	case !s.inSeconds() || mean <= 0:
	case n == 2 && mean < 2:
		steps[1] = math.NaN()
	case n > 2 && s.isRegular(mean):
		for i := 1; i < n; i++ {
			steps[i] = mean
		}
	}
	return steps
}

// inSeconds reports whether no time has a fraction of a second.
func (s *Series) inSeconds() bool {
	for _, at := range s.Times {
		if at.Time.Nanosecond() != 0 {
			return false
		}
	}
	return true
}

// isRegular reports whether no step differs from the mean by more than a second.
func (s *Series) isRegular(mean float64) bool {
	for i := 1; i < len(s.Times); i++ {
		if math.Abs(s.Times[i].Time.Sub(s.Times[i-1].Time).Seconds()-mean) > 1 {
			return false
		}
	}
	return true
}
