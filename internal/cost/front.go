package cost

import (
	"cmp"
	"math"
	"slices"

	"plinth/internal/stats"
)

// Front is the choice between environments by cost and one quantity, for one workload or cell.
type Front struct {
	Workload string   `json:"workload"`
	Cell     string   `json:"cell,omitempty"`
	Quantity string   `json:"quantity"` // tps or p99
	Choices  []Choice `json:"choices"`  // from the cheapest on; those of unknown cost are left out
	LeftOut  []string `json:"left_out,omitempty"`
}

// Choice is one environment of a front.
type Choice struct {
	Environment string `json:"environment"`
	Standing    string `json:"standing"` // see below
	// By is the environment that beats it, or that may.
	By string `json:"by,omitempty"`
}

// The standings of a choice.
const (
	OnFront  = "on the front" // no environment that costs as little or less does more
	Beaten   = "beaten"       // one does at least as much, and costs less or does more
	Open     = "open"         // one that costs no more may do as much: the blocks do not decide
	fewBlock = 2
)

// Alike is the margin within which two quantities are the same.
const Alike = 0.03

// fronts compares the environments of each workload or cell with each other. The comparisons of one front
// share alpha 0.05.
func (s *Sheet) fronts() {
	type place struct{ workload, cell string }
	var places []place
	for _, r := range s.Rows {
		if p := (place{r.Workload, r.Cell}); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	for _, p := range places {
		var rows []Row
		for _, r := range s.Rows {
			if r.Workload == p.workload && r.Cell == p.cell {
				rows = append(rows, r)
			}
		}
		for _, quantity := range []string{tps, p99} {
			if f, ok := s.front(rows, quantity); ok {
				s.Fronts = append(s.Fronts, f)
			}
		}
	}
}

// front returns the choices of a quantity; false if fewer than two environments have a cost.
func (s *Sheet) front(rows []Row, quantity string) (Front, bool) {
	f := Front{Quantity: quantity}
	var priced []Row
	for _, r := range rows {
		f.Workload, f.Cell = r.Workload, r.Cell
		value := r.TPS
		if quantity == p99 {
			value = r.P99
		}
		if !r.Month.Known() || !value.Known() {
			f.LeftOut = append(f.LeftOut, r.Environment)
			continue
		}
		priced = append(priced, r)
	}
	if len(priced) < 2 {
		return f, false
	}
	slices.SortStableFunc(priced, func(a, b Row) int { return cmp.Compare(a.Month, b.Month) })
	better, above := s.better(priced, quantity), s.above(priced, quantity)
	for i := range priced {
		f.Choices = append(f.Choices, s.choice(priced, i, quantity, better, above[i]))
	}
	return f, true
}

// choice returns the standing of row i among those that cost no more.
func (s *Sheet) choice(rows []Row, i int, quantity string, better func(a, b int) stats.Outcome, above bool) Choice {
	c := Choice{Environment: rows[i].Environment, Standing: OnFront}
	most := math.Inf(-1) // of those that may beat it
	for j, other := range rows {
		if j == i || other.Month > rows[i].Month {
			continue
		}
		switch outcome := better(j, i); {
		case outcome == stats.Up, outcome == stats.Equal && other.Month < rows[i].Month:
			return Choice{rows[i].Environment, Beaten, other.Environment}
		case outcome != stats.Down && !above && mean(other, quantity) > most:
			most = mean(other, quantity)
			c.Standing, c.By = Open, other.Environment
		}
	}
	return c
}

// mean returns the quantity of a row so that more is better.
func mean(r Row, quantity string) float64 {
	if quantity == p99 {
		return -r.P99.Value
	}
	return r.TPS.Value
}

// above reports for each row whether it does more than all that cost no more. That is one claim for each
// row, of which all comparisons must hold, so that the claims alone share alpha (an intersection-union
// test; R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24, 1982).
func (s *Sheet) above(rows []Row, quantity string) []bool {
	claims := make([]bool, len(rows))
	var p []float64
	var of []int
	for i, r := range rows {
		weakest, some := 0.0, false
		for j, other := range rows {
			if j == i || other.Month > r.Month {
				continue
			}
			some = true
			test := s.test(r, other, quantity)
			if test == nil || test.Mean() <= 0 {
				weakest = 1
				break
			}
			weakest = max(weakest, test.P(0))
		}
		if some {
			p, of = append(p, weakest), append(of, i)
		}
	}
	for at, step := range stats.Holm(p, 0.05) {
		claims[of[at]] = step.Rejected
	}
	return claims
}

// better decides whether one row does more than another (Up), less, or the same within Alike.
func (s *Sheet) better(rows []Row, quantity string) func(a, b int) stats.Outcome {
	var tests []*stats.Test
	at := map[[2]int]int{}
	for a := range rows {
		for b := a + 1; b < len(rows); b++ {
			at[[2]int{a, b}] = len(tests)
			tests = append(tests, s.test(rows[a], rows[b], quantity))
		}
	}
	decisions := stats.Decide(tests, 0.05, math.Log(1+Alike))
	return func(a, b int) stats.Outcome {
		if a < b {
			return decisions[at[[2]int{a, b}]].Outcome
		}
		switch decisions[at[[2]int{b, a}]].Outcome {
		case stats.Up:
			return stats.Down
		case stats.Down:
			return stats.Up
		case stats.Equal:
			return stats.Equal
		}
		return stats.Unknown
	}
}

// test compares a with b, block by block: its differences are above zero where a does more. It is nil if
// the blocks are not the same, as with imported runs.
func (s *Sheet) test(a, b Row, quantity string) *stats.Test {
	x, y := s.data[key{a.Environment, a.Workload, a.Cell, quantity}], s.data[key{b.Environment, b.Workload, b.Cell, quantity}]
	if s.unordered || len(x) != len(y) || len(x) < fewBlock || slices.Min(x) <= 0 || slices.Min(y) <= 0 {
		return nil
	}
	d := make([]float64, len(x))
	for i := range x {
		d[i] = math.Log(x[i] / y[i])
		if quantity == p99 { // less is more
			d[i] = -d[i]
		}
	}
	test, err := stats.Paired(d, s.seed)
	if err != nil {
		return nil
	}
	return test
}
