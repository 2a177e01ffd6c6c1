package evidence_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plinth/internal/experiment/decode"
)

// TestExperiments checks that the experiments can be run: those that screen the groups, and those held out, which compare
// oltp with other advice.
func TestExperiments(t *testing.T) {
	files, err := filepath.Glob("*-*.yaml")
	heldOut, _ := filepath.Glob("held-out/*.yaml")
	if err != nil || len(files) < 8 || len(heldOut) < 6 {
		t.Fatal(files, heldOut, err)
	}
	for _, file := range slices.Concat(files, heldOut) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, _, err := decode.Parse(file, text, filepath.Dir(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		if screened := len(e.Screened()) > 10; screened == slices.Contains(heldOut, file) {
			t.Errorf("%s screens %v", file, e.Screened())
		}
		if slices.Contains(heldOut, file) && (e.Baseline != "oltp" || len(e.Environments) != 3) {
			t.Errorf("%s: baseline %s, %d environments", file, e.Baseline, len(e.Environments))
		}
	}
}
