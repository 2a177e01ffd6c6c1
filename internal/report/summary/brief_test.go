package summary_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
)

// TestRunEndsWithVerdicts checks that "better" appears only for known differences, and each
// note once.
func TestRunEndsWithVerdicts(t *testing.T) {
	text := write(t, reporttest.Decided(t), "text", summary.Options{Brief: true})
	rows := map[string]bool{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) > 2 && (strings.HasSuffix(words[0], "-like") || strings.HasSuffix(words[0], "-only")) {
			rows[words[0]+" "+words[len(words)-1]] = true
		}
	}
	if !rows["tpcb-like better"] || !rows["select-only equivalent"] || rows["select-only better"] {
		t.Errorf("no such verdicts in\n%s", text)
	}
	flat := strings.Join(strings.Fields(text), " ")
	for _, note := range []string{"random_page_cost is 4 in disk", "disk: CHECKPOINT is not permitted"} {
		if n := strings.Count(flat, note); n != 1 {
			t.Errorf("%s: said %d times in\n%s", note, n, text)
		}
	}
}

// TestRunEndsWithThreeWarnings checks that the three worst warnings are shown, the number of the
// others, and the command that shows all of them.
func TestRunEndsWithThreeWarnings(t *testing.T) {
	rec := reporttest.Decided(t)
	for _, rule := range []string{"others-io", "steal", "swapping"} {
		rec.Summary.Warnings = append(rec.Summary.Warnings, record.Note{Rule: rule, Text: "a case of " + rule})
	}
	brief := write(t, rec, "text", summary.Options{Brief: true})
	if n := strings.Count(brief, "\n- "); !strings.Contains(brief, "2 more: plinth show "+rec.Path) || strings.Contains(brief, "others-io") || !strings.Contains(brief, "steal") {
		t.Errorf("%d items in\n%s", n, brief)
	}
	whole := write(t, rec, "text", summary.Options{})
	for _, want := range []string{"others-io", "swapping", "random_page_cost is 4", "CHECKPOINT is not permitted"} {
		if strings.Count(whole, want) != 1 {
			t.Errorf("no %q, or more than one, in\n%s", want, whole)
		}
	}
}

// TestRunWithoutVerdictShowsItsNumbers checks that a record without a comparison is shown
// without one, with the reason.
func TestRunWithoutVerdictShowsItsNumbers(t *testing.T) {
	rec := reporttest.Decided(t)
	rec.Summary.Fingerprint = "another"
	text := write(t, rec, "text", summary.Options{Brief: true})
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"Averages over all cells", "cannot compare: experiment.yaml of decided-20261121T031500Z was edited"} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "better") {
		t.Errorf("it has a verdict:\n%s", text)
	}
}

// TestBriefSaysWhichCellsAreMissing checks the note about cells that are in no mean.
func TestBriefSaysWhichCellsAreMissing(t *testing.T) {
	rec := reporttest.Published(t)
	for i := range rec.Runs {
		if rec.Runs[i].Cell.Path() == "tpcb-like/c100-j8" {
			rec.Runs[i].Status = record.Failed
		}
	}
	text := strings.Join(strings.Fields(write(t, rec, "text", summary.Options{Brief: true})), " ")
	if want := "1 cell without a valid block, missing from every mean: tpcb-like/c100-j8."; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}
