package index_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/record/index"
)

// fiveThousand writes a store of 5,000 records, each a comparison of two environments in 12
// cells. The files are old enough for their stamps to be trusted.
func fiveThousand(tb testing.TB) string {
	tb.Helper()
	summary := &record.Summary{
		Schema: record.SummarySchema, State: record.Complete, Name: "wal-on-its-own-disk", Engine: "postgres",
		Question: "Does a WAL device of its own raise write throughput?", Created: created, Finished: created.Add(time.Hour),
		Plan:     &record.Plan{Metric: "tps", Margin: 0.03, Unit: "block", Looks: []record.Look{{Repeat: 6, Units: 24, Alpha: 0.05}}},
		Verdicts: verdicts(record.Better, record.Equivalent, record.Better),
	}
	for n := range 24 {
		s := record.Sample{Environment: fmt.Sprintf("disk-%d", n%2), Cell: experiment.Cell{Workload: "tpcb-like", Clients: n/2 + 1, Threads: 1}}
		for repeat := range 6 {
			s.Repeats = append(s.Repeats, repeat+1)
			s.TPS = append(s.TPS, 1034.1234567+float64(repeat))
			s.Latency = append(s.Latency, 1234567.1234567+float64(repeat))
		}
		summary.Samples = append(summary.Samples, s)
	}
	data, err := json.MarshalIndent(summary, "", "  ")
	must(tb, err)
	store, then := tb.TempDir(), time.Now().Add(-time.Hour)
	for n := range 5000 {
		path := filepath.Join(store, fmt.Sprintf("wal-on-its-own-disk-%04d", n))
		must(tb, os.Mkdir(path, 0o755))
		must(tb, os.WriteFile(filepath.Join(path, "record.json"), data, 0o644))
		must(tb, os.Chtimes(filepath.Join(path, "record.json"), then, then))
	}
	tb.Logf("each record.json has %d bytes", len(data))
	return store
}

// reportCPU reports the CPU time of each iteration, which is meaningful even on a busy machine.
func reportCPU(b *testing.B) func() {
	before := host.CPUTime()
	return func() {
		b.ReportMetric(float64((host.CPUTime()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
	}
}

// BenchmarkList5000 measures plinth list: a cold index, with the files in the page cache.
func BenchmarkList5000(b *testing.B) {
	store := fiveThousand(b)
	defer reportCPU(b)()
	for b.Loop() {
		if entries, err := index.List(store); err != nil || len(entries) != 5000 || entries[0].Damage != "" {
			b.Fatal(err)
		}
	}
}

// BenchmarkIndex5000 measures plinth serve: a warm index, nothing changed since the last listing.
func BenchmarkIndex5000(b *testing.B) {
	known := index.New(fiveThousand(b))
	_, err := known.List()
	must(b, err)
	defer reportCPU(b)()
	for b.Loop() {
		if entries, err := known.List(); err != nil || len(entries) != 5000 || entries[0].Damage != "" {
			b.Fatal(err)
		}
	}
}
