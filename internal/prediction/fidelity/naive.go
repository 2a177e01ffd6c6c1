package fidelity

import (
	"math"
	"slices"

	"plinth/internal/prediction/demand"
)

// byLatency and byIOPS are rules of thumb: throughput in proportion to the latency of a durable write, or to the IOPS.
func byLatency(from, to demand.Cell) float64 {
	return from.Mean(tps) * from.System.WALDisk().DurableSeconds() / to.System.WALDisk().DurableSeconds()
}

func byIOPS(from, to demand.Cell) float64 {
	before, _ := from.System.WALDisk().Provisioned()
	after, _ := to.System.WALDisk().Provisioned()
	return from.Mean(tps) * after / before
}

// byInterpolation draws a line through the measurements of the two other devices whose durable writes take the most
// similar time, on logarithmic scales. It knows more measurements than a prediction does.
func byInterpolation(cells []Measured, of Measured) float64 {
	type point struct{ x, y float64 }
	x := math.Log(of.System.WALDisk().DurableSeconds())
	var all []point
	for _, c := range cells {
		if c.Cell.Cell == of.Cell.Cell && c.reference() == of.reference() && c.Environment != of.Environment {
			if at := math.Log(c.System.WALDisk().DurableSeconds()); !math.IsInf(at, 0) {
				all = append(all, point{at, math.Log(c.Mean(tps))})
			}
		}
	}
	nearest := func(a, b point) int {
		if math.Abs(a.x-x) < math.Abs(b.x-x) {
			return -1
		}
		return 1
	}
	if len(all) < 2 || math.IsInf(x, 0) {
		return math.NaN()
	}
	slices.SortStableFunc(all, nearest)
	a, b := all[0], all[1]
	if i := slices.IndexFunc(all, func(p point) bool { return (p.x-x)*(a.x-x) < 0 }); i > 0 {
		b = all[i] // on the other side
	}
	if math.Abs(b.x-a.x) < 0.05 {
		return math.Exp((a.y + b.y) / 2)
	}
	return math.Exp(a.y + (b.y-a.y)*(x-a.x)/(b.x-a.x))
}
