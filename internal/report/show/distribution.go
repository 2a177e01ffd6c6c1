package show

import (
	"fmt"
	"math"

	"plinth/internal/chart"
	"plinth/internal/record"
)

// Distribution is the merged latency distribution of all runs of a cell. Averages of
// percentiles would not be percentiles.
type Distribution struct {
	Count  int64
	Points []chart.Quantile // in milliseconds
}

// curveSteps is the number of points of a curve per nine: between 90 %, 99 %, ...
const curveSteps = 12

// leastLeft is the minimum number of transactions beyond the last point of a curve: fewer are
// not representative.
const leastLeft = 10

// curve returns percentiles of a merged histogram. Their distance from 100 % shrinks
// logarithmically, as on the axis of the chart, until few transactions are left. Points are
// capped at longest, since a histogram returns the upper end of a bucket.
func curve(of merged, longest int64) *Distribution {
	d := &Distribution{Count: of.TotalCount()}
	var shares []float64
	// The minimum is left out: it is often that of a single no-op transaction, and would
	// compress all others on a logarithmic axis.
	for step := 1; ; step++ {
		left := math.Pow(10, -float64(step)/curveSteps)
		if left*float64(d.Count) < leastLeft {
			break
		}
		shares = append(shares, 100*(1-left))
	}
	for i, value := range of.ValueAtPercentilesSlice(shares) {
		d.Points = append(d.Points, chart.Quantile{Share: shares[i] / 100, Value: float64(min(value, longest)) / 1e6})
	}
	return d
}

// merged is a histogram of several runs.
type merged interface {
	TotalCount() int64
	ValueAtPercentilesSlice(percentiles []float64) []int64
}

// merge returns percentiles of the merged histogram of runs; nil if no run has one. The maximum
// is the exact one of the runs, at which percentiles are capped: a histogram returns the upper
// end of a bucket.
func merge(runs []record.Run) (*Percentiles, *Distribution, error) {
	all, longest := record.NewHistogram(), int64(0)
	for _, run := range runs {
		h, err := run.Result.Latency.Decode()
		if err == nil && all.Merge(h) > 0 {
			err = fmt.Errorf("it has latencies above an hour")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("cannot read the latencies of %s: %w", run.Path(), err)
		}
		longest = max(longest, run.Result.Latency.Max)
	}
	if all.TotalCount() == 0 {
		return nil, nil, nil
	}
	at := all.ValueAtPercentilesSlice([]float64{50, 95, 99, 99.9})
	for i := range at {
		at[i] = min(at[i], longest)
	}
	return &Percentiles{at[0], at[1], at[2], at[3], longest}, curve(all, longest), nil
}
