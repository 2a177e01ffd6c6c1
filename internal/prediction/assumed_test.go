package prediction

import (
	"math"
	"strings"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
)

// importedCell returns a cell of which the disk, the clients and the throughput are known.
func importedCell(clients int, latency time.Duration, tps float64) demand.Cell {
	s := closed.System{Clients: clients, CPUs: 4, Sync: 40 * time.Microsecond, Data: disk("here", latency, 0), Demand: closed.Demand{Statements: 5, WALBytes: 5000, Commits: 1}}
	return demand.Cell{Environment: "here", Cell: experiment.Cell{Workload: "simple-update", Clients: clients, Threads: 1}, System: s, Assumed: []string{"the disk is as named"},
		Runs: []demand.Run{{Repeat: 1, TPS: tps, Mean: float64(clients) / tps}}}
}

// TestAssumed: one client that takes 4 ms on a disk of 2 ms has about 2 ms of its own, half of which is CPU time. On a
// disk of 1 ms it then takes 3 ms, whatever the share is.
func TestAssumed(t *testing.T) {
	c := importedCell(1, 2*time.Millisecond, 250)
	ref, err := NewReference(c)
	if err != nil {
		t.Fatal(err)
	}
	own := 0.004 - c.System.Data.DurableSeconds() - 40e-6
	for i, share := range []float64{0.5, 0.25, 0.75} {
		m := ref.models[i]
		if math.Abs(m.Server.Seconds()/(share*own)-1) > 0.03 || math.Abs(m.Delay.Seconds()/((1-share)*own)-1) > 0.03 || math.Abs(m.reference.mean/0.004-1) > 0.03 {
			t.Errorf("%v: CPU time %v, delay %v, latency %v; %v of its own", share, m.Server, m.Delay, m.reference.mean, own)
		}
	}
	fast := disk("fast", time.Millisecond, 0)
	p, err := ref.Predict(Question{Data: &fast})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(p.TPS.Value/(1/(own+40e-6+fast.DurableSeconds()))-1) > 0.03 {
		t.Errorf("%+v", p.TPS)
	}
	// 1.645 standard deviations of 0.2 alone are a factor of 1.39 to either side.
	if p.TPS.High/p.TPS.Value < 1.39 || p.TPS.Value/p.TPS.Low < 1.39 {
		t.Errorf("the interval is too narrow: %+v", p.TPS)
	}
	if p.P50 != (Estimate{}) || p.P95 != (Estimate{}) || p.P99 != (Estimate{}) || p.Mean.Value <= 0 {
		t.Errorf("quantiles that were not imported: %+v", p)
	}
	if len(p.Assumed) != 2 || !strings.HasPrefix(p.Assumed[0], "the CPU time of a transaction is assumed: ") || p.Assumed[1] != "the disk is as named" {
		t.Errorf("%q", p.Assumed)
	}
	if _, err := ref.Predict(Question{CPUs: 8}); err == nil || !strings.Contains(err.Error(), "other CPUs cannot be predicted from an imported run") {
		t.Error(err)
	}
}

// TestImpossible: 8 clients can commit 4 transactions in each flush of 2 ms, which is 2,000 a second: 3,000 is more than
// that disk allows, and 1,500 is not. A single row that all lock allows 500 only.
func TestImpossible(t *testing.T) {
	for tps, refused := range map[float64]bool{1500: false, 3000: true} {
		_, err := NewReference(importedCell(8, 2*time.Millisecond, tps))
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "the throughput and the disk of here contradict each other") {
			t.Errorf("%.0f: %v", tps, err)
		}
	}
	hot := importedCell(8, 2*time.Millisecond, 1500)
	hot.System.Statements, hot.System.Locks = 7, []closed.Lock{{Rows: 1, After: 5}}
	if _, err := NewReference(hot); err == nil {
		t.Error("one row is locked 1,500 times a second, each time for a flush of 2 ms")
	}
}

// TestExplains: whatever is imported, the reference takes as long as it took, and a slower disk does less. The
// throughputs are at most half of what group commit allows, so that there is time left to explain.
func TestExplains(t *testing.T) {
	for _, clients := range []int{1, 7, 32} {
		for _, flush := range []time.Duration{200 * time.Microsecond, 4 * time.Millisecond} {
			for _, share := range []float64{0.05, 0.5} {
				tps := share * float64(max(1, clients/2)) / (1.2 * flush.Seconds())
				ref, err := NewReference(importedCell(clients, flush, tps))
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(ref.misfit) > 0.05 {
					t.Errorf("%d clients: the model takes %.3g ms, and the run took %.3g ms", clients, 1e3*ref.models[0].reference.mean, 1e3*float64(clients)/tps)
				}
				slow := disk("slow", 3*flush, 0)
				p, err := ref.Predict(Question{Data: &slow})
				if err != nil {
					t.Fatal(err)
				}
				if p.TPS.Value > tps*1.02 || !(p.TPS.Low < p.TPS.Value && p.TPS.Value < p.TPS.High) {
					t.Errorf("%d clients: %+v of %.0f on a disk that is three times as slow", clients, p.TPS, tps)
				}
			}
		}
	}
}
