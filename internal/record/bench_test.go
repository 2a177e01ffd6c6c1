package record_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// fiveHundred writes a record of 500 runs, the size that storage-baseline produces.
func fiveHundred(tb testing.TB) *record.Writer {
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
	return w
}

func BenchmarkOpen500Runs(b *testing.B) {
	path := fiveHundred(b).Path()
	for b.Loop() {
		if rec, err := record.Open(path); err != nil || len(rec.Runs) != 500 {
			b.Fatal(err)
		}
	}
}

// BenchmarkFollow500Runs measures one poll of a 500-run record that is being written: nothing
// changed, the directory changed but no run was added, or a run was committed.
func BenchmarkFollow500Runs(b *testing.B) {
	path := fiveHundred(b).Path()
	follower := record.NewFollower(path)
	_, err := follower.Record()
	must(b, err)
	look := func(b *testing.B, runs int) {
		if rec, err := follower.Record(); err != nil || len(rec.Runs) != runs {
			b.Fatal(err)
		}
	}
	touch := func(b *testing.B, ago time.Duration) {
		must(b, os.Chtimes(path, time.Time{}, time.Now().Add(-ago)))
	}
	b.Run("nothing", func(b *testing.B) {
		touch(b, time.Hour)
		look(b, 500)
		for b.Loop() {
			look(b, 500)
		}
	})
	b.Run("told", func(b *testing.B) {
		for b.Loop() {
			touch(b, 0)
			look(b, 500)
		}
	})
	b.Run("run", func(b *testing.B) {
		const dir = "runs/environment-0/tpcb-like/c1-j1/r01"
		for b.Loop() {
			must(b, os.Rename(filepath.Join(path, dir), filepath.Join(path, "aside")))
			look(b, 499)
			must(b, os.Rename(filepath.Join(path, "aside"), filepath.Join(path, dir)))
			look(b, 500)
		}
	})
}

// BenchmarkWatch measures what an open page requests once a second while one run of a 500-run
// record is in progress.
func BenchmarkWatch(b *testing.B) {
	w := fiveHundred(b)
	path := w.Path()
	must(b, w.Tell(record.Now{Step: "driving"}))
	pending, err := w.Begin(runID("disk", 9))
	must(b, err)
	must(b, os.Chtimes(path, time.Time{}, time.Now().Add(-time.Minute))) // old enough for the stamp to be trusted
	follower, live := record.NewFollower(path), record.NewLiveReader(path)
	defer func() { must(b, live.Close()) }()
	_, err = follower.Record()
	must(b, err)
	for b.Loop() {
		must(b, pending.Live(record.Point{TPS: 1000}))
		points, _, liveErr := live.Read()
		now, nowErr := record.ReadNow(path)
		rec, err := follower.Record()
		if err := errors.Join(err, nowErr, liveErr); err != nil || len(points) != 1 || now == nil || len(rec.Runs) != 500 {
			b.Fatal(err, points, now)
		}
	}
}
