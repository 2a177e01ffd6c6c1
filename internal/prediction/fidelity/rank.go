package fidelity

import (
	"fmt"
	"math"

	"plinth/internal/prediction/demand"
	"plinth/internal/stats"
)

// Ranking counts pairs of environments that were measured in the same cell.
type Ranking struct {
	Known   int      // pairs that the measurement tells apart
	Against []string // those of them that the predictions put in the other order
}

// ranked is an environment of a cell: what was measured, block by block, and what was predicted.
type ranked struct {
	name      string
	measured  []demand.Run
	predicted float64
}

// Rank compares the order of predictions with that of measurements. An environment from which the others were predicted
// takes part with its measurement.
func Rank(cells []Measured, all []Judged) (r Ranking) {
	for _, cell := range cells {
		if cell.Environment != cell.reference() {
			continue
		}
		var members []ranked
		own := false // whether the reference was predicted, from other clients
		for _, j := range all {
			if j.Cell == cell.Cell.Cell && j.Reference == cell.Environment && j.Refused == "" {
				members = append(members, ranked{j.Environment, j.Runs, j.Prediction.TPS.Value})
				own = own || j.Environment == cell.Environment
			}
		}
		if !own {
			members = append(members, ranked{cell.Environment, cell.Runs, cell.Mean(tps)})
		}
		for i, a := range members {
			for _, b := range members[:i] {
				r.compare(fmt.Sprint(cell.Cell.Cell), a, b)
			}
		}
	}
	return r
}

// compare adds a pair.
func (r *Ranking) compare(cell string, a, b ranked) {
	switch higher(b.measured, a.measured) {
	case stats.Down:
		a, b = b, a // b is the faster one
	case stats.Up:
	default:
		return
	}
	r.Known++
	if b.predicted < a.predicted {
		r.Against = append(r.Against, fmt.Sprintf("%s over %s in %s", a.name, b.name, cell))
	}
}

// higher tests whether the throughput of one environment is higher than that of another, in blocks that have both, at
// the 5 % level.
func higher(of, than []demand.Run) stats.Outcome {
	var d []float64
	for _, a := range of {
		for _, b := range than {
			if a.Repeat == b.Repeat {
				d = append(d, math.Log(a.TPS/b.TPS))
			}
		}
	}
	test, err := stats.Paired(d, 1)
	if err != nil {
		return stats.Unknown
	}
	return stats.Decide([]*stats.Test{test}, 0.05, 0)[0].Outcome
}
