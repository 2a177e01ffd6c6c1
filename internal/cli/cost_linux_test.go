//go:build linux && !race

package cli

import (
	"os"
	"slices"
	"testing"

	"plinth/internal/record"
)

// TestTelemetryCost (make cost) is the gate on what being watched costs: CPU seconds, because
// throughput on a shared machine differs by more than telemetry could ever take. It is
// run without the race detector, which makes everything several times dearer.
//
// At 20,000 transactions a second the lanes take at most 1 % of a core of plinth's own,
// and the questions 1 % of a core of the server; what plinth as a whole takes more than
// unwatched, run beside run, stays below that, too. A busy machine may not reach the
// rate; what telemetry takes is the same.
func TestTelemetryCost(t *testing.T) {
	if os.Getenv("PLINTH_COST") == "" {
		t.Skip("a measurement, and no test of what is right: make cost")
	}
	w := newFaultWorld(t)
	runs := w.judged(`
workloads: [select-only]
dataset: {scale: 10}
clients: 8
threads: 2
rate: 20000
duration: 3s
warmup: 1s
repeats: 3
settings: {max_wal_size: 128MB, min_wal_size: 32MB}
environments: {unwatched: {telemetry: off}, watched: {}}
`, -1)
	var lanes, server []float64
	whole := map[string][]float64{}
	for _, run := range runs {
		whole[run.Environment] = append(whole[run.Environment], run.Phases.PlinthCPU/run.Phases.Load)
		if run.Telemetry == nil {
			continue
		}
		sum := 0.0
		for _, cost := range run.Telemetry.Cost {
			sum += cost.CPU / cost.Covered
			if cost.Known {
				server = append(server, cost.Server/cost.Covered)
			}
		}
		lanes = append(lanes, sum)
	}
	more := middle(t, whole["watched"]) - middle(t, whole["unwatched"])
	t.Logf("of a core: the lanes %.2f %%, plinth more than unwatched %.2f %%, the server %.2f %%",
		100*middle(t, lanes), 100*more, 100*middle(t, server))
	for what, share := range map[string]float64{
		"reading": middle(t, lanes), "the questions, on the server": middle(t, server), "plinth, more than unwatched": more,
	} {
		if share > 0.01 {
			t.Errorf("%s: %.2f %% of a core; lanes %v, server %v, whole %v", what, 100*share, lanes, server, whole)
		}
	}
	if slices.ContainsFunc(runs, func(r record.Run) bool { return r.Status == record.Failed }) {
		t.Error("a run failed")
	}
}

func middle(t *testing.T, values []float64) float64 {
	t.Helper()
	if len(values) == 0 {
		t.Fatal("nothing was measured")
	}
	slices.Sort(values)
	return values[len(values)/2]
}
