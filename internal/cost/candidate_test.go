package cost

import (
	"math"
	"slices"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/prediction"
)

var cell = experiment.Cell{Workload: "tpcb-like", Clients: 1, Threads: 1}

// candidate returns the first environment on another disk, with 2,000 TPS (1,500 to 2,500) and a p99 of 20 ms.
func candidate(t testing.TB, e *experiment.Experiment, name string, o device.Options) (Candidate, error) {
	t.Helper()
	c, err := NewCandidate(e, e.Environments[0], name, o)
	c.Predictions = map[experiment.Cell]prediction.Prediction{cell: {
		TPS: prediction.Estimate{Value: 2000, Low: 1500, High: 2500}, P99: prediction.Estimate{Value: 0.02, Low: 0.015, High: 0.025}, Assumed: []string{"it is warm"},
	}}
	return c, err
}

// TestCandidateBills compares bills on another disk with values calculated by hand.
func TestCandidateBills(t *testing.T) {
	for name, tc := range map[string]struct {
		environment, disk string
		options           device.Options
		want              float64
		declaration       string
	}{
		"of the size that is emulated": {"{instance: m6i.large, storage: {data: {emulate: io2, iops: 4000, size: 100GiB}}}", "gp3", device.Options{IOPS: 6000}, 72 + 8 + 15, "{emulate: gp3, iops: 6000, provisioned: 100GiB}"},
		"of the catalog's size":        {"{storage: {data: {emulate: gp3}}}", "io2", device.Options{IOPS: 1000}, 62.5 + 65, "{emulate: io2, iops: 1000, provisioned: 500GiB}"},
		"of a model without a price":   {"{storage: {data: {emulate: {model: {name: disk, read: {median: 1ms}, write: {median: 1ms}}}}}}", "gp3", device.Options{}, 40, "{emulate: gp3}"},
		"of the size that is stated":   {"{storage: {data: {emulate: io2, iops: 4000}}, cost: {volumes: [{for: data, type: io2, size: 200GiB, iops: 5000}]}}", "gp3", device.Options{}, 16, "{emulate: gp3, provisioned: 200GiB}"},
		"beside a WAL of its own":      {"{storage: {data: {emulate: gp3, size: 100GiB}, wal: {emulate: io2, iops: 1000, size: 10GiB}}}", "io2", device.Options{IOPS: 1000}, 12.5 + 65 + 1.25 + 65, "{emulate: io2, iops: 1000, provisioned: 100GiB}"},
		"throughput is paid":           {"{storage: {data: {emulate: gp3, size: 100GiB}}}", "gp3", device.Options{Throughput: 250 << 20}, 8 + 5, "{emulate: gp3, throughput: 250MiB/s, provisioned: 100GiB}"},
		"a local drive":                {"{instance: i3en.xlarge, storage: {data: {emulate: gp3}}}", "local-nvme", device.Options{}, 360, "{emulate: local-nvme}"},
	} {
		e := parse(t, "  a: "+tc.environment)
		c, err := candidate(t, e, tc.disk, tc.options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		bill, err := BillOf(e, c.Environment, testBooks(t))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := float64(bill.Month()); math.Abs(got-tc.want) > 1e-9 || c.Declaration != tc.declaration || c.From != "a" {
			t.Errorf("%s: %g, want %g: %s, %+v", name, got, tc.want, c.Declaration, bill.Items)
		}
		if tc.options.IOPS > 0 && c.Model.IOPS.Rate != tc.options.IOPS || c.Model.Name != tc.disk {
			t.Errorf("%s: %+v", name, c.Model)
		}
	}
}

func TestCandidateRefused(t *testing.T) {
	for environment, want := range map[string]string{
		"{storage: {data: {emulate: {raid: 10, of: gp3, members: 4}}}}":                                       "the data of a is on an array",
		"{storage: {data: {emulate: gp3}}, cost: {volumes: [{type: gp3, size: 50GiB}]}}":                      "which of the volumes that are paid for a holds its data",
		"{storage: {data: {emulate: gp3}}, cost: {volumes: [{for: data, type: gp3, size: 50GiB, count: 8}]}}": "is on 8 volumes",
		"{instance: t3.large, storage: {data: {emulate: gp3}}}":                                               "how many CPU credits of t3.large",
		"{storage: {data: {emulate: gp3, size: 4GiB}}}":                                                       "iops",
	} {
		e := parse(t, "  a: "+environment)
		if _, err := candidate(t, e, "gp3", device.Options{IOPS: 6000}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", environment, err)
		}
	}
	e := parse(t, "  a: {storage: {data: {emulate: gp3}}}\n  b: {instance: m6i.large, storage: {data: {emulate: gp3}}}")
	if _, err := candidate(t, e, "./probed.yaml", device.Options{}); err == nil || !strings.Contains(err.Error(), "only disks of the catalog have prices") {
		t.Error(err)
	}
	// A price that is not known is refused, not a hyphen among predictions.
	rec := measured(e, map[string][]float64{"a": around(1000), "b": around(1000)})
	s, err := NewSheet(e, rec, testBooks(t), false)
	if err != nil {
		t.Fatal(err)
	}
	for disk, want := range map[string]string{"st1": "has no volume st1", "gp3": "other environments have an instance"} {
		c, err := candidate(t, e, disk, device.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(e, rec, testBooks(t), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", disk, err)
		}
	}
	if len(s.Predicted) > 0 {
		t.Errorf("%+v", s.Predicted)
	}
}

// TestAdd: a predicted disk has rows of its own, and what was measured stays as it was. 95 dollars for 2,000 TPS in 720
// hours are 0.01833 a million transactions, and 21.05 TPS a dollar.
func TestAdd(t *testing.T) {
	e := parse(t, "  a: {instance: m6i.large, storage: {data: {emulate: io2, iops: 4000, size: 100GiB}}}\n  b: {instance: m6i.large, storage: {data: {emulate: gp3}}}")
	rec := measured(e, map[string][]float64{"a": around(3000), "b": around(1000)})
	s, err := NewSheet(e, rec, testBooks(t), false)
	if err != nil {
		t.Fatal(err)
	}
	fronts, rows := len(s.Fronts[0].Choices), len(s.Rows)
	c, err := candidate(t, e, "gp3", device.Options{IOPS: 6000})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(e, rec, testBooks(t), c); err != nil {
		t.Fatal(err)
	}
	if len(s.Rows) != rows || len(s.Environments) != 2 || len(s.Fronts[0].Choices) != fronts {
		t.Errorf("a prediction is among the measured: %+v", s.Rows)
	}
	p := s.Predicted[0]
	if p.Basis != "predicted" || p.From != "a" || len(p.Rows) != 1 || len(p.Refused) > 0 || len(p.Assumed) != 1 {
		t.Fatalf("%+v", p)
	}
	r := p.Rows[0]
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 1e-4 {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	near("the month", float64(r.Month), 95)
	near("TPS", r.TPS.Value, 2000)
	near("p99", r.P99.High, 0.025)
	near("a million", r.Million.Value, 0.0183256)
	near("a million, low", r.Million.Low, 0.0146605)
	near("a million, high", r.Million.High, 0.0244342)
	near("TPS a dollar", r.PerMoney.Value, 21.0526)
	// What is not predicted is said.
	delete(c.Predictions, cell)
	c.Refused = map[experiment.Cell]string{cell: "it waits for a cat"}
	if err := s.Add(e, rec, testBooks(t), c); err != nil {
		t.Fatal(err)
	}
	if p := s.Predicted[1]; len(p.Rows) != 0 || len(p.Refused) != 1 || p.Refused[0] != "tpcb-like: it waits for a cat" {
		t.Errorf("%+v", p)
	}
}

// TestAdded: that the reference has no volume that is paid is said beside the bill, which has one.
func TestAdded(t *testing.T) {
	e := parse(t, "  a: {instance: m6i.large, connect: 'postgresql://u@h/d', disposable: true}")
	rec := measured(e, map[string][]float64{"a": around(1000)})
	s, err := NewSheet(e, rec, testBooks(t), false)
	if err != nil {
		t.Fatal(err)
	}
	c, err := candidate(t, e, "gp3", device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(e, rec, testBooks(t), c); err != nil {
		t.Fatal(err)
	}
	p := s.Predicted[0]
	if p.Bill.Month() != 72+40 || s.Rows[0].Month != 72 || !slices.Contains(p.Bill.Assumes, "a volume for the data, which the bill of a lacks") {
		t.Errorf("%v, %v: %q", p.Bill.Month(), s.Rows[0].Month, p.Bill.Assumes)
	}
}

// TestPredictedRow: a row of several cells has geometric means; of disks with bursts, what they sustain.
func TestPredictedRow(t *testing.T) {
	bill := &Bill{hours: 720}
	after := prediction.Estimate{Value: 100, Low: 90, High: 110}
	all := []prediction.Prediction{
		{TPS: prediction.Estimate{Value: 1000, Low: 900, High: 1100}, P99: prediction.Estimate{Value: 0.1, Low: 0.1, High: 0.1}, Sustained: &after, Emptied: 60},
		{TPS: prediction.Estimate{Value: 4000, Low: 3600, High: 4400}, P99: prediction.Estimate{Value: 0.4, Low: 0.4, High: 0.4}},
	}
	r := predictedRow(Row{Workload: "tpcb-like"}, all, bill, 1)
	if math.Abs(r.TPS.Value-math.Sqrt(100*4000)) > 1e-6 || math.Abs(r.Burst.Value-2000) > 1e-6 || r.BurstEnds != 60 || r.P99.Value != 0 {
		t.Errorf("%+v", r)
	}
	if r = predictedRow(Row{}, all[1:], bill, 1); math.Abs(r.TPS.Low-3600) > 1e-6 || math.Abs(r.P99.Value-0.4) > 1e-9 || r.BurstEnds != 0 || r.Burst.Value != 0 {
		t.Errorf("%+v", r)
	}
}
