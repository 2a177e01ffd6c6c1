package experiment

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestBuiltins(t *testing.T) {
	want := []BuiltinInfo{
		{"quickstart", "What does this disk cost a commit?"},
		{"storage-baseline", "Does the storage matter more than the platform?"},
		{"telemetry-cost", "What does it cost to be watched?"},
	}
	if got := Builtins(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	for _, b := range Builtins() {
		e, warnings, err := LoadBuiltin(b.Name, nil)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v %v", b.Name, warnings, err)
		}
		if e.Name != b.Name || e.Question != b.Question {
			t.Errorf("%s is named %s, asks %s", b.Name, e.Name, e.Question)
		}
	}
}

func TestQuickstart(t *testing.T) {
	e, _, err := LoadBuiltin("quickstart", nil)
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if runs := e.Schedule().Runs(); runs != 48 || e.Duration.Std() != time.Second || e.Baseline != "disk" {
		t.Errorf("%d runs of %s against %s", runs, e.Duration, e.Baseline)
	}
	if environment(e, "disk").Storage.Data != here || environment(e, "memory").Storage.Data != "/dev/shm" {
		t.Errorf("environments %v", e.Environments)
	}
}

func TestStorageBaseline(t *testing.T) {
	e, _, err := LoadBuiltin("storage-baseline", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"shared_buffers": "1900MB", "effective_cache_size": "3800MB", "work_mem": "4MB",
		"max_connections": "839", "wal_buffers": "60MB", "maintenance_work_mem": "128MB",
	}
	if e.Schedule().Runs() != 39 || e.Dataset.Scale != 100 || e.Duration.Std() != time.Minute || !reflect.DeepEqual(e.Settings, want) {
		t.Errorf("%d runs at scale %d of %s with %v", e.Schedule().Runs(), e.Dataset.Scale, e.Duration, e.Settings)
	}
}

// The comments of the built-in files tell users what to type; it has to work.
func TestCommandsInTheCommentsOfBuiltins(t *testing.T) {
	for _, name := range builtinNames() {
		data, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for line := range strings.Lines(string(data)) {
			_, set, has := strings.Cut(line, "--set ")
			if !has {
				continue
			}
			found++
			key, value, _ := strings.Cut(strings.TrimSpace(set), "=")
			if _, _, err := LoadBuiltin(name, []string{key + "=" + strings.Trim(value, "'")}); err != nil {
				t.Errorf("%s: %s: %v", name, set, err)
			}
		}
		if found == 0 {
			t.Errorf("%s does not say how to change it", name)
		}
	}
}

func TestUnknownBuiltin(t *testing.T) {
	_, _, err := LoadBuiltin("quikstart", nil)
	compareGolden(t, filepath.Join("testdata", "unknown-builtin.txt"), golden(t, err))
}

func TestScaleBelowClientsIsAWarning(t *testing.T) {
	_, warnings, err := LoadBuiltin("storage-baseline", []string{"duration=2s", "dataset.scale=5"})
	want := []Warning{{
		Rule: "scale-below-clients",
		Text: "scale 5 is less than 100 clients: tpcb-like then measures waiting for row locks",
		Hint: "set dataset.scale to 100 or more",
	}}
	if err != nil || !reflect.DeepEqual(warnings, want) {
		t.Errorf("got %v, %v", warnings, err)
	}
	_, warnings, err = LoadBuiltin("storage-baseline", []string{"dataset.scale=5", "workloads=[simple-update]"})
	if err != nil || len(warnings) > 0 {
		t.Errorf("without tpcb-like: %v, %v", warnings, err)
	}
}
