package costs_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"plinth/internal/cost"
	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/prediction"
	"plinth/internal/prose"
	"plinth/internal/report/costs"
)

// withPredicted returns the sheet of the lab with gp3 volumes of 6,000 IOPS and gp2 that were not measured.
func withPredicted(t *testing.T) *cost.Sheet {
	t.Helper()
	e, rec := measured(t)
	s, err := cost.NewSheet(e, rec, cost.Books{}, false)
	if err != nil {
		t.Fatal(err)
	}
	around := func(v float64) prediction.Estimate { return prediction.Estimate{Value: v, Low: 0.9 * v, High: 1.1 * v} }
	after := around(300)
	for _, disk := range []struct {
		text, name string
		o          device.Options
	}{{"gp3,iops=6000", "gp3", device.Options{IOPS: 6000}}, {"gp2", "gp2", device.Options{}}} {
		c, err := cost.NewCandidate(e, e.Environments[0], disk.name, disk.o)
		if err != nil {
			t.Fatal(err)
		}
		c.Name = disk.text
		p := prediction.Prediction{TPS: around(2000), P99: around(0.02), Assumed: []string{"it is warm"}}
		if disk.name == "gp2" {
			p.Sustained, p.Emptied = &after, 1800
		}
		c.Predictions = map[experiment.Cell]prediction.Prediction{{Workload: "tpcb-like", Clients: 1, Threads: 1}: p}
		c.Refused = map[experiment.Cell]string{{Workload: "select-only", Clients: 1, Threads: 1}: "it waits for a cat"}
		if err := s.Add(e, rec, cost.Books{}, c); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestPredicted: predicted rows are marked in each form, and fit on a terminal.
func TestPredicted(t *testing.T) {
	s := withPredicted(t)
	var b bytes.Buffer
	if err := costs.WriteSheet(&b, s, 0, "text", 80); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimRight(line, "\n"); prose.Length(line) > 80 {
			t.Errorf("too wide: %s", line)
		}
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"gp3,iops=6000 (predicted)", "~2,000 ~20", "gp2 (predicted)", "Predicted, not measured", "gp3,iops=6000, tpcb-like: ~2,000 TPS (1,800 to 2,200)",
		"add an environment like gp3-3000 with storage: {data: {emulate: gp3, iops: 6000, provisioned: 500GiB}}",
		"gp2, tpcb-like: ~300 TPS (270 to 330), once the burst of the disk has ended; until then, for ~30m0s, ~2,000 TPS",
		"gp3,iops=6000 is not predicted for select-only: it waits for a cat", "it is warm", "They have no verdict",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	_, fronts, _ := strings.Cut(b.String(), "Pareto front: environments that no other beats")
	fronts, _, _ = strings.Cut(fronts, "Bills")
	if strings.Contains(fronts, "gp2") || strings.Contains(fronts, "iops=6000") {
		t.Errorf("a prediction stands on a front:\n%s", fronts)
	}
	b.Reset()
	if err := costs.WriteSheet(&b, s, 0, "json", 80); err != nil {
		t.Fatal(err)
	}
	var j struct {
		Rows      []struct{ Environment string }
		Predicted []struct {
			Name, Basis string
			Rows        []struct {
				Month float64
				TPS   struct{ Value, Low, High float64 } `json:"tps"`
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &j); err != nil || len(j.Rows) != 10 || len(j.Predicted) != 2 || j.Predicted[0].Basis != "predicted" || j.Predicted[0].Rows[0].TPS.Value != 2000 || j.Predicted[1].Rows[0].TPS.Value != 300 {
		t.Errorf("%+v, %v", j, err)
	}
	b.Reset()
	if err := costs.WriteSheet(&b, s, 0, "csv", 80); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 13 || rows[11][2] != "~gp3,iops=6000" || rows[11][3] != "predicted" || rows[12][6] != "300" {
		t.Errorf("%v, %v", rows, err)
	}
}
