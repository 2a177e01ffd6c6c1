package manifest

import (
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/experimenttest"
	"plinth/internal/unit"
)

// all returns every object of an experiment, as a run creates them.
func all(t testing.TB, p Plan) []Object {
	t.Helper()
	var objects []Object
	if p.Experiment.Kubernetes.Namespace != "" {
		objects = append([]Object{p.Namespace()}, p.Access()...)
	}
	objects = append(objects, p.Keeper())
	for _, env := range p.Experiment.OnKubernetes() {
		server, err := p.Server(env)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, server...)
		objects = append(objects, p.Reader(env, "node1", true))
	}
	return append(objects, p.Load())
}

func load(t testing.TB, file string) *experiment.Experiment {
	t.Helper()
	e, _, err := decode.Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The golden files hold the objects of whole experiments. They pass what Kubernetes 1.33 and the webhook
// of CloudNativePG 1.28 check when an object is created.
func TestObjectsOfWholeExperiments(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) != 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		p := Plan{Experiment: load(t, file), Record: "lab-20261126T004100Z", Version: "1.0", Password: func() string { return "PASSWORD" }}
		text, err := YAML(all(t, p)...)
		if err != nil {
			t.Fatal(err)
		}
		experimenttest.CompareGolden(t, strings.TrimSuffix(file, ".yaml")+".golden", string(text))
	}
}

func TestImage(t *testing.T) {
	for version, want := range map[string]string{
		"v0.1.0-3-g24233444-dirty": "localhost/plinth:v0.1.0-3-g24233444-dirty",
		"v1.0+rc1":                 "localhost/plinth:v1.0-rc1",
		"-.x":                      "localhost/plinth:x",
		strings.Repeat("a", 200):   "localhost/plinth:" + strings.Repeat("a", 128),
	} {
		p := Plan{Experiment: &experiment.Experiment{}, Version: version}
		if got := p.Image(); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
	own := &experiment.Experiment{}
	own.Kubernetes.Image = "registry.example/plinth:1"
	if got := (Plan{Experiment: own, Version: "v1"}).Image(); got != own.Kubernetes.Image {
		t.Error(got)
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("a", 63)
	p := Plan{Record: "lab-20261126T004100Z"}
	for environment, want := range map[string]string{
		"local":                      "plinth-RECORD-server-local",
		"v15.2":                      "plinth-RECORD-server-v15-2-DIGEST",
		"v15-2":                      "plinth-RECORD-server-v15-2",
		"2x-":                        "plinth-RECORD-server-2x-DIGEST",
		strings.Repeat("a", 26):      "plinth-RECORD-server-" + strings.Repeat("a", 26),
		long:                         "plinth-RECORD-server-" + strings.Repeat("a", 17) + "-DIGEST",
		long[:20] + ".-" + long[:20]: "plinth-RECORD-server-" + strings.Repeat("a", 17) + "-DIGEST",
	} {
		want = strings.NewReplacer("RECORD", digest(p.Record), "DIGEST", digest(environment)).Replace(want)
		if got := p.name(environment, roleServer); got != want {
			t.Errorf("%s: %s, want %s", environment, got, want)
		}
	}
	for text, want := range map[string]string{
		"lab-20261126T004100Z": "lab-20261126T004100Z",
		"":                     "DIGEST",
		"...":                  "DIGEST",
		"a b":                  "a-b-DIGEST",
		"a-":                   "a-DIGEST",
		long + "-20261126":     strings.Repeat("a", 54) + "-DIGEST",
	} {
		want = strings.ReplaceAll(want, "DIGEST", digest(text))
		if got := LabelValue(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestQuantities(t *testing.T) {
	for size, want := range map[int64]string{20 << 30: "20Gi", 1 << 40: "1Ti", 1536 << 20: "1536Mi", 1 << 10: "1Ki", 1<<30 + 1: "1073741825", 5e9: "5000000000"} {
		if got := quantity(unit.Size(size)); got != want {
			t.Errorf("%d: %s, want %s", size, got, want)
		}
	}
	for cpus, want := range map[float64]string{2: "2", 0.5: "500m", 1.5: "1500m", 0.0101: "11m", 4096: "4096"} {
		if got := cores(cpus); got != want {
			t.Errorf("%g: %s, want %s", cpus, got, want)
		}
	}
}

func TestOwner(t *testing.T) {
	p := Plan{Experiment: load(t, "testdata/postgres.yaml"), Record: "lab", Password: func() string { return "x" }}
	job := p.Load()
	p.Own([]Object{job}, "5f1c")
	owner := job["metadata"].(Object)["ownerReferences"].([]any)[0].(Object)
	keeper := p.Keeper()
	for _, key := range []string{"apiVersion", "kind"} {
		if owner[key] != keeper[key] {
			t.Errorf("%s: %v", key, owner)
		}
	}
	if owner["name"] != keeper["metadata"].(Object)["name"] || owner["uid"] != "5f1c" {
		t.Errorf("%v", owner)
	}
}

// The golden file holds the objects of a probe. They pass what Kubernetes 1.33 checks.
func TestProbe(t *testing.T) {
	e := &experiment.Experiment{Kubernetes: experiment.Cluster{Namespace: "bench"}}
	var objects []Object
	for _, of := range []Probe{{Class: "slow", Claim: 3 * unit.GiB, Node: "node1", Beside: 1280 * unit.MiB}, {Class: "slow", Claim: unit.GiB}} {
		claim, pod := Plan{Experiment: e, Record: "probe-slow-20261126T004100.000Z", Version: "1.0"}.Probe(of)
		objects = append(objects, claim, pod)
	}
	text, err := YAML(objects...)
	if err != nil {
		t.Fatal(err)
	}
	experimenttest.CompareGolden(t, "testdata/probe.golden", string(text))
}
