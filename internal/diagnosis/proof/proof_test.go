package proof

import (
	"strings"
	"testing"

	"plinth/internal/diagnosis"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/derive"
	"plinth/internal/experiment/encode"
	"plinth/internal/hint"
	"plinth/internal/record"
)

const file = `name: quota
workloads: [select-only, simple-update]
clients: [4, 8]
threads: [1]
repeats: 1
settings: {shared_buffers: 256MB}
environments:
  free: {}
  tight: {limits: {cpu_quota: 0.5}, settings: {work_mem: 1MB}}
baseline: free
`

func recordOf(t *testing.T) (*record.Record, *record.Run) {
	t.Helper()
	e, _, err := decode.Parse("x.yaml", []byte(file), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record.Record{ExperimentYAML: encode.YAML(e), Environments: map[string]record.Environment{"free": {Kind: "own"}, "tight": {Kind: "own"}}}
	return rec, &record.Run{RunID: record.RunID{Environment: "tight", Cell: experiment.Cell{Workload: "simple-update", Clients: 8, Threads: 1}, Repeat: 1}}
}

// TestFile: the experiment has the run's cell alone, its environment as it was and with the change, and enough
// blocks for a verdict.
func TestFile(t *testing.T) {
	rec, run := recordOf(t)
	text, err := File(rec, run, diagnosis.Finding{Cause: "cpu-quota", Title: "CPU quota", Try: []diagnosis.Try{
		{Text: "ask"}, {Text: "raise it", Change: map[string]any{"limits": map[string]any{"cpu_quota": nil}, "settings": map[string]any{"work_mem": "64MB"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := decode.Parse("proof.yaml", text, "", nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if e.Name != "prove-cpu-quota" || e.Repeats != 6 || len(e.Cells()) != 1 || e.Cells()[0] != run.Cell || len(e.Environments) != 2 || e.Baseline != derive.AsItWas {
		t.Errorf("%s", text)
	}
	was, then := e.Environments[0], e.Environments[1]
	if was.Name != derive.AsItWas || was.Limits.CPUQuota != 0.5 || was.Settings["work_mem"] != "1MB" {
		t.Errorf("as it was: %+v", was)
	}
	if then.Name != changed || then.Limits.CPUQuota != 0 || then.Settings["work_mem"] != "64MB" {
		t.Errorf("changed: %+v", then)
	}
}

// TestRefused: where no experiment proves a cause, the reason is given.
func TestRefused(t *testing.T) {
	settings := func(m map[string]any) []diagnosis.Try {
		return []diagnosis.Try{{Text: "do it", Change: m}}
	}
	for _, c := range []struct {
		environment string
		connected   bool
		try         []diagnosis.Try
		want        string
	}{
		{"tight", false, []diagnosis.Try{{Text: "ask"}}, "no change to the environment can test CPU quota"},
		{"free", false, settings(map[string]any{"limits": map[string]any{"cpu_quota": nil}}), "nothing that could be changed: do it"},
		{"tight", true, settings(map[string]any{"settings": map[string]any{"work_mem": "64MB"}}), "does not change the existing server of tight"},
		{"tight", false, settings(map[string]any{"storage": map[string]any{"wal": map[string]any{"emulate": "no-such-device"}}}), "cannot change the environment tight in this way"},
		{"gone", false, settings(map[string]any{"settings": map[string]any{"work_mem": "64MB"}}), "no environment gone"},
	} {
		rec, run := recordOf(t)
		run.Environment = c.environment
		if c.connected {
			rec.Environments["tight"] = record.Environment{Kind: "connected"}
		}
		_, err := File(rec, run, diagnosis.Finding{Cause: "cpu-quota", Title: "CPU quota", Try: c.try})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v (%s)", c.environment, err, hint.Of(err))
		}
	}
}

// TestFileOfAnAblation checks the file of a run that belongs to an ablation with declared comparisons: its environments
// are gone.
func TestFileOfAnAblation(t *testing.T) {
	e, _, err := decode.Parse("x.yaml", []byte(`workloads: [simple-update]
ablate: knob
compare: [simple-update/none]
environments: {tuned: {tuning: [{work_mem: 8MB, commit_delay: 9}]}}
`), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record.Record{ExperimentYAML: encode.YAML(e), Environments: map[string]record.Environment{"all": {Kind: "own"}}}
	run := &record.Run{RunID: record.RunID{Environment: "all", Cell: experiment.Cell{Workload: "simple-update", Clients: 8, Threads: 1}, Repeat: 1}}
	text, err := File(rec, run, diagnosis.Finding{Cause: "wal-flush", Try: []diagnosis.Try{{Change: map[string]any{"settings": map[string]any{"wal_buffers": "64MB"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if e, _, err = decode.Parse("proof.yaml", text, "", nil); err != nil || len(e.Environments) != 2 {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestChanges: each change that a cause suggests makes an experiment, for the server that it is for.
func TestChanges(t *testing.T) {
	for engine, server := range map[string]string{"postgres": "PostgreSQL", "redis": "Redis"} {
		workload := map[string]string{"postgres": "simple-update", "redis": "set"}[engine]
		text := "name: x\nengine: " + engine + "\nworkloads: [" + workload + "]\nallow_host: true\nenvironments:\n  e: {limits: {cpu_quota: 0.5, memory: 1GiB}, pressure: {cpu: 1, write: 1MiB/s}, tuning: [{vm.swappiness: 5}], settings: {maxmemory-samples: \"9\", save: 1 1}}\n"
		if engine == "postgres" {
			text = strings.Replace(text, "maxmemory-samples: \"9\", save: 1 1}", "random_page_cost: 2}, storage: {data: {emulate: gp3, filesystem: xfs}}", 1)
		}
		e, _, err := decode.Parse("x.yaml", []byte(text), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		rec := &record.Record{ExperimentYAML: encode.YAML(e), Environments: map[string]record.Environment{"e": {Kind: "own"}}}
		run := &record.Run{RunID: record.RunID{Environment: "e", Cell: experiment.Cell{Workload: workload, Clients: 8, Threads: 1}, Repeat: 1}}
		for name, cause := range diagnosis.Causes(server) {
			for _, try := range cause.Try {
				if try.Change == nil || name == "cpu-credits" {
					continue
				}
				text, err := File(rec, run, diagnosis.Finding{Cause: name, Try: []diagnosis.Try{try}})
				if err != nil {
					t.Errorf("%s: %s: %v (%s)", name, try.Text, err, hint.Of(err))
				} else if try.Change["tuning"] != nil && !strings.Contains(string(text), "vm.swappiness") {
					t.Errorf("%s: the environment's own tuning is gone:\n%s", name, text)
				}
			}
		}
	}
}
