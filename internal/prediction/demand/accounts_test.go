package demand

import (
	"math"
	"testing"

	"plinth/internal/record"
)

func dataset() record.Environment {
	return record.Environment{Limits: &record.Limits{Memory: 256 << 20}, Dataset: record.Dataset{SharedBuffers: 64 << 20, Tables: []record.Table{
		{Name: "pgbench_accounts", Bytes: 537362432}, {Name: "pgbench_accounts_pkey", Bytes: 89866240}, {Name: "pgbench_tellers", Bytes: 57344},
	}}}
}

// TestAccounts checks how reads depend on the room in the caches. At scale 40 with a memory limit of 256 MiB, 4, 16 and 48
// clients needed 1.07, 1.185 and 1.40 reads for a transaction.
func TestAccounts(t *testing.T) {
	a := accounts(dataset())
	if a == nil || a.Table != 65596 || a.Index != 10970 || a.Backend != 1.375*128 {
		t.Fatalf("%+v", a)
	}
	for _, tc := range []struct{ now, clients, want float64 }{
		{1.185, 0, 1.185}, {1.185, 32, 1.41}, {1.185, -12, 1.11}, {1.40, -32, 1.17}, {1.07, 12, 1.14},
		{0, 100, 0},                         // nothing is read
		{1.185, 1000, 2},                    // nothing fits any more
		{1.9999, -1000, 0},                  // all fits
		{3, 0, 3}, {3, -12, 3}, {3, 100, 3}, // not those of the accounts
	} {
		if got := a.Reads(tc.now, tc.clients*a.Backend); math.Abs(got-tc.want) > 0.01 {
			t.Errorf("%v reads, %v clients more: %.3f, want %v", tc.now, tc.clients, got, tc.want)
		}
	}
	for reads, want := range map[float64]float64{1.185: 17800, 0.001: 76100, 1.999: 19, 2: math.Inf(1)} {
		if got := a.Room(reads); got != want && math.Abs(got/want-1) > 0.02 {
			t.Errorf("%v reads: room for %.0f, want %v", reads, got, want)
		}
	}
}

func TestNoAccounts(t *testing.T) {
	for name, change := range map[string]func(*record.Environment){
		"no limit":           func(e *record.Environment) { e.Limits = nil },
		"another limit":      func(e *record.Environment) { e.Limits = &record.Limits{CPUs: "0"} },
		"all in memory":      func(e *record.Environment) { e.Limits.Memory = 600 << 20 },
		"another dataset":    func(e *record.Environment) { e.Dataset.Tables = e.Dataset.Tables[2:] },
		"no primary key":     func(e *record.Environment) { e.Dataset.Tables = e.Dataset.Tables[:1] },
		"an empty dataset":   func(e *record.Environment) { e.Dataset.Tables[0].Bytes = 0 },
		"another tablespace": func(e *record.Environment) { e.Dataset.Tables[0].Tablespace = "cold" },
	} {
		e := dataset()
		if change(&e); accounts(e) != nil {
			t.Errorf("%s: %+v", name, accounts(e))
		}
	}
}
