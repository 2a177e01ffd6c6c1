package costs_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/costs"
)

const lab = `
name: lab
workloads: [select-only, tpcb-like]
clients: 1
repeats: 8
environments:
  gp3-3000: {instance: r6i.xlarge, storage: {data: {emulate: gp3}}}
  gp3-16000: {instance: r6i.xlarge, storage: {data: {emulate: gp3, iops: 16000, throughput: 250MiB/s}}}
  io2-with-a-long-name: {instance: r6i.xlarge, storage: {data: {emulate: io2, iops: 16000}}}
  burst: {instance: t3.large, storage: {data: {emulate: gp3}}}
  directory: {instance: r6i.xlarge, storage: {data: /mnt}}
baseline: gp3-3000
`

// measured returns a record of the lab, with eight blocks and a CPU that is busy.
func measured(t testing.TB) (*experiment.Experiment, *record.Record) {
	t.Helper()
	e, _, err := decode.Parse("lab.yaml", []byte(lab), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record.Record{Path: "results/lab", ExperimentYAML: []byte(lab), Environments: map[string]record.Environment{}, Machine: &record.Machine{}}
	rec.Machine.CPUs = 2
	rec.Summary.Seed = 1
	for i, env := range e.Environments {
		rec.Environments[env.Name] = record.Environment{Name: env.Name, Volumes: []record.Volume{{Role: "data", Emulation: &record.Emulation{RateScale: 1}}}}
		for _, w := range e.Workloads {
			for block := range 8 {
				run := record.Run{Status: record.Valid, Figures: map[string]float64{"cpu-by-server": 0.9}}
				run.Environment, run.Repeat, run.Attempt = env.Name, block+1, 1
				run.Cell = experiment.Cell{Workload: w.Name, Clients: 1, Threads: 1}
				run.Result.TPS = float64(1000*(i+1)) * (1 + 0.001*float64(block))
				run.Result.Latency.P99, run.Result.Latency.P999 = int64(2e10/run.Result.TPS), int64(4e10/run.Result.TPS)
				rec.Runs = append(rec.Runs, run)
			}
		}
	}
	return e, rec
}

func sheet(t testing.TB) *cost.Sheet {
	t.Helper()
	e, rec := measured(t)
	s, err := cost.NewSheet(e, rec, cost.Books{}, false)
	if err != nil {
		t.Fatal(err)
	}
	s.Age(time.Now())
	return s
}

// TestSheetFits: what a terminal of 80 columns shows is not wider, and answers the question.
func TestSheetFits(t *testing.T) {
	var b bytes.Buffer
	if err := costs.WriteSheet(&b, sheet(t), 12*time.Millisecond, "text", 80); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimRight(line, "\n"); prose.Length(line) > 80 {
			t.Errorf("too wide: %s", line)
		}
	}
	for _, want := range []string{
		"- tpcb-like: burst costs least per transaction: $", "burst (emulated)", "TPS against cost: nothing beats burst; beaten: gp3-3000 (by burst)", "io2-with-a-long-name (by burst)", "left out, without a price or a value: directory",
		"What one more nine costs", "the next nine costs", "In hour one and in hour ten", "CPU credits of t3.large", "and what follows is charged",
		"directory: data: the file does not say what disk it is", "prices of us-east-1",
	} {
		if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestSheetForms(t *testing.T) {
	s := sheet(t)
	var b bytes.Buffer
	if err := costs.WriteSheet(&b, s, 0, "json", 80); err != nil {
		t.Fatal(err)
	}
	var j struct {
		Schema string
		Rows   []struct {
			Environment string
			Month       *float64
		}
	}
	if err := json.Unmarshal(b.Bytes(), &j); err != nil || j.Schema != costs.SheetSchema || len(j.Rows) != 10 || j.Rows[0].Month == nil || j.Rows[4].Month != nil {
		t.Errorf("%+v, %v", j, err)
	}
	b.Reset()
	if err := costs.WriteSheet(&b, s, 0, "csv", 80); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 11 || rows[1][2] != "gp3-3000" || rows[1][5] != fmt.Sprint(float64(s.Rows[0].Month)) || rows[5][5] != "" {
		t.Errorf("%v, %v", rows, err)
	}
	e, _ := measured(t)
	bills, err := cost.NewSheet(e, nil, cost.Books{}, false)
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := costs.WriteSheet(&b, bills, 0, "csv", 80); err != nil {
		t.Fatal(err)
	}
	if rows, err = csv.NewReader(&b).ReadAll(); err != nil || rows[1][1] != "r6i.xlarge" || rows[2][1] != "data: gp3: 500 GB" {
		t.Errorf("%v, %v", rows, err)
	}
}

// TestPart: a page has a map of each quantity, with the front; a record that does not say what is paid has
// no part.
func TestPart(t *testing.T) {
	_, rec := measured(t)
	d := costs.Part(rec, []string{"gp3-3000", "gp3-16000", "io2-with-a-long-name", "burst", "directory"}, time.Now())
	maps := 0
	for _, block := range d {
		if p, is := block.(prose.Picture); is {
			maps++
			if len(p.SVGs) != 2 || !strings.Contains(p.SVGs[0], "gp3-3000 (emulated)") || strings.Contains(p.SVGs[0], "directory") {
				t.Errorf("%s: %d panels\n%s", p.When, len(p.SVGs), p.SVGs[0])
			}
		}
	}
	if maps != 2 {
		t.Errorf("%d maps", maps)
	}
	rec.ExperimentYAML = []byte(strings.NewReplacer("instance: r6i.xlarge, ", "", "instance: t3.large, ", "").Replace(lab))
	if d := costs.Part(rec, nil, time.Now()); d != nil {
		t.Errorf("of a record that does not say what is paid: %v", d.Text(80))
	}
}

func TestBooksFit(t *testing.T) {
	for _, name := range price.Names() {
		b, err := price.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for region := range b.Regions {
			d, err := costs.Book(b, region, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(d.Text(80)) {
				if prose.Length(strings.TrimRight(line, "\n")) > 80 {
					t.Errorf("%s, %s: too wide: %s", name, region, line)
				}
			}
		}
	}
	all, err := cost.PublishedTables(cost.Books{})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(costs.Published(all).Text(80)) {
		if prose.Length(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("too wide: %s", line)
		}
	}
}
