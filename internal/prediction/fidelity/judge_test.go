package fidelity

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment/decode"
	"plinth/internal/prediction/closed"
	"plinth/internal/record"
)

// captured returns the cells that were measured with an experiment of this package.
func captured(t *testing.T, experiment string) []Measured {
	t.Helper()
	return captures(t, experiment)[0].Cells
}

// captures returns what was measured with an experiment of this package (scripts/fidelity -capture).
func captures(t *testing.T, experiment string) (all []Captured) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + experiment + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCaptured predicts captured measurements. The model was developed on most of these devices, so that this is no
// proof of how accurate it is: it is there so that a change that makes it worse is seen.
func TestCaptured(t *testing.T) {
	for experiment, want := range map[string]struct {
		cells               int
		median, p95, tail   float64
		held                float64
		naive               float64 // how much worse the rules of thumb are, at least
		told, rankedAgainst int
	}{
		"commits-first":  {28, 0.045, 0.135, 0.10, 0.9, 4, 50, 2},
		"commits-second": {34, 0.05, 0.11, 0.10, 0.9, 3, 80, 0},
		"commits-third":  {34, 0.045, 0.11, 0.11, 0.9, 4, 84, 0},
		"commits-fourth": {34, 0.09, 0.26, 0.10, 0.7, 1, 45, 1}, // PostgreSQL 18
		"reads-first":    {11, 0.065, 0.12, 0.10, 0.9, 1, 18, 0},
		"reads-second":   {14, 0.065, 0.12, 0.12, 0.9, 1, 26, 0},
		"reads-third":    {14, 0.075, 0.14, 0.08, 0.8, 1, 27, 0},
	} {
		t.Run(experiment, func(t *testing.T) {
			cells := captured(t, experiment)
			all := Judge(cells, false)
			s := Summarize(all)
			t.Log(s)
			if s.Cells != want.cells || s.Refused != 0 {
				t.Errorf("%d cells, %d refused; want %d and none", s.Cells, s.Refused, want.cells)
			}
			if s.Median > want.median || s.P95 > want.p95 || s.MedianP95 > want.tail || s.Held < want.held {
				t.Errorf("worse than it was:\n%s%s", Table(all), s)
			}
			if s.ByLatency < want.naive*s.Median || s.ByIOPS < want.naive*s.Median || s.ByInterpolation < want.naive*s.Median {
				t.Errorf("a rule of thumb is nearly as good: %s", s)
			}
			if r := Rank(cells, all); r.Known != want.told || len(r.Against) > want.rankedAgainst {
				t.Errorf("%d pairs, ranked the other way: %v", r.Known, r.Against)
			}
			if text := ByDevice(all); strings.Count(text, "\n") < 5 {
				t.Error(text)
			}
		})
	}
}

// TestRefused checks that a cell whose reference cannot be explained is refused, and is no error of a prediction.
func TestRefused(t *testing.T) {
	cells := slices.DeleteFunc(captured(t, "commits-first"), func(c Measured) bool { return c.Workload != "simple-update" || c.Clients == 48 })
	for i := range cells {
		if cells[i].Environment == ReferenceName && cells[i].Clients == 16 {
			for r := range cells[i].Runs {
				cells[i].Runs[r].Mean *= 5 // something else holds up the transactions
			}
		}
	}
	all := Judge(cells, true)
	s := Summarize(all)
	if s.Refused != 4 || s.Cells != 4 {
		t.Errorf("%s", s)
	}
	if text := Table(all); !strings.Contains(text, "refused: the model does not explain") {
		t.Error(text)
	}
	if none := Summarize(nil); none.Cells != 0 || !math.IsNaN(none.Median) {
		t.Errorf("%+v", none)
	}
}

// TestFewEnvironments checks that the tables of two environments have no figure of an interpolation, which needs a third.
func TestFewEnvironments(t *testing.T) {
	cells := captured(t, "commits-first")
	other := cells[slices.IndexFunc(cells, func(c Measured) bool { return c.Environment != ReferenceName })].Environment
	all := Judge(slices.DeleteFunc(cells, func(c Measured) bool { return c.Environment != ReferenceName && c.Environment != other }), false)
	for _, text := range []string{ByDevice(all), Summarize(all).String()} {
		if strings.Contains(text, "NaN") || !strings.Contains(text, "- |\n") && !strings.HasSuffix(text, "interpolation -") {
			t.Error(text)
		}
	}
}

// TestReferences checks from which environment each is predicted: one with the same settings, whose name begins with
// "reference" if there is one, else the baseline, else the first.
func TestReferences(t *testing.T) {
	rec := &record.Record{Summary: record.Summary{Baseline: "b"}, Environments: map[string]record.Environment{}}
	var names []string
	for name, policy := range map[string]string{"a": "always", "reference": "always", "b": "everysec", "a-everysec": "everysec", "x-no": "no", "y-no": "no"} {
		rec.Environments[name] = record.Environment{Name: name, Declared: map[string]string{"appendfsync": policy}}
		names = append(names, name)
	}
	slices.Sort(names)
	for name, want := range map[string]string{"a": "reference", "reference": "reference", "a-everysec": "b", "b": "b", "y-no": "x-no"} {
		if got := referenceOf(rec, names, name, ReferenceName); got != want {
			t.Errorf("%s is predicted from %s, want %s", name, got, want)
		}
	}
	if got := referenceOf(rec, names, "reference", "a"); got != "a" {
		t.Errorf("the reference is %s", got)
	}
	disk := device.Device{Name: "disk", Write: device.Latency{Median: 1000}}
	for name, tc := range map[string]struct {
		volumes []record.Volume
		known   bool
	}{
		"a model":      {[]record.Volume{{Role: "data", Emulation: &record.Emulation{Model: disk}}}, true},
		"one of two":   {[]record.Volume{{Role: "data", Emulation: &record.Emulation{Model: disk}}, {Role: "wal"}}, false},
		"pass-through": {[]record.Volume{{Role: "data", Emulation: &record.Emulation{Model: device.Device{Name: "pass-through"}}}}, false},
		"no volume":    {nil, false},
	} {
		if got := disksKnown(record.Environment{Volumes: tc.volumes}); got != tc.known {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestExperiments checks that the experiments can be run, and have a reference.
func TestExperiments(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, _, err := decode.Parse(file, text, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.Baseline != ReferenceName || e.Repeats < 4 || len(e.Environments) < 3 {
			t.Errorf("%s: baseline %s, %d repeats, %d environments", file, e.Baseline, e.Repeats, len(e.Environments))
		}
	}
}

// TestCapturedRedis predicts captured measurements of Redis, from a disk whose durable write takes 2 ms: those with 5 ms
// and with 400 IOPS; and those of redis-first, and of redis-third to redis-fifth.
func TestCapturedRedis(t *testing.T) {
	all := Judge(captured(t, "redis-fsync"), true)
	s := Summarize(all)
	t.Log(s)
	if s.Cells != 2 || s.Refused != 0 || s.P95 > 0.25 || s.MedianP95 > 0.10 || s.Held != 1 {
		t.Errorf("worse than it was:\n%s%s", Table(all), s)
	}
	if s.ByLatency < 3*s.Median || s.ByIOPS < 3*s.Median {
		t.Errorf("a naive rule is nearly as good: %s", s)
	}
	for _, c := range []struct {
		experiment              string
		same                    bool
		cells                   int
		median, p95, tail, held float64
	}{
		{"redis-first", true, 15, 0.10, 0.25, 0.10, 0.93}, {"redis-first", false, 15, 0.09, 0.25, 0.10, 0.93},
		{"redis-third", true, 15, 0.05, 0.22, 0.10, 1}, {"redis-third", false, 21, 0.105, 0.21, 0.10, 0.93},
		{"redis-fourth", true, 12, 0.025, 0.15, 0.05, 1}, {"redis-fourth", false, 18, 0.08, 0.20, 0.05, 1},
		{"redis-fifth", true, 6, 0.055, 0.10, 0.07, 1}, {"redis-fifth", false, 12, 0.07, 0.21, 0.12, 1},
	} {
		all := Judge(captured(t, c.experiment), c.same)
		s := Summarize(all)
		t.Log(s)
		if s.Cells < c.cells || s.Refused != 0 || s.Median > c.median || s.P95 > c.p95 || s.MedianP95 > c.tail || s.Held < c.held {
			t.Errorf("%s, same clients: %v: worse than it was:\n%s%s", c.experiment, c.same, Table(all), s)
		}
	}
}

// TestAsImported predicts the captured measurements as if others had made them: what is known of the reference is its
// disk, its clients, its CPUs and its throughput. The intervals are wide, and have to hold.
func TestAsImported(t *testing.T) {
	cells := captured(t, "commits-first")
	for i, c := range cells {
		if c.Environment != ReferenceName {
			continue
		}
		s := c.System
		cells[i].Assumed, cells[i].Images = []string{"it is as if imported"}, nil
		cells[i].System = closed.System{Clients: s.Clients, CPUs: s.CPUs, Sync: s.Sync, Data: s.Data, WAL: s.WAL,
			Demand: closed.Demand{Statements: s.Statements, WALBytes: 5000, Commits: 1, Locks: s.Locks}}
	}
	for _, same := range []bool{true, false} {
		all := Judge(cells, same)
		s := Summarize(all)
		t.Logf("same clients: %v\n%s%s", same, Table(all), s)
		if s.Refused != 0 || s.Median > 0.10 || s.Held < 0.95 {
			t.Errorf("same clients: %v: %s", same, s)
		}
	}
}
