package cost

import (
	"cmp"
	"maps"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/price"
)

// Term holds the cost of an environment for a month if its machines are paid in another way than the file says.
type Term struct {
	Name  string       `json:"term"` // of the price book: "spot"
	Month price.Amount `json:"month"`
}

// termsOf returns the other terms of the price book under which the environment's machines have a price.
func termsOf(e *experiment.Experiment, env experiment.Environment, books Books, bill *Bill) []Term {
	c := e.CostOf(env)
	now := cmp.Or(c.Term, price.OnDemand)
	names := append([]string{price.OnDemand}, slices.Sorted(maps.Keys(bill.region.Terms))...)
	var all []Term
	for _, name := range names {
		if name == now {
			continue
		}
		env.Cost = c
		env.Cost.Term = name
		other, err := BillOf(e, env, books)
		if err != nil || !other.Month().Known() || other.Month() == bill.Month() { // no machine is rented
			continue
		}
		all = append(all, Term{name, other.Month()})
	}
	return all
}

// Under returns what a row costs under a term of its environment: a month, and a million transactions. The
// second is unknown if it is for the row.
func (r Row) Under(t Term, bill *Bill) (month price.Amount, million Range) {
	month = t.Month + r.Month - bill.Month() // with what the load itself costs
	million = r.Million
	if factor := float64(month / r.Month); million.Known() {
		million.Value, million.Low, million.High = million.Value*factor, million.Low*factor, million.High*factor
	}
	return month, million
}
