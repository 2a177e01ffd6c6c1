package probe

import (
	"math"
	"slices"

	"plinth/internal/stats"
)

// Figure is a number with what its slices say of how sure it is.
type Figure struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Level is 0.95, or 0 where there are too few slices for an interval: Low and High
	// are their range then.
	Level float64 `json:"level"`
}

// newFigure is the geometric mean of slices with its interval: what moves a disk
// moves it by a share. A slice without any makes it their range about the mean.
func newFigure(values []float64, seed uint64) Figure {
	if len(values) == 0 {
		return Figure{}
	}
	if slices.Min(values) <= 0 {
		return ranged(values)
	}
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	test, err := stats.Paired(logs, seed)
	if err != nil {
		return ranged(values)
	}
	f := Figure{Value: math.Exp(test.Mean()), Low: slices.Min(values), High: slices.Max(values)}
	if low, high, ok := test.Interval(0.05); ok {
		f.Low, f.High, f.Level = math.Exp(low), math.Exp(high), 0.95
	}
	return f
}

func ranged(values []float64) Figure {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return Figure{Value: sum / float64(len(values)), Low: slices.Min(values), High: slices.Max(values)}
}
