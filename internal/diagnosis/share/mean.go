package share

import "math"

// Mean returns the mean of divisions of several runs: each run weighs the same.
func Mean(runs []Division) Division {
	n := float64(len(runs))
	mean := Division{InServer: len(runs) > 0 && runs[0].InServer}
	sessions, columns := map[string]float64{}, map[string][]string{}
	for _, d := range runs {
		mean.Seconds += d.Seconds
		mean.InFlight += d.InFlight / n
		mean.TPS += d.TPS / n
		mean.Late += d.Late / n
		for _, p := range d.Parts {
			sessions[p.Name] += p.Share / n
			columns[p.Name] = p.Columns
		}
		if len(mean.Missing) == 0 {
			mean.Missing = d.Missing
		}
	}
	mean.Response = mean.InFlight / mean.TPS * 1e9
	mean.Error = perSecond / math.Sqrt(float64(mean.Seconds))
	for _, t := range titles {
		if of := sessions[t.Name]; of != 0 {
			mean.Parts = append(mean.Parts, Part{
				Name: t.Name, Title: t.Title, Share: of, Sessions: of * mean.InFlight, Time: of * mean.Response, Columns: columns[t.Name],
			})
		}
	}
	return mean
}
