package show_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
)

func TestOneLineForAWarningOfManyRuns(t *testing.T) {
	rec := reporttest.Overloaded(t)
	for _, brief := range []bool{false, true} {
		text := strings.Join(strings.Fields(reporttest.Written(t, rec, "text", summary.Options{Brief: brief})), " ")
		if n := strings.Count(text, "were skipped"); n != 1 {
			t.Errorf("brief %v: said %d times:\n%s", brief, n, text)
		}
		for _, want := range []string{"transactions were skipped (6 of 12 runs: ", "3 in disk", "3 in ram", "; tpcb-like/c4-j2-rate100000; the figures are from the first run)"} {
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
	var show summary.Summary
	if err := json.Unmarshal([]byte(reporttest.Written(t, rec, "json", summary.Options{})), &show); err != nil {
		t.Fatal(err)
	}
	if len(show.Warnings) != 0 || len(show.Environments[0].Warnings) != 0 || len(show.Environments[1].Warnings) != 1 {
		t.Errorf("what ram alone has is not beside ram: %+v", show)
	}
}

// TestMaximumIsExact checks that the maximum comes from the run rather than from its histogram,
// which has three digits.
func TestMaximumIsExact(t *testing.T) {
	rec, _ := reporttest.NewRecord(t, "name: one\nworkloads: [tpcb-like]\nclients: [1]\nthreads: [1]\nrepeats: 1\nenvironments: {disk: {}}\n")
	h := record.NewHistogram()
	if err := h.RecordValue(45_208_000); err != nil {
		t.Fatal(err)
	}
	id := record.RunID{Environment: "disk", Repeat: 1, Attempt: 1, Cell: experiment.Cell{Workload: "tpcb-like", Clients: 1, Threads: 1}}
	run := reporttest.Measured(t, rec, id, 100, 1)
	run.Result.Latency = record.Summarise(h)
	run.Result.Latency.Max = 45_208_000
	var show summary.Summary
	if err := json.Unmarshal([]byte(reporttest.Written(t, rec, "json", summary.Options{})), &show); err != nil {
		t.Fatal(err)
	}
	got := *show.Environments[0].Cells[0].Percentiles
	if got.Max != 45_208_000 || got.P999 > got.Max || got.P50 > got.Max {
		t.Errorf("got %+v, want nothing above 45208000", got)
	}
}

// TestAWarningOfAllRunsSaysSo checks that a warning of all runs has no counts by environment.
func TestAWarningOfAllRunsSaysSo(t *testing.T) {
	rec := reporttest.Overloaded(t)
	for i := range rec.Runs {
		rec.Runs[i].Warnings = []record.Note{{Rule: "busy", Text: fmt.Sprintf("others used %d %% of a CPU", 10+i)}}
	}
	text := strings.Join(strings.Fields(reporttest.Written(t, rec, "text", summary.Options{})), " ")
	if want := "others used 10 % of a CPU (all 12 runs; the figures are from the first run)"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}
