//go:build linux && measure

package cli

import (
	"slices"
	"testing"

	"plinth/internal/measuretest"
	"plinth/internal/record"
)

// The workload makes the load generator's single thread compute between transactions: the server
// waits for it.
func TestMeasureStarvedGenerator(t *testing.T) {
	measuretest.Ask(t, "Does a run show that a single-threaded load generator is busy all the time?", func(m *measuretest.M) {
		w := faultWorldOf(m.T)
		run := w.judged(w.dearWorkload(), -1)[0]
		g := run.Evidence.Generator
		m.Between("share of the time that the generator is busy", (g.CPU+g.Waiting)/g.Covered, "", 0.9, 1.2)
	})
}

func TestMeasureSecondLoad(t *testing.T) {
	measuretest.Ask(t, "Does a run warn of another process that writes to the disk?", func(m *measuretest.M) {
		w := faultWorldOf(m.T)
		w.env = []string{allRules, realPath}
		w.writeMeanwhile(4 << 20)
		run := w.judged(besideWriter, -1)[0]
		m.AtLeast("written by other processes", float64(run.Evidence.Machine.OthersIO)/run.Evidence.Load/(1<<20), "MiB/s", 1)
		w.has(run.Warnings, "others-io", "processes outside the experiment")
	})
}

// TestMeasureTelemetryCost counts CPU seconds, because throughput on a shared machine varies by
// more than telemetry could ever cost. At 20,000 transactions a second the lanes use at most 1 %
// of a core in plinth, and their queries 1 % of a core in the server; plinth as a whole stays
// below that, too, compared with a run without telemetry.
func TestMeasureTelemetryCost(t *testing.T) {
	measuretest.AskTimes(t, 3, "How much CPU time does telemetry use at 20,000 transactions per second?", func(m *measuretest.M) {
		w := faultWorldOf(m.T)
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
		whole := map[string][]float64{}
		for _, run := range runs {
			if run.Status == record.Failed {
				m.Fatalf("a run failed: %+v", run.Reasons)
			}
			whole[run.Environment] = append(whole[run.Environment], run.Phases.PlinthCPU/run.Phases.Load)
			if run.Telemetry == nil {
				continue
			}
			lanes := 0.0
			for _, cost := range run.Telemetry.Cost {
				lanes += cost.CPU / cost.Covered
				if cost.Known {
					m.AtMost("the server, to answer plinth's queries", 100*cost.Server/cost.Covered, "% of a core", 1)
				}
			}
			m.AtMost("plinth, to read telemetry", 100*lanes, "% of a core", 1)
		}
		m.AtMost("plinth, increase over a run without telemetry", 100*(median(whole["watched"])-median(whole["unwatched"])), "% of a core", 1)
	})
}

// median returns the middle of the values, of which there is at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
