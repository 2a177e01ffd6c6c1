package predicted

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prediction"
	"plinth/internal/prediction/closed"
	"plinth/internal/report/reporttest"
)

func estimate(v float64) prediction.Estimate {
	return prediction.Estimate{Value: v, Low: v * 0.9, High: v * 1.1}
}

func predictionOf(tps float64) *prediction.Prediction {
	return &prediction.Prediction{TPS: estimate(tps), Mean: estimate(0.008), P50: estimate(0.007), P95: estimate(0.012), P99: estimate(0.02),
		Places:  []prediction.Place{{Name: "wal-flush", Share: 0.7}, {Name: "cpu", Share: 0.2}, {Name: "row-lock", Share: 0.08}, {Name: "cpu-wait", Share: 0.02}},
		Loads:   []prediction.Load{{Name: "data iops", Use: 0.99}, {Name: "cpu", Use: 0.3}},
		Doubled: []prediction.Doubled{{Resource: "data iops", Factor: 1.8}, {Resource: "cpu", Factor: 1.01}}}
}

func cells() Report {
	burst := predictionOf(2000)
	after := estimate(400)
	burst.Sustained, burst.Emptied = &after, 42
	burst.Clients, burst.Doubled = 32, []prediction.Doubled{{Resource: "cpu", Factor: 1.04}}
	tpcb, simple := experiment.Cell{Workload: "tpcb-like", Clients: 16, Threads: 1}, experiment.Cell{Workload: "simple-update", Clients: 16, Threads: 1}
	asked := predictionOf(1132)
	asked.Data = &device.Device{Name: "gp3"}
	return Report{Record: "commits-20261121T031500Z", Environment: "disk", Emulated: true, Change: "data on gp3", Cells: []Cell{
		{Cell: tpcb, Runs: 6, TPS: 3400, P95: 0.009, Prediction: asked},
		{Cell: simple, Runs: 6, TPS: 5000, P95: 0.004, Prediction: burst},
		{Cell: experiment.Cell{Workload: "select-only", Clients: 16, Threads: 1}, Refused: "it waits for a cat", Hint: "feed it"},
	}}
}

func sweep() Report {
	s := &Swept{Cell: experiment.Cell{Workload: "tpcb-like", Clients: 16, Threads: 1}, Sweep: prediction.Sweep{Key: prediction.SweepIOPS, Knee: 1000},
		Measured: []prediction.Measured{{Environment: "iops-500", Value: 500, TPS: 950}, {Environment: "disk", Value: 6000, TPS: 2100}}}
	for value, tps := range map[float64]float64{250: 500, 500: 1000, 1000: 1990, 4000: 2000} {
		s.Points = append(s.Points, prediction.Point{Value: value, Prediction: predictionOf(tps)})
	}
	s.Points = append(s.Points, prediction.Point{Value: 100000, Refused: "it is too far"})
	for i := range s.Points { // in order
		for j := range i {
			if s.Points[i].Value < s.Points[j].Value {
				s.Points[i], s.Points[j] = s.Points[j], s.Points[i]
			}
		}
	}
	return Report{Record: "commits-20261121T031500Z", Environment: "disk", Change: "iops=250..100000", Swept: s}
}

func written(t *testing.T, r Report, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, format, 80); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	for name, r := range map[string]Report{"cells": cells(), "sweep": sweep()} {
		text := written(t, r, "text")
		reporttest.Golden(t, "testdata/"+name+".txt", text)
		for line := range strings.Lines(text) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
				t.Errorf("%s: %d characters: %s", name, n, line)
			}
		}
		reporttest.Golden(t, "testdata/"+name+".md", written(t, r, "markdown"))
	}
}

// TestRedis: predictions of Redis have its words.
func TestRedis(t *testing.T) {
	r := cells()
	r.Engine = "redis"
	r.Cells[0].Prediction.Places = []prediction.Place{{Name: closed.Append, Share: 0.6}, {Name: closed.LoopWait, Share: 0.3}, {Name: closed.InLoop, Share: 0.1}}
	text := written(t, r, "text")
	for _, want := range []string{"RPS RPS 90 % interval", "a request would spend ~60 % syncing the", "30 % waiting for the server's thread", "10 % in the", "RPS from then on"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%q is not in it:\n%s", want, text)
		}
	}
	r = sweep()
	r.Engine = "redis"
	if text := written(t, r, "text"); strings.Contains(text, "TPS") || !strings.Contains(text, "RPS") {
		t.Error(text)
	}
}

// TestKnee checks the sentences for a sweep without a knee.
func TestKnee(t *testing.T) {
	r := sweep()
	expect := func(want string) {
		t.Helper()
		if text := written(t, r, "text"); !strings.Contains(text, want) {
			t.Errorf("%q is not in it:\n%s", want, text)
		}
	}
	r.Swept.Key = prediction.SweepLatency
	expect("costs less than 5 %")
	r.Swept.Knee = 0
	expect("throughput falls from the beginning")
	r.Swept.Key = prediction.SweepThroughput
	expect("still rising at the end")
	after := estimate(1)
	r.Swept.Points[0].Prediction.Sustained = &after
	expect("This is while bursts last")
	r.Swept.Points = r.Swept.Points[2:4]
	expect("it has no effect")
}

// TestPicture: the curve is said to be predicted, and what was measured beside it is not.
func TestPicture(t *testing.T) {
	r := sweep()
	r.Emulated = true
	svg := written(t, r, "svg")
	for _, want := range []string{"<svg ", ">TPS (predicted)</text>", `class="line unmeasured"`, `class="hollow"`, ">IOPS; knee at ~1,000</text>", "predicted</title>", r.Swept.Measured[0].Environment + " (emulated)"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not in it:\n%s", want, svg)
		}
	}
	var out strings.Builder
	if err := Write(&out, cells(), "svg", 80); err == nil || hint.Of(err) == "" || out.Len() > 0 {
		t.Errorf("%v: %s", err, out.String())
	}
}

// TestImported: a prediction from an import says so, lists what is assumed, once, and has no quantiles.
func TestImported(t *testing.T) {
	r := cells()
	r.Emulated, r.Imported, r.Cells = false, true, r.Cells[:2]
	for i := range r.Cells {
		c := &r.Cells[i]
		c.P95, c.Prediction.P50, c.Prediction.P95, c.Prediction.P99 = 0, prediction.Estimate{}, prediction.Estimate{}, prediction.Estimate{}
		c.Prediction.Assumed = []string{"the CPU time is assumed"}
	}
	text := written(t, r, "text")
	for _, want := range []string{"imported: others measured it", "Latency, ms  Imported", "What is assumed", "- the CPU time is assumed\n\nNumbers", "run the workload\nwith plinth on both disks"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in it:\n%s", want, text)
		}
	}
	if strings.Contains(text, "easured TPS") || strings.Contains(text, "0.00") || strings.Contains(text, "emulate: NAME") {
		t.Error(text)
	}
	if text := written(t, r, "json"); strings.Contains(text, "p95_s") || !strings.Contains(text, `"reference_imported": true`) {
		t.Error(text)
	}
	s := sweep()
	s.Imported = true
	s.Swept.Points[0].Prediction.Assumed = []string{"the CPU time is assumed"}
	if text := written(t, s, "text"); !strings.Contains(text, "# imported") || !strings.Contains(text, "- the CPU time is assumed") || strings.Contains(text, " measured  ") {
		t.Error(text)
	}
}

func TestJSON(t *testing.T) {
	r := cells()
	gp3, err := device.Configure("gp3", device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Cells[0].Prediction.Data = &gp3
	var got struct {
		Schema, Basis string
		Cells         []struct {
			Workload   string
			Prediction *struct {
				Data struct{ Name string }
				TPS  struct{ Value, Low, High float64 } `json:"tps"`
			}
			Refused string
		}
	}
	text := written(t, r, "json")
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != Schema || got.Basis != "predicted" || got.Cells[0].Prediction.TPS.Value != 1132 || got.Cells[0].Prediction.Data.Name != "gp3" || got.Cells[2].Refused == "" || got.Cells[2].Prediction != nil {
		t.Errorf("%s", text)
	}
}
