package decode

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
	"plinth/internal/experiment/experimenttest"
	"plinth/internal/experiment/field"
	"plinth/internal/strictyaml"
)

func TestDefaults(t *testing.T) {
	e, warnings, err := Parse("dir/My first_Lab.yaml", []byte("workloads: [select-only]\nenvironments: {b: , a: {}}\n"), "", nil)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if e.Seed < 1 || e.Seed >= 1<<31 || !e.SeedChosen {
		t.Errorf("seed %d, chosen %v", e.Seed, e.SeedChosen)
	}
	want := &experiment.Experiment{
		Name: "my-first-lab", Engine: "postgres", Dataset: experiment.Dataset{Scale: 10, Reload: "once", Fillfactor: 100},
		Workloads: []experiment.Workload{experiment.WorkloadOf("select-only")}, Clients: []int{1}, Threads: []int{1},
		Protocol: "simple", Connect: "once", MaxTries: 1, Duration: 60e9, Warmup: 10e9, Reset: "vacuum", Repeats: 6,
		Metric: "tps", Margin: 0.03, Stop: "end", Interleave: "block", Caches: "keep", Awake: "auto", Telemetry: "on", Seed: e.Seed, SeedChosen: true, Baseline: "b",
		Environments: []experiment.Environment{{Name: "b", Storage: experiment.Storage{Data: experiment.Volume{Directory: "."}}}, {Name: "a", Storage: experiment.Storage{Data: experiment.Volume{Directory: "."}}}},
	}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("got\n%+v\nwant\n%+v", e, want)
	}
}

func TestAliases(t *testing.T) {
	e, _, err := Parse("lab.yaml", []byte(`
workloads: [select-only]
environments:
  a: {storage: {data: /a}, settings: &s {fsync: off}}
  b: {storage: {data: /b}, settings: *s}
`), "", nil)
	if err != nil || !reflect.DeepEqual(e.Environments[1].Settings, map[string]string{"fsync": "off"}) {
		t.Errorf("got %v, %v", e, err)
	}
}

func TestLoadReadsScriptsBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	experimenttest.Write(t, filepath.Join(dir, "lab.yaml"), "workloads: [{file: a.sql, init: b.sql}]\nenvironments: {one: {storage: {data: here}}}\n")
	experimenttest.Write(t, filepath.Join(dir, "a.sql"), "SELECT 1;\n")
	experimenttest.Write(t, filepath.Join(dir, "b.sql"), "CREATE TABLE t (id int);\n")
	e, _, err := Load(filepath.Join(dir, "lab.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := experiment.Workload{Name: "a", Scripts: []experiment.Script{{Name: "a", SQL: "SELECT 1;\n", Weight: 1}}, Init: experiment.Init{SQL: "CREATE TABLE t (id int);\n"}}
	if !reflect.DeepEqual(e.Workloads[0], want) {
		t.Errorf("got %+v", e.Workloads[0])
	}
	here, err := filepath.Abs("here")
	if err != nil || e.Environments[0].Storage.Data.Directory != here {
		t.Errorf("storage %v, want %s", e.Environments[0].Storage, here)
	}
}

func TestScriptsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	experimenttest.Write(t, filepath.Join(dir, "large.sql"), strings.Repeat("-- \n", 300_000))
	experimenttest.Write(t, filepath.Join(dir, "blank.sql"), " \n")
	experimenttest.Write(t, filepath.Join(dir, "binary.sql"), "SELECT \xff;")
	experimenttest.Write(t, filepath.Join(dir, "nul.sql"), "SELECT \x00;")
	for name, want := range map[string]string{
		"large.sql": "larger than 1 MiB", "blank.sql": "the file is empty", "binary.sql": "not UTF-8 text", "nul.sql": "not UTF-8 text",
		"/dev/zero": "not a regular file",
	} {
		_, _, err := Parse("lab.yaml", []byte("environments: {a: {}}\nworkloads: [{name: x, file: "+name+"}]\n"), dir, nil)
		if text := "lab.yaml:2:29: cannot read " + name + ": " + want; err == nil || err.Error() != text {
			t.Errorf("got %v, want %s", err, text)
		}
	}
	_, _, err := Parse("experiment.yaml", []byte("environments: {a: {}}\nworkloads: [{name: x, file: /etc/hostname}]\n"), "", nil)
	if err == nil || !strings.Contains(err.Error(), "no directory to read files from") {
		t.Errorf("without a directory: %v", err)
	}
}

func TestSettingsOf(t *testing.T) {
	e := &experiment.Experiment{Settings: map[string]string{"work_mem": "4MB", "fsync": "on"}}
	got := e.SettingsOf(experiment.Environment{Settings: map[string]string{"FSYNC": "off", "port": "1"}})
	if want := map[string]string{"work_mem": "4MB", "FSYNC": "off", "port": "1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestBoundsOfAFile(t *testing.T) {
	const tail = "workloads: [select-only]\nenvironments: {one: {}}\n"
	for text, want := range map[string]string{
		"clients: [" + strings.Repeat("1, ", 1001) + "1]\n" + tail:                           "x.yaml:1:10: clients: a list of 1002 entries, more than the maximum of 1000",
		"workloads: [select-only]\nenvironments:\n" + strings.Repeat("  a: \n", 1001):        "x.yaml:3:3: environments: 1001 entries, more than the maximum of 1000",
		strings.Repeat("#", 1<<20+1):                                                         "x.yaml: larger than 1 MiB, the maximum experiment file size",
		"workloads: [" + strings.Repeat("~, ", 100_001) + "]\nenvironments: {one: {}}\n":     "x.yaml:1:300004: aliases or lists make this file too large: more than 100000 values",
		"question: \"\x01\"\n" + tail:                                                        "x.yaml:1:11: control characters are not allowed",
		"workloads: [select-only]\nenvironments: {one: {}}\n---\nquestion: @\n":              "x.yaml:4:11: a value cannot begin with @",
		strings.Repeat("# a long comment, to be larger than usual\n", 500) + "question: [\n": "x.yaml:1:1: this is not valid YAML",
	} {
		_, _, err := Parse("x.yaml", []byte(text), "", nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %.200v, want %s", err, want)
		}
	}
}

func TestMistakesAreNotToldWithoutEnd(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		text.WriteString("key" + strings.Repeat("y", i%7) + strings.Repeat("x", i/7%50) + ": 1\n")
	}
	_, _, err := Parse("x.yaml", []byte(text.String()), "", nil)
	var e *strictyaml.Error
	if !errors.As(err, &e) || len(e.Mistakes) != 100 {
		t.Errorf("%d mistakes are told", len(e.Mistakes))
	}
}

// With a rate, TPS is that rate, so it cannot decide a comparison.
func TestMetricAtARate(t *testing.T) {
	for text, want := range map[string]string{
		"rate: 100":              "latency",
		"rate: 100\nmetric: p99": "p99",
		"metric: p95":            "p95",
		"":                       "tps",
	} {
		e, _, err := Parse("x.yaml", []byte("workloads: [select-only]\nenvironments: {one: {}}\n"+text), "", nil)
		if err != nil || e.Metric != want {
			t.Errorf("%q: metric %q, %v; want %s", text, e.Metric, err, want)
		}
	}
}

// A password must never be shown: neither in errors about other parts of the same file, nor in the
// encoded experiment.
func TestPasswordStaysInside(t *testing.T) {
	const file = "workloads: [select-only]\nenvironments: {a: {connect: 'postgresql://u:hunter2@h/d', disposable: true}}\n"
	e, _, err := Parse("lab.yaml", []byte(file), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Environments[0].Connect.Secret() != "postgresql://u:hunter2@h/d" {
		t.Error("the password is lost")
	}
	for _, shown := range []string{string(encode.YAML(e)), fmt.Sprintf("%v %+v %#v", *e, *e, *e)} {
		if strings.Contains(shown, "hunter2") {
			t.Errorf("a password is shown: %s", shown)
		}
	}
	back, _, err := Parse("experiment.yaml", encode.YAML(e), "", nil)
	if err != nil || len(encode.Differences(back, e)) > 0 {
		t.Errorf("without its password it is another experiment: %v %v", err, encode.Differences(back, e))
	}
}

func TestFixedSettlesWhatLoadingChose(t *testing.T) {
	const text = "workloads: [select-only]\ndataset: {scale: 8, fit: true}\nenvironments: {a: {}}\n"
	first, _, err := Parse("x.yaml", []byte(text), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	first.Dataset.Scale = 2 // fitted
	again, _, err := Parse("x.yaml", []byte(text), "", first.Fixed())
	if err != nil {
		t.Fatal(err)
	}
	if d := encode.Differences(first, again); len(d) > 0 {
		t.Errorf("loaded again with Fixed it differs: %v", d)
	}
}

func TestRateShare(t *testing.T) {
	for text, want := range map[string]struct {
		share float64
		fit   bool
	}{"": {1, false}, "full": {1, false}, "fit": {0, true}, "25%": {0.25, false}, "100%": {1, false}, "0.5 %": {0.005, false}} {
		e, _, err := Parse("lab.yaml", []byte("workloads: [select-only]\nenvironments: {one: }\n"), "", []string{"emulated_rates=" + text})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if share, fit := e.RateShare(); share != want.share || fit != want.fit {
			t.Errorf("%q: %v, %v", text, share, fit)
		}
	}
}

// TestRequestsASecond checks that rps is an alias of the metric tps.
func TestRequestsASecond(t *testing.T) {
	for name, want := range map[string]string{"rps": "tps", "rps-variation": "tps-variation", "tps": "tps"} {
		if m, err := experiment.ParseMetric(name); err != nil || m.Name != want {
			t.Errorf("%s is %q (%v), want %s", name, m.Name, err, want)
		}
	}
	if _, err := experiment.ParseMetric("rpsx"); err == nil {
		t.Error("rpsx is a metric")
	}
	e, _, err := Parse("e.yaml", []byte("engine: redis\nworkloads: [set]\nmetric: rps\nenvironments: {a: {}, b: {}}\n"), "", nil)
	if err != nil || e.Metric != "tps" {
		t.Errorf("metric: rps is read as %+v (%v)", e, err)
	}
}

// Every default, limit and enum value in the tags can be parsed. Otherwise a slip in a tag would
// silently remove a default.
func TestTags(t *testing.T) {
	var check func(typ reflect.Type)
	check = func(typ reflect.Type) {
		for _, f := range field.Of(typ) {
			if section := field.Section(f.Type); section != nil {
				check(section)
				continue
			}
			for _, text := range []string{f.Default, f.Min, f.Max} {
				s := newDecoder(newSource("tag"))
				n := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
				n.Tag = n.ShortTag()
				if text != "" && !s.value(n, reflect.New(f.Type).Elem(), f, f.Name) {
					t.Errorf("%v", s.Err())
				}
			}
		}
	}
	check(reflect.TypeFor[experiment.Experiment]())
	e := &experiment.Experiment{}
	field.SetDefaults(reflect.ValueOf(e).Elem(), experiment.EnginePostgres)
	if e.Duration.String() != "60s" || e.Dataset.Scale != 10 || !reflect.DeepEqual(e.Clients, []int{1}) {
		t.Errorf("defaults: %+v", e)
	}
}
