package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/report/reporttest"
)

// overloaded has a rate that one of two cells can't keep, in both environments,
// and figures of its own in every run.
func overloaded(t *testing.T) *record.Record {
	t.Helper()
	rec, e := reporttest.NewRecord(t, "name: overloaded\nworkloads: [tpcb-like]\nclients: [4]\nthreads: [2]\nrate: [500, 100000]\n"+
		"latency_limit: 2ms\nrepeats: 3\nseed: 5\nenvironments: {disk: {}, ram: {}}\n")
	latency := map[string]float64{"disk": 1, "ram": 0.5}
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
			run := reporttest.Measured(t, rec, id, 450, latency[slot.Environment])
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
		for _, want := range []string{"transactions were skipped (6 of 12 runs: ", "3 in disk", "3 in ram", "; tpcb-like/c4-j2-rate100000; the figures are of the first)"} {
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
	var show report.Summary
	if err := json.Unmarshal([]byte(write(t, rec, "json", report.Options{})), &show); err != nil {
		t.Fatal(err)
	}
	if len(show.Warnings) != 0 || len(show.Environments[0].Warnings) != 0 || len(show.Environments[1].Warnings) != 1 {
		t.Errorf("what ram alone has is not beside ram: %+v", show)
	}
}

// TestMaximumIsExact: a histogram knows it to three digits, a run exactly.
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
	var show report.Summary
	if err := json.Unmarshal([]byte(write(t, rec, "json", report.Options{})), &show); err != nil {
		t.Fatal(err)
	}
	got := *show.Environments[0].Cells[0].Percentiles
	if got.Max != 45_208_000 || got.P999 > got.Max || got.P50 > got.Max {
		t.Errorf("got %+v, want nothing above 45208000", got)
	}
}

// TestAWarningOfAllRunsSaysSo: it has no need to count them by environment.
func TestAWarningOfAllRunsSaysSo(t *testing.T) {
	rec := overloaded(t)
	for i := range rec.Runs {
		rec.Runs[i].Warnings = []record.Note{{Rule: "busy", Text: fmt.Sprintf("others used %d %% of a CPU", 10+i)}}
	}
	text := strings.Join(strings.Fields(write(t, rec, "text", report.Options{})), " ")
	if want := "others used 10 % of a CPU (all 12 runs; the figures are of the first)"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// TestWarningsOfTwoRecordsSayOfWhich: and what both have is said once.
func TestWarningsOfTwoRecordsSayOfWhich(t *testing.T) {
	first, second := decided(t), decided(t)
	first.Path, second.Path = "results/before", "results/after"
	second.Summary.Warnings = []record.Note{{Rule: "governor", Text: "the CPU governor is powersave"}}
	second.Runs[3].Status, second.Runs[3].Reasons = record.Failed, []record.Note{{Rule: "killed", Text: "the server was killed"}}
	c := twoRecords()
	c.Records = []string{"before", "after"}
	text := flat(t, c, first, second)
	for _, want := range []string{
		"warning: before: random_page_cost is 4 in disk, 1.1 in memory",
		"warning: after: the CPU governor is powersave",
		"warning: before/disk and after/disk: CHECKPOINT is not permitted",
		"warning: the runs are not of one time",
		"Runs of after that are not valid", "Blocks of after left out",
	} {
		if n := strings.Count(text, want); n != 1 {
			t.Errorf("%d times %q in\n%s", n, want, text)
		}
	}
	if strings.Contains(text, "of before that are not valid") {
		t.Errorf("before has no such run:\n%s", text)
	}
}
