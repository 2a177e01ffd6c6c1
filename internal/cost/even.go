package cost

import (
	"time"

	"plinth/internal/price"
)

// Even is the break-even between two environments: the share of its throughput from which the dearer one
// costs less per transaction than the cheaper one at its full throughput.
type Even struct {
	Workload    string `json:"workload"`
	Cell        string `json:"cell,omitempty"`
	Dearer      string `json:"dearer"`
	Cheaper     string `json:"cheaper"`
	Utilisation Range  `json:"utilisation"` // of the dearer one; above 1 it never costs less
}

// Evens returns the break-even of each environment with the cheapest one of its workload.
func (s *Sheet) Evens() []Even {
	var all []Even
	for _, f := range s.Fronts {
		if f.Quantity != tps {
			continue
		}
		cheapest := s.row(f, f.Choices[0].Environment)
		for _, c := range f.Choices[1:] {
			r := s.row(f, c.Environment)
			if r.Month <= cheapest.Month || cheapest.Month == 0 { // nothing is cheaper than what costs nothing
				continue
			}
			ratio := s.ratio(cheapest, r).times(float64(r.Month / cheapest.Month))
			all = append(all, Even{f.Workload, f.Cell, r.Environment, cheapest.Environment, ratio})
		}
	}
	return all
}

// ratio returns the throughput of a relative to that of b, block by block where the blocks are the same.
func (s *Sheet) ratio(a, b Row) Range {
	x, y := s.data[key{a.Environment, a.Workload, a.Cell, tps}], s.data[key{b.Environment, b.Workload, b.Cell, tps}]
	if s.unordered || len(x) != len(y) {
		return Range{Value: a.TPS.Value / b.TPS.Value, Low: a.TPS.Low / b.TPS.High, High: a.TPS.High / b.TPS.Low, N: min(a.TPS.N, b.TPS.N)}
	}
	ratios := make([]float64, len(x))
	for i := range x {
		ratios[i] = x[i] / y[i]
	}
	return rangeOf(ratios, s.seed)
}

func (s *Sheet) row(f Front, environment string) Row {
	for _, r := range s.Rows {
		if r.Workload == f.Workload && r.Cell == f.Cell && r.Environment == environment {
			return r
		}
	}
	return Row{}
}

// Nine holds the price of one more nine of the transactions within a time: the cheapest environment whose
// p99 is within it, and the cheapest whose p99.9 is.
type Nine struct {
	Workload string        `json:"workload"`
	Cell     string        `json:"cell,omitempty"`
	Target   time.Duration `json:"target_ns"`
	P99      string        `json:"p99,omitempty"`  // environment; "" if none
	P999     string        `json:"p999,omitempty"` // environment; "" if none
	More     price.Amount  `json:"more"`           // a month; unknown if one is missing
}

// Nines returns what one more nine costs. An environment is within the target only if the whole interval
// of its percentile is.
func (s *Sheet) Nines(target time.Duration) []Nine {
	var all []Nine
	for _, f := range s.Fronts {
		if f.Quantity != tps {
			continue
		}
		n := Nine{Workload: f.Workload, Cell: f.Cell, Target: target, More: price.Unknown}
		var a, b Row
		for _, c := range f.Choices { // from the cheapest on
			r := s.row(f, c.Environment)
			if n.P99 == "" && r.P99.Known() && r.P99.High <= float64(target) {
				n.P99, a = r.Environment, r
			}
			if n.P999 == "" && r.P999.Known() && r.P999.High <= float64(target) {
				n.P999, b = r.Environment, r
			}
		}
		if n.P99 != "" && n.P999 != "" {
			n.More = b.Month - a.Month
		}
		all = append(all, n)
	}
	return all
}
