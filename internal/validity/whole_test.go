package validity

import (
	"math"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// wholeTrials change an experiment at a rate on two disks, reloaded for each repeat, whose
// datasets are larger than the buffers.
var wholeTrials = []struct {
	name   string
	change func(*experiment.Experiment, map[string]record.Environment)
	want   string
	text   string
}{
	{"nothing", func(*experiment.Experiment, map[string]record.Environment) {}, "", ""},
	{"in buffers", func(_ *experiment.Experiment, m map[string]record.Environment) {
		setBytes(m, "disk", 127<<20)
	}, "dataset-in-buffers", "the dataset fits into shared_buffers (127MiB of 128MiB in disk)"},
	{"as large as the buffers", func(_ *experiment.Experiment, m map[string]record.Environment) {
		setBytes(m, "disk", 128<<20)
	}, "", ""},
	{"in buffers, on one disk", func(e *experiment.Experiment, m map[string]record.Environment) {
		e.Environments[1].Storage = e.Environments[0].Storage
		setBytes(m, "disk", 1<<20)
	}, "", ""},
	{"in buffers, against a server elsewhere", func(e *experiment.Experiment, m map[string]record.Environment) {
		e.Environments[1].Storage, e.Environments[1].Connect = e.Environments[0].Storage, "host=elsewhere"
		setBytes(m, "disk", 1<<20)
	}, "dataset-in-buffers", ""},
	{"not described", func(_ *experiment.Experiment, m map[string]record.Environment) { clear(m) }, "", ""},
	{"one load", func(e *experiment.Experiment, _ map[string]record.Environment) {
		e.Dataset.Reload = "once"
	}, "one-load", "in 23 % of experiments"},
	{"one load of one environment", func(e *experiment.Experiment, _ map[string]record.Environment) {
		e.Dataset.Reload, e.Environments = "once", e.Environments[:1]
	}, "", ""},
	{"reloaded before each run", func(e *experiment.Experiment, _ map[string]record.Environment) {
		e.Dataset.Reload, e.Reset = "once", "reload"
	}, "", ""},
	{"nothing is loaded", func(e *experiment.Experiment, _ map[string]record.Environment) {
		e.Dataset = experiment.Dataset{Reload: "once"}
	}, "", ""},
	{"tables of its own", func(e *experiment.Experiment, _ map[string]record.Environment) {
		e.Dataset = experiment.Dataset{Reload: "once"}
		e.Workloads = []experiment.Workload{{Init: experiment.Init{SQL: "CREATE TABLE t ()"}}}
	}, "one-load", ""},
	{"one load of keys", func(e *experiment.Experiment, _ map[string]record.Environment) {
		e.Engine, e.Dataset = "redis", experiment.Dataset{Keys: 1000, Reload: "once"}
	}, "", ""},
	{"telemetry off in all", func(e *experiment.Experiment, _ map[string]record.Environment) {
		e.Telemetry = "off"
	}, "", ""},
	{"telemetry off in one", func(e *experiment.Experiment, _ map[string]record.Environment) {
		e.Environments[1].Telemetry = "off"
	}, "telemetry-differs", "telemetry is on in "},
	{"telemetry is what is compared", func(e *experiment.Experiment, _ map[string]record.Environment) {
		e.Environments[1].Storage, e.Environments[1].Telemetry = e.Environments[0].Storage, "off"
	}, "", ""},
}

func setBytes(environments map[string]record.Environment, name string, bytes int64) {
	e := environments[name]
	e.Dataset.Bytes = bytes
	environments[name] = e
}

func TestWhole(t *testing.T) {
	broken := map[string]bool{}
	for _, try := range wholeTrials {
		t.Run(try.name, func(t *testing.T) {
			e := &experiment.Experiment{
				Engine: "postgres", Rates: []float64{100}, Reset: "vacuum", Dataset: experiment.Dataset{Scale: 10, Reload: "repeat"},
				Environments: []experiment.Environment{
					{Name: "disk", Storage: experiment.Storage{Data: experiment.Volume{Directory: "/mnt/disk"}}},
					{Name: "memory", Storage: experiment.Storage{Data: experiment.Volume{Directory: "/dev/shm"}}},
				},
			}
			dataset := record.Dataset{Bytes: 150 << 20, SharedBuffers: 128 << 20}
			environments := map[string]record.Environment{
				"disk": {Name: "disk", Dataset: dataset}, "memory": {Name: "memory", Dataset: dataset},
			}
			try.change(e, environments)
			notes := Whole(e, environments)
			if got := rulesOf(nil, notes); got != try.want {
				t.Fatalf("got %q, want %q: %+v", got, try.want, notes)
			}
			if len(notes) > 0 && !strings.Contains(notes[0].Text, try.text) {
				t.Errorf("text %q lacks %q", notes[0].Text, try.text)
			}
		})
		broken[try.want] = true
	}
	if i := slices.IndexFunc(wholeRules, func(r wholeRule) bool { return !broken[r.name] }); i >= 0 {
		t.Errorf("nothing breaks %s", wholeRules[i].name)
	}
}

// TestOneLoadFigure computes the figure that one-load quotes: how often a
// two-sided test at 5 % finds 1 % in 78 blocks whose pairs vary by 7 %.
func TestOneLoadFigure(t *testing.T) {
	const critical = 1.96
	shift := 0.01 / (0.07 / math.Sqrt(78))
	beyond := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	found := beyond(critical-shift) + beyond(critical+shift)
	if math.Abs(found-0.23) > 0.02 {
		t.Errorf("%.3f, not 0.23", found)
	}
}
