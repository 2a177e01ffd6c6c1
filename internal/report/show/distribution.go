package show

import (
	"fmt"
	"math"

	"plinth/internal/chart"
	"plinth/internal/record"
)

// Distribution is the latencies of all runs of a cell, merged: percentiles, and the
// curve of them. An average of percentiles would be none.
type Distribution struct {
	Count  int64
	Points []chart.Quantile // in milliseconds
}

// curveSteps is how many points a curve has for each nine: at 90 %, 99 %, ...
const curveSteps = 12

// leastLeft is how many transactions lie beyond the last point of a curve: what is
// told by fewer is their luck.
const leastLeft = 10

// curve is the percentiles of a merged histogram, at shares that get closer to all
// as the axis of such curves does, until few transactions are left. No point
// lies above longest: a histogram knows only the upper end of a bucket.
func curve(of merged, longest int64) *Distribution {
	d := &Distribution{Count: of.TotalCount()}
	var shares []float64
	// The least one is left out: it is often that of a single transaction that did
	// nothing, and would squash all others on a logarithmic axis.
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

// merge reads percentiles from the merged histogram of runs; nil where no run
// has one. The maximum is the exact one of the runs. A histogram knows only the
// upper end of a bucket, which may lie above it; percentiles never do.
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
