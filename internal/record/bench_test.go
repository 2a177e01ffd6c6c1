package record_test

import (
	"fmt"
	"testing"

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
		run.Figures = map[string]float64{}
		for f := range 70 {
			run.Figures[fmt.Sprintf("data-disk-write-latency-%d", f)] = 1234567.891
		}
		run.Telemetry = &record.Telemetry{Gaps: []record.TelemetryGap{{Columns: []string{"cpufreq.*"}, To: 59, Why: "this machine does not tell"}}}
		for m := range 60 {
			run.Telemetry.Marks = append(run.Telemetry.Marks, record.Mark{Second: float64(m), Kind: "wal-segment", Text: "1 segment"})
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
