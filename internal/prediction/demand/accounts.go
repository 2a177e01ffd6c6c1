package demand

import (
	"math"
	"slices"

	"plinth/internal/prediction/closed"
	"plinth/internal/record"
)

// Accounts says how often transactions of pgbench's scripts miss the caches if there is more or less room in them. Each
// of these transactions needs one account, and all accounts alike (pgbench(1)): a block of the table, and one of its
// index. The caches hold those blocks that were needed last.
type Accounts struct {
	Table, Index float64 // blocks of each
}

// accounts returns the sizes of the accounts; nil if the memory of the server has no limit, so that nothing says how
// much of them the caches can hold, or if the dataset is another one.
func accounts(e record.Environment) *Accounts {
	if e.Limits == nil || e.Limits.Memory == 0 {
		return nil
	}
	blocks := func(name string) float64 {
		i := slices.IndexFunc(e.Dataset.Tables, func(t record.Table) bool { return t.Name == name })
		if i < 0 {
			return 0
		}
		return float64(e.Dataset.Tables[i].Bytes) / closed.BlockSize
	}
	a := Accounts{blocks("pgbench_accounts"), blocks("pgbench_accounts_pkey")}
	if a.Table < 1 || a.Index < 1 {
		return nil
	}
	return &a
}

// Reads returns how many reads a transaction needs if so many blocks less fit into the caches, from how many it needs
// now. A cache of the blocks that were needed last holds those of about the last T transactions, so that a block of n
// was not among them with probability exp(-T/n) (Che, Tung and Wang, "Hierarchical Web Caching Systems", 2002).
func (a Accounts) Reads(now, less float64) float64 {
	if now <= 0 {
		return now
	}
	misses := func(t float64) float64 { return math.Exp(-t/a.Table) + math.Exp(-t/a.Index) }
	held := func(t float64) float64 {
		return a.Table + a.Index - a.Table*math.Exp(-t/a.Table) - a.Index*math.Exp(-t/a.Index)
	}
	before := a.first(func(t float64) bool { return misses(t) < now })
	after := a.first(func(t float64) bool { return held(t) > held(before)-less })
	return now * misses(after) / misses(before)
}

// first returns the least T for which a condition holds that also holds for all greater ones.
func (a Accounts) first(holds func(t float64) bool) float64 {
	low, high := 0.0, 20*(a.Table+a.Index)
	for range 60 {
		if middle := (low + high) / 2; holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
