package load

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"plinth/internal/record"
)

// leastForInterval is the minimum number of blocks for an interval of a mean; with fewer, a bar
// is the range of the blocks.
const leastForInterval = 6

// meanOver returns the geometric mean of the values of blocks, with its 95 % interval by
// Student's t on the logarithms. With few blocks, or a value of zero, it returns the arithmetic
// mean and the range.
func meanOver(values []float64) (mean, low, high float64) {
	low, high = slices.Min(values), slices.Max(values)
	if len(values) < leastForInterval || low <= 0 {
		return stat.Mean(values, nil), low, high
	}
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	m, sd := stat.MeanStdDev(logs, nil)
	n := float64(len(values))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	half := t * sd / math.Sqrt(n)
	return math.Exp(m), math.Exp(m - half), math.Exp(m + half)
}

// barNote explains the bars of a chart.
func barNote(counted []record.Run) string {
	repeats := map[int]bool{}
	for _, run := range counted {
		repeats[run.Repeat] = true
	}
	if len(repeats) >= leastForInterval {
		return "Bars: 95 % interval of the mean over blocks, including the variation that environments share; environments are compared block by block above, not by these bars."
	}
	return "Bars: the minimum and maximum of the blocks."
}
