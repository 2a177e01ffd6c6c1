package decode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/experiment"
)

// What plinth import writes into a record.
const imported = `
name: elsewhere
engine: other
imported: true
workloads: [oltp-read-write]
clients: [16]
threads: [32]
environments: {nvme: {facts: {instance: i4i.large}}}
`

func TestImported(t *testing.T) {
	e, warnings, err := Parse("experiment.yaml", []byte(imported), "", nil)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if w := e.Workloads[0]; w.Name != "oltp-read-write" || len(w.Scripts) > 0 {
		t.Errorf("the workload is %+v", w)
	}
	if data := e.Environments[0].Storage.Data; data.Given() {
		t.Errorf("the environment has the storage %+v", data)
	}
	file := filepath.Join(t.TempDir(), "e.yaml")
	if err := os.WriteFile(file, []byte(imported), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(file, nil); err == nil || !strings.Contains(err.Error(), "it describes what others measured") {
		t.Errorf("loading it to run it: %v", err)
	}
	if _, _, err := Parse("e.yaml", []byte(strings.Replace(imported, "imported: true", "", 1)), "", nil); err == nil {
		t.Error(experiment.EngineOther + " is an engine of experiments")
	}
}
