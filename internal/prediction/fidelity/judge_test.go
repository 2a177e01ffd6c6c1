package fidelity

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment/decode"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
)

// captured returns what was measured with commits-known.yaml (scripts/fidelity -capture).
func captured(t *testing.T) []demand.Cell {
	t.Helper()
	text, err := os.ReadFile("testdata/commits-known.json")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]demand.Cell
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// TestCaptured predicts captured measurements. The devices are those on which the model was developed, so that this
// is no proof of how true it is: it is there so that a change that makes it worse is seen.
func TestCaptured(t *testing.T) {
	all := Judge(captured(t), false)
	s := Summarize(all)
	t.Log(s)
	if s.Cells != 28 || s.Refused != 0 {
		t.Errorf("%d cells, %d refused; want 28 and none", s.Cells, s.Refused)
	}
	if s.Median > 0.10 || s.P95 > 0.15 || s.MedianP95 > 0.15 || s.Held < 0.8 {
		t.Errorf("worse than it was:\n%s%s", Table(all), s)
	}
	if s.ByLatency < 3*s.Median || s.ByIOPS < 3*s.Median {
		t.Errorf("a naive rule is nearly as good: %s", s)
	}
}

// TestRefused checks that a cell whose reference cannot be explained is refused, and is no error of a prediction.
func TestRefused(t *testing.T) {
	cells := slices.DeleteFunc(captured(t), func(c demand.Cell) bool { return c.Workload != "simple-update" || c.Clients == 48 })
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
		if e.Baseline != ReferenceName || e.Repeats != 6 || len(e.Environments) < 4 {
			t.Errorf("%s: baseline %s, %d repeats, %d environments", file, e.Baseline, e.Repeats, len(e.Environments))
		}
	}
}

// TestAsImported predicts the captured measurements as if others had made them: what is known of the reference is its
// disk, its clients, its CPUs and its throughput. The intervals are wide, and have to hold.
func TestAsImported(t *testing.T) {
	cells := captured(t)
	for i, c := range cells {
		if c.Environment != ReferenceName {
			continue
		}
		s := c.System
		cells[i].Assumed = []string{"it is as if imported"}
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
