package report

import (
	"fmt"
	"slices"

	"plinth/internal/record"
)

// rows is the published table: a row for each number of clients (and each rate),
// with the mean over the thread counts, which all count alike.
func (g *gathering) rows(cells []Cell) []Row {
	rows := []Row{}
	for _, c := range g.exp.Cells() {
		same := func(r Row) bool { return r.Clients == c.Clients && r.Rate == c.Rate }
		if !g.wanted(c) || slices.ContainsFunc(rows, same) {
			continue
		}
		row := Row{Clients: c.Clients, Rate: c.Rate}
		of := slices.DeleteFunc(slices.Clone(cells), func(o Cell) bool { return o.Clients != c.Clients || o.Rate != c.Rate })
		for _, o := range of {
			row.Threads = append(row.Threads, o.Threads)
		}
		slices.Sort(row.Threads)
		row.Threads = slices.Compact(row.Threads)
		row.Values, _ = g.averages(of)
		rows = append(rows, row)
	}
	return rows
}

// averages are the means over the cells of each workload, and the mean of those.
// A workload without a number has no average, and then there is no overall one.
func (g *gathering) averages(cells []Cell) ([]Average, float64) {
	averages := []Average{}
	sum := 0.0
	for _, w := range g.exp.Workloads {
		var tps, latency []float64
		for _, c := range cells {
			if c.Workload == w.Name {
				tps, latency = append(tps, c.TPS.Mean), append(latency, c.Latency.Mean)
			}
		}
		if len(tps) == 0 {
			continue
		}
		a := Average{w.Name, rangeOf(tps).Mean, rangeOf(latency).Mean, len(tps)}
		averages, sum = append(averages, a), sum+a.TPS
	}
	if len(averages) < len(g.exp.Workloads) {
		return averages, 0
	}
	return averages, sum / float64(len(averages))
}

func rangeOf(values []float64) Range {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return Range{Mean: sum / float64(len(values)), Min: slices.Min(values), Max: slices.Max(values)}
}

// merge reads percentiles from the merged histogram of runs; nil where no run
// has one. The maximum is the exact one of the runs. A histogram knows only the
// upper end of a bucket, which may lie above it; percentiles never do.
func merge(runs []record.Run) (*Percentiles, error) {
	merged, longest := record.NewHistogram(), int64(0)
	for _, run := range runs {
		h, err := run.Result.Latency.Decode()
		if err == nil && merged.Merge(h) > 0 {
			err = fmt.Errorf("it has latencies above an hour")
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the latencies of %s: %w", run.Path(), err)
		}
		longest = max(longest, run.Result.Latency.Max)
	}
	if merged.TotalCount() == 0 {
		return nil, nil
	}
	at := merged.ValueAtPercentilesSlice([]float64{50, 95, 99, 99.9})
	for i := range at {
		at[i] = min(at[i], longest)
	}
	return &Percentiles{at[0], at[1], at[2], at[3], longest}, nil
}
