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
	Backend      float64 // memory that each backend takes from the caches, in blocks
}

const (
	// needed is the number of blocks of the accounts that a transaction needs.
	needed = 2
	// backendMemory is the memory of a backend in bytes without the page tables of shared_buffers, which map 512 bytes
	// with each: what it allocates, and the kernel for it. From 4 to 48 clients, with shared_buffers of 64 MB, all
	// processes and page tables of the machine grew by 1.1 and 0.25 MiB for each, and reads missed as if it were 0.9 to
	// 2.1 MiB.
	backendMemory = 1.25 * (1 << 20)
	pageTables    = 512
)

// accounts returns the sizes of the accounts; nil if the dataset is another one, or if it fits into the memory of the
// server, so that memory may be free.
func accounts(e record.Environment) *Accounts {
	blocks := func(name string) float64 {
		i := slices.IndexFunc(e.Dataset.Tables, func(t record.Table) bool { return t.Name == name && t.Tablespace == "" })
		if i < 0 {
			return 0
		}
		return float64(e.Dataset.Tables[i].Bytes) / closed.BlockSize
	}
	a := Accounts{blocks("pgbench_accounts"), blocks("pgbench_accounts_pkey"), (backendMemory + float64(e.Dataset.SharedBuffers)/pageTables) / closed.BlockSize}
	if a.Table < 1 || a.Index < 1 || e.Limits == nil || float64(e.Limits.Memory) >= (a.Table+a.Index)*closed.BlockSize || e.Limits.Memory == 0 {
		return nil
	}
	return &a
}

// Room returns how many blocks of the accounts the caches hold if a transaction needs so many reads; no limit if it
// needs more than those of the accounts.
func (a Accounts) Room(reads float64) float64 {
	if reads >= needed {
		return math.Inf(1)
	}
	return a.held(a.since(reads))
}

// Reads returns how many reads a transaction needs, given how many it needs now, if the caches hold so many blocks less
// (more if less is negative).
func (a Accounts) Reads(now, less float64) float64 {
	if now <= 0 || now >= needed {
		return now
	}
	before := a.since(now)
	after := a.first(func(t float64) bool { return a.held(t) > a.held(before)-less })
	return now * a.misses(after) / a.misses(before)
}

// A cache of the blocks that were needed last holds those of about the last t transactions: one of n blocks that are
// needed alike was not among them with probability exp(-t/n) (Che, Tung and Wang, "Hierarchical Web Caching Systems",
// 2002).

// misses returns the reads of a transaction.
func (a Accounts) misses(t float64) float64 { return math.Exp(-t/a.Table) + math.Exp(-t/a.Index) }

// held returns the blocks in the cache.
func (a Accounts) held(t float64) float64 {
	return a.Table + a.Index - a.Table*math.Exp(-t/a.Table) - a.Index*math.Exp(-t/a.Index)
}

// since returns the t with which a transaction needs so many reads.
func (a Accounts) since(reads float64) float64 {
	return a.first(func(t float64) bool { return a.misses(t) < reads })
}

// first returns the least t for which a condition holds that also holds for all greater ones. If there is none, it
// returns one after which next to nothing is missed.
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
