package record_test

import (
	"fmt"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// fiveHundred writes a record of 500 runs such as storage-baseline leaves.
func fiveHundred(tb testing.TB) string {
	tb.Helper()
	w := newRecord(tb, tb.TempDir())
	var histograms []record.Latency
	for seed := range 5 {
		histograms = append(histograms, randomLatency(tb, uint64(seed), 50_000))
	}
	for n := range 500 {
		run := newRun(record.RunID{
			Environment: fmt.Sprintf("environment-%d", n%5), Repeat: 1 + n/195, Attempt: 1,
			Cell: experiment.Cell{Workload: "tpcb-like", Clients: 1 + n/5%39, Threads: 1},
		}, n+1)
		run.Result.Latency = histograms[n%5]
		for s := range 8 {
			run.Result.Statements = append(run.Result.Statements,
				record.StatementMean{Statement: fmt.Sprintf("UPDATE pgbench_accounts SET %d;", s), Mean: 1e5})
		}
		pending, err := w.Begin(run.RunID)
		if err != nil {
			tb.Fatal(err)
		}
		if err := pending.Commit(run, record.Points{}); err != nil {
			tb.Fatal(err)
		}
	}
	return w.Path()
}

func BenchmarkOpen500Runs(b *testing.B) {
	path := fiveHundred(b)
	for b.Loop() {
		if rec, err := record.Open(path); err != nil || len(rec.Runs) != 500 {
			b.Fatal(err)
		}
	}
}

func TestOpen500Runs(t *testing.T) {
	path := fiveHundred(t)
	best := time.Hour
	for range 3 { // the machine may be busy with something else
		began := time.Now()
		if rec, err := record.Open(path); err != nil || len(rec.Runs) != 500 {
			t.Fatal(err)
		}
		best = min(best, time.Since(began))
	}
	if limit := 200 * time.Millisecond * raceFactor; best > limit {
		t.Errorf("reading 500 runs takes %v, want at most %v", best, limit)
	}
}
