package fidelity

import (
	"math"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/figure/window"
	"plinth/internal/record"
)

// TestBurstRun reads the throughput before and after the second 2.5, without the seconds around it.
func TestBurstRun(t *testing.T) {
	early, late := 2.5, 9.0
	w := &window.Window{
		Run:     &record.Run{RunID: record.RunID{Repeat: 3}, Bursts: []record.Burst{{}, {Ended: &late}, {Ended: &early}}},
		Seconds: []float64{0, 1, 2, 3, 4, 5, 6},
		Columns: map[string][]float64{"tps": {100, 102, 60, 20, 19, 10, math.NaN()}},
	}
	if got, want := burstRun(w, time.Second), (BurstRun{Repeat: 3, Ended: 3.5, During: 101, After: 10}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	w.Run.Bursts = nil
	if got := burstRun(w, 0); got.After != 0 {
		t.Errorf("without an end: %+v", got)
	}
}

// TestCapturedBursts predicts captured measurements. The model learnt from the disks of the first three: the test is there so
// that a change that makes it worse is seen.
func TestCapturedBursts(t *testing.T) {
	for experiment, most := range map[string]struct{ emptied, during float64 }{
		"bursts-first": {0.22, 0.10}, "bursts-second": {0.22, 0.10}, "bursts-third": {0.22, 0.10}, "bursts-fourth": {0.27, 0.13},
	} {
		all := JudgeBursts(captures(t, experiment)[0].Bursts)
		t.Logf("%s:\n%s", experiment, BurstTable(all))
		if len(all) == 0 {
			t.Errorf("%s has no bursts", experiment)
		}
		for _, j := range all {
			if j.Refused != "" || math.Abs(j.Prediction.Emptied/j.Ended-1) > most.emptied || math.Abs(j.Prediction.TPS.Value/j.During-1) > most.during || math.Abs(j.sustained().Value/j.After-1) > 0.13 {
				t.Errorf("%s, %s: worse than it was", experiment, j.Environment)
			}
		}
	}
}

// TestJudgeBursts predicts a disk of 500 IOPS that bursts to 1000, from one with 500 IOPS, where 8 clients do 4 commits in
// each flush, which is a write.
func TestJudgeBursts(t *testing.T) {
	ref := limitedCell("reference", 2000).Cell
	b := Burst{Environment: "burst", Cell: ref.Cell, Data: ref.System.Data, Reference: ref, Runs: []BurstRun{{1, 19, 3500, 2000}, {2, 21, 3700, 2010}}}
	b.Data.IOPS = device.Limit{Rate: 500, BurstRate: 1000, Burst: 5000}
	none, strange := b, b
	none.Runs, strange.Reference.Runs = nil, ref.Runs[:1:1]
	strange.Reference.System.Server = 0
	strange.Data.IOPS = device.Limit{Rate: 1}
	all := JudgeBursts([]Burst{b, none, strange})
	j := all[0]
	if j.Ended != 20 || j.During != 3600 || j.After != 2005 || j.Refused != "" {
		t.Errorf("%+v", j)
	}
	if p := j.Prediction; p.Emptied < 5 || p.Emptied > 30 || math.Abs(j.sustained().Value/2000-1) > 0.1 || p.TPS.Value < 1.3*j.sustained().Value {
		t.Errorf("ends after %.1f s; %+v, then %+v", p.Emptied, p.TPS, j.sustained())
	}
	if all[1].Refused != "no burst ended" || all[2].Refused == "" {
		t.Errorf("%q, %q", all[1].Refused, all[2].Refused)
	}
	table := BurstTable(all)
	if strings.Count(table, "\n") != 5 || strings.Count(table, "refused: ") != 2 || !strings.Contains(table, "| burst | simple-update | 8 | 20.0 | ~") {
		t.Error(table)
	}
}
