package decode

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"plinth/internal/conninfo"
	"plinth/internal/experiment/encode"
	"plinth/internal/strictyaml"
)

// FuzzParse checks that Parse either returns mistakes or an experiment that is equal when it is encoded
// and parsed again.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/mistakes/*.yaml")
	for _, file := range append(files, "testdata/full.yaml", "testdata/redis.yaml", "testdata/full.canonical.yaml",
		"testdata/steps.canonical.yaml", "testdata/ablation.yaml", "testdata/ablation.canonical.yaml", "testdata/kubernetes.yaml",
		"../builtin/quickstart.yaml", "../builtin/raid10-gp3.yaml", "../builtin/tablespaces.yaml", "../builtin/tuning-journey.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "dataset.scale=5")
	}
	f.Add("workloads: [select-only]\nenvironments: {a: {}}", "environments.a.storage.tablespaces.b={emulate: {model: {name: x, read: {median: 1ms}, write: {median: 1ms}}}}")
	f.Add("workloads: [select-only]", "environments={a: {connect: 'host=a password=b', disposable: true}}")
	f.Add("workloads: [select-only]\nallow_host: true\nenvironments: {a: {tuning: [{work_mem: = memory / 9}, {name: b, settings: {vm.swappiness: 1}}]}}", "ablate=knob")
	f.Add("workloads: [select-only]\nenvironments: {a: {settings: {work_mem: 4MB}}}", "steps=[{name: b, settings: {WORK_MEM: 8MB}}, {name: c, limits: {cpus: 1}}]")
	f.Fuzz(func(t *testing.T, text, set string) {
		e, _, err := Parse("fuzz.yaml", []byte(text), "", []string{set})
		var mistakes *strictyaml.Error
		switch {
		case err != nil && (!errors.As(err, &mistakes) || len(mistakes.Mistakes) == 0 || err.Error() == ""):
			t.Fatalf("no mistakes in %v", err)
		case err != nil:
			return
		}
		written := encode.YAML(e)
		back, _, err := Parse("canonical.yaml", written, "", nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if d := encode.Differences(e, back); len(d) > 0 {
			t.Fatalf("%q\n%s", d, written)
		}
		e.SeedChosen = false
		for i := range e.Environments {
			e.Environments[i].Connect = conninfo.Conninfo(e.Environments[i].Connect.String())
		}
		if !reflect.DeepEqual(e, back) {
			t.Fatalf("%+v\n%+v\n%s", e, back, written)
		}
		if e.Schedule().Runs() != e.Repeats*len(e.Cells())*len(e.Environments) {
			t.Fatal("a run is missing")
		}
	})
}
