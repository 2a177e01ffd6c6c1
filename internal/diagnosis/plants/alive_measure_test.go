//go:build linux && measure

package plants

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"plinth/internal/measuretest"
	"plinth/internal/record"
)

// TestMeasurePlants runs some of the experiments that plant causes, a block of each, and diagnoses the runs.
// scripts/plants/run runs all of them, in six blocks; the table in docs/diagnosis.md is of such a capture.
func TestMeasurePlants(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	plinth := filepath.Join(t.TempDir(), "plinth")
	if out, err := exec.Command("go", "build", "-o", plinth, "plinth/cmd/plinth").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	measuretest.AskTimes(t, 1, "Does a diagnosis name the cause that was planted?", func(m *measuretest.M) {
		store := m.TempDir()
		var records []*record.Record
		for _, name := range []string{"commit", "cpu", "read", "cliff", "redis-cpu", "redis-fsync", "redis-sleep"} {
			run := exec.Command(plinth, "run", filepath.Join(here, name+".yaml"), "--store", store, "--set", "repeats=1")
			run.Dir = store
			// A verdict needs more blocks, which is an exit code of its own.
			if out, err := run.CombinedOutput(); err != nil && run.ProcessState.ExitCode() < 0 {
				m.Fatalf("%s: %v: %s", name, err, out)
			}
			dirs, err := filepath.Glob(filepath.Join(store, "plant-"+name+"-2*"))
			if err != nil || len(dirs) != 1 {
				m.Fatalf("%s: the records are %s, %v", name, dirs, err)
			}
			rec, err := record.Open(dirs[0])
			if err != nil {
				m.Fatal(err)
			}
			records = append(records, rec)
		}
		judged, err := Judge(all, records)
		if err != nil {
			m.Fatal(err)
		}
		kinds := Kinds(judged)
		for _, k := range kinds[len(kinds)-2:] {
			m.AtLeast(map[string]string{noKind: "clean runs in which no other cause comes first", allKinds: "planted runs in which the cause comes first"}[k.Kind],
				float64(k.Right)/float64(k.Runs), "", 0.9)
			m.Value(k.Kind+" runs", float64(k.Runs), "")
		}
		if slices.ContainsFunc(judged, func(j Judged) bool {
			return j.Falls && slices.Contains([]string{"cliff", "redis-sleep"}, j.Experiment) && j.Runs == 0
		}) {
			m.Error("a run with a cliff is missing")
		}
		found, runs := Falls(judged)
		m.AtLeast("falls of throughput whose second was found", float64(found)/float64(runs), "", 0.9)
	})
}
