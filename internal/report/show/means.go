package show

import "slices"

// rows returns the rows of the published table: one per number of clients and rate, with the
// mean over the thread counts, which have equal weight.
func (g *gathering) rows(cells []Cell) []Row {
	rows := []Row{}
	for _, c := range g.cells {
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

// averages returns the means over the cells of each workload, and the mean of those. A workload
// without a number has no average, and then the overall mean is 0.
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

// Median returns the median of sorted values, of which there must be at least one.
func Median[N int64 | float64](sorted []N) float64 {
	n := len(sorted)
	return (float64(sorted[(n-1)/2]) + float64(sorted[n/2])) / 2
}
