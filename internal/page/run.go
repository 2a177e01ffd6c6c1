package page

import (
	"runtime"
	"strings"
	"sync"

	"plinth/internal/record"
)

// overviewSteps is the maximum number of buckets of an overview: as many as a small chart in a
// table row can show.
const overviewSteps = 40

// Runs returns all runs of rec as a list shows them, in chronological order. counted holds the
// runs that count for the results. A run whose points are missing or damaged has no overview.
func Runs(rec *record.Record, counted []record.Run) []Run {
	isCounted := map[string]bool{}
	for i := range counted {
		isCounted[counted[i].Path()] = true
	}
	runs := make([]Run, len(rec.Runs))
	inParallel(len(runs), func(i int) {
		runs[i] = newRun(&rec.Runs[i], isCounted[rec.Runs[i].Path()])
		runs[i].Overview = overview(rec, &rec.Runs[i])
	})
	return runs
}

// RunPath returns the name of a run on a page: "disk/tpcb-like/c10-j1/r03".
func RunPath(id record.RunID) string { return strings.TrimPrefix(id.Path(), "runs/") }

// FindRun returns the run with the given RunPath, or nil.
func FindRun(rec *record.Record, path string) *record.Run {
	for i := range rec.Runs {
		if RunPath(rec.Runs[i].RunID) == path {
			return &rec.Runs[i]
		}
	}
	return nil
}

func newRun(r *record.Run, counted bool) Run {
	latency := r.Result.Latency
	return Run{
		Path: RunPath(r.RunID), Environment: r.Environment, Cell: r.Cell, Repeat: r.Repeat, Attempt: r.Attempt,
		Number: r.Number, Status: r.Status, Counted: counted, Reasons: r.Reasons, Warnings: r.Warnings,
		Started: r.Started, Duration: r.Result.Duration, TPS: r.Result.TPS,
		Mean: latency.Mean, P50: latency.P50, P99: latency.P99, Max: latency.Max,
	}
}

// overview returns the TPS of the window, without the warm-up, because the numbers next to it
// exclude the warm-up, too.
func overview(rec *record.Record, run *record.Run) *Overview {
	points, err := rec.OpenPoints(run)
	if err != nil {
		return nil
	}
	defer points.Close()
	seconds, err := points.Column("second")
	if err != nil {
		return nil
	}
	tps, err := points.Column("tps")
	if err != nil {
		return nil
	}
	from := 0
	for from < len(seconds) && !(seconds[from] >= 0) {
		from++
	}
	grid, err := newTimeGrid(seconds[from:], overviewSteps)
	if err != nil {
		return nil
	}
	t := grid.thin(tps[from:])
	return &Overview{Step: grid.step, Low: t.low, High: t.high}
}

// inParallel calls do for 0 to n-1 on all CPUs.
func inParallel(n int, do func(i int)) {
	var group sync.WaitGroup
	workers := min(n, runtime.GOMAXPROCS(0))
	for w := range workers {
		group.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	group.Wait()
}
