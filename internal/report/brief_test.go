package report_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/report/reporttest"
)

// decided is an experiment that went to its end, and whose environments differ:
// memory has by far the more writes and, within 1 %, as many reads.
func decided(t *testing.T) *record.Record {
	t.Helper()
	rec, e := reporttest.NewRecord(t, "name: decided\nquestion: What does this disk cost a commit?\nworkloads: [select-only, tpcb-like]\n"+
		"clients: [1, 8]\nthreads: [1]\nrepeats: 6\nseed: 3\nenvironments: {disk: {}, memory: {settings: {fsync: off}}}\n")
	tps := map[string]float64{"select-only disk": 14079, "select-only memory": 14090, "tpcb-like disk": 1590, "tpcb-like memory": 2187}
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
			drift := 1 + 0.005*float64((len(rec.Runs)*7)%5)
			reporttest.Measured(t, rec, id, tps[slot.Cell.Workload+" "+slot.Environment]*drift*float64(slot.Cell.Clients), 8000/tps[slot.Cell.Workload+" "+slot.Environment]*drift)
		}
	}
	rec.Summary.Warnings = []record.Note{{Rule: "parity-settings", Text: "random_page_cost is 4 in disk, 1.1 in memory", Environment: "memory"}}
	rec.Environments["disk"] = reporttest.WithWarning(rec.Environments["disk"], record.Note{Rule: "no-checkpoint", Text: "CHECKPOINT is not permitted"})
	return rec
}

// TestRunEndsWithVerdicts: better only where that is known, and each note once.
func TestRunEndsWithVerdicts(t *testing.T) {
	text := write(t, decided(t), "text", report.Options{Brief: true})
	rows := map[string]bool{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) > 2 && (strings.HasSuffix(words[0], "-like") || strings.HasSuffix(words[0], "-only")) {
			rows[words[0]+" "+words[len(words)-2]] = true
		}
	}
	if !rows["tpcb-like better"] || !rows["select-only equivalent"] || rows["select-only better"] {
		t.Errorf("no such verdicts in\n%s", text)
	}
	flat := strings.Join(strings.Fields(text), " ")
	for _, note := range []string{"random_page_cost is 4 in disk", "warning: disk: CHECKPOINT is not permitted"} {
		if n := strings.Count(flat, note); n != 1 {
			t.Errorf("%s: said %d times in\n%s", note, n, text)
		}
	}
}

// TestRunWithoutVerdictShowsItsNumbers: a record that cannot be compared is shown
// as one that is not compared, with the reason.
func TestRunWithoutVerdictShowsItsNumbers(t *testing.T) {
	rec := decided(t)
	rec.Summary.Fingerprint = "another"
	text := write(t, rec, "text", report.Options{Brief: true})
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"Averages over all cells", "warning: cannot compare: experiment.yaml of decided-20261121T031500Z was edited"} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "better") {
		t.Errorf("it has a verdict:\n%s", text)
	}
}

// TestBriefSaysWhichCellsAreMissing: they are in no mean.
func TestBriefSaysWhichCellsAreMissing(t *testing.T) {
	rec := reporttest.Published(t)
	for i := range rec.Runs {
		if rec.Runs[i].Cell.Path() == "tpcb-like/c100-j8" {
			rec.Runs[i].Status = record.Failed
		}
	}
	text := strings.Join(strings.Fields(write(t, rec, "text", report.Options{Brief: true})), " ")
	if want := "1 cell without a valid block, missing from every mean: tpcb-like/c100-j8."; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}
