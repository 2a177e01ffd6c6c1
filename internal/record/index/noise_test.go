package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/record/index"
)

// TestLatestNoise checks that each quantity comes from the newest complete record of this engine
// and machine.
func TestLatestNoise(t *testing.T) {
	store := t.TempDir()
	here := host.Facts{MachineID: "a", Kernel: "6.1"}
	of := func(workload, metric string, sd float64) record.Noise {
		return record.Noise{Workload: workload, Metric: metric, PairSD: sd, Clients: []int{1}}
	}
	for i, r := range []struct {
		name    string
		state   record.State
		engine  string
		machine host.Facts
		noise   []record.Noise
	}{
		{"both", record.Complete, "postgres", here, []record.Noise{of("ro", "tps", 0.1), of("rw", "tps", 0.2)}},
		{"newer", record.Complete, "postgres", here, []record.Noise{of("rw", "tps", 0.3), of("rw", "p99", 0.4)}},
		{"interrupted", record.Interrupted, "postgres", here, []record.Noise{of("rw", "tps", 9)}},
		{"engine", record.Complete, "redis", here, []record.Noise{of("rw", "tps", 9)}},
		{"machine", record.Complete, "postgres", host.Facts{MachineID: "b", Kernel: "6.1"}, []record.Noise{of("rw", "tps", 9)}},
		{"damaged", record.Complete, "postgres", here, []record.Noise{of("rw", "tps", 9)}},
		{"none", record.Complete, "postgres", here, nil},
	} {
		summary := &record.Summary{Question: "?", Planned: 7, Engine: r.engine, Machine: r.machine, Noise: r.noise}
		w, err := record.Create(store, r.name, created.Add(time.Duration(i)*time.Hour), summary, []byte("name: "+r.name))
		must(t, err)
		summary.State = r.state
		must(t, w.Save(summary))
		must(t, w.Close())
		if r.name == "damaged" {
			found, err := filepath.Glob(filepath.Join(store, r.name+"-*", "record.json"))
			must(t, err)
			must(t, os.WriteFile(found[0], []byte("{"), 0o644))
		}
	}
	for _, c := range []struct {
		wanted []record.Quantity
		want   string
	}{
		{[]record.Quantity{{Workload: "ro", Metric: "tps"}, {Workload: "rw", Metric: "tps"}}, "newer rw 0.3, both ro 0.1, "},
		{[]record.Quantity{{Workload: "rw", Metric: "p99"}}, "newer rw 0.4, "},
		{[]record.Quantity{{Workload: "rw", Metric: "p95"}}, ""},
		{nil, ""},
	} {
		found, err := index.LatestNoise(store, "postgres", here, c.wanted)
		must(t, err)
		got := ""
		for _, n := range found {
			got += fmt.Sprintf("%s %s %g, ", n.Record[:len(n.Record)-len("-20261121T031500Z")], n.Workload, n.PairSD)
		}
		if got != c.want {
			t.Errorf("%v: got %s, want %s", c.wanted, got, c.want)
		}
	}
	if found, err := index.LatestNoise(filepath.Join(store, "none"), "postgres", here, []record.Quantity{{Workload: "rw", Metric: "tps"}}); err != nil || len(found) != 0 {
		t.Errorf("an empty store: %v, %v", found, err)
	}
}
