package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report"
)

// overloaded has a rate that one of two cells can't keep, in both environments,
// and figures of its own in every run.
func overloaded(t *testing.T) *record.Record {
	t.Helper()
	rec, e := newRecord(t, "name: overloaded\nworkloads: [tpcb-like]\nclients: [4]\nthreads: [2]\nrate: [500, 100000]\n"+
		"latency_limit: 2ms\nrepeats: 3\nseed: 5\nenvironments: {disk: {}, ram: {}}\n")
	latency := map[string]float64{"disk": 1, "ram": 0.5}
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
			run := measured(t, rec, id, 450, latency[slot.Environment])
			if slot.Cell.Rate > 500 {
				run.Result.TPS = 2600
				run.Warnings = []record.Note{{Rule: "skipped", Text: fmt.Sprintf("%d of 199018 transactions were skipped", 193_000+run.Number)}}
			}
		}
	}
	return rec
}

func TestOneLineForAWarningOfManyRuns(t *testing.T) {
	rec := overloaded(t)
	for _, brief := range []bool{false, true} {
		text := strings.Join(strings.Fields(write(t, rec, "text", report.Options{Brief: brief})), " ")
		if n := strings.Count(text, "were skipped"); n != 1 {
			t.Errorf("brief %v: said %d times:\n%s", brief, n, text)
		}
		for _, want := range []string{"transactions were skipped (the first of 6 of 12 runs: ", "3 in disk", "3 in ram", "; tpcb-like/c4-j2-rate100000)"} {
			if !strings.Contains(text, want) {
				t.Errorf("brief %v: no %q in\n%s", brief, want, text)
			}
		}
	}
	for i := range rec.Runs {
		if rec.Runs[i].Environment == "disk" {
			rec.Runs[i].Warnings = nil
		}
	}
	var show report.Show
	if err := json.Unmarshal([]byte(write(t, rec, "json", report.Options{})), &show); err != nil {
		t.Fatal(err)
	}
	if len(show.Warnings) != 0 || len(show.Environments[0].Warnings) != 0 || len(show.Environments[1].Warnings) != 1 {
		t.Errorf("what ram alone has is not beside ram: %+v", show)
	}
}

// TestMaximumIsExact: a histogram knows it to three digits, a run exactly.
func TestMaximumIsExact(t *testing.T) {
	rec, _ := newRecord(t, "name: one\nworkloads: [tpcb-like]\nclients: [1]\nthreads: [1]\nrepeats: 1\nenvironments: {disk: {}}\n")
	h := record.NewHistogram()
	if err := h.RecordValue(45_208_000); err != nil {
		t.Fatal(err)
	}
	id := record.RunID{Environment: "disk", Repeat: 1, Attempt: 1, Cell: experiment.Cell{Workload: "tpcb-like", Clients: 1, Threads: 1}}
	run := measured(t, rec, id, 100, 1)
	run.Result.Latency = record.Summarise(h)
	run.Result.Latency.Max = 45_208_000
	var show report.Show
	if err := json.Unmarshal([]byte(write(t, rec, "json", report.Options{})), &show); err != nil {
		t.Fatal(err)
	}
	got := *show.Environments[0].Cells[0].Percentiles
	if got.Max != 45_208_000 || got.P999 > got.Max || got.P50 > got.Max {
		t.Errorf("got %+v, want nothing above 45208000", got)
	}
}
