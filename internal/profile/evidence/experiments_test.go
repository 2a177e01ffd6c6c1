package evidence_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plinth/internal/experiment/decode"
)

// TestExperiments checks that the experiments can be run: those that screen the groups, those held out, which compare
// oltp with other advice, and those that compare values with each other.
func TestExperiments(t *testing.T) {
	oltp, err := filepath.Glob("oltp/*-*.yaml")
	redis, _ := filepath.Glob("redis/*-*.yaml")
	heldOut, _ := filepath.Glob("oltp/held-out/*.yaml")
	values, _ := filepath.Glob("oltp/*/*.yaml")
	values = slices.DeleteFunc(values, func(file string) bool { return slices.Contains(heldOut, file) })
	if err != nil || len(oltp) < 8 || len(redis) < 3 || len(heldOut) < 6 || len(values) < 5 {
		t.Fatal(oltp, redis, heldOut, values, err)
	}
	screens := slices.Concat(oltp, redis)
	for _, file := range slices.Concat(screens, heldOut, values) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, _, err := decode.Parse(file, text, filepath.Dir(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		if screened := len(e.Screened()) > 5; screened != slices.Contains(screens, file) {
			t.Errorf("%s screens %v", file, e.Screened())
		}
		if slices.Contains(values, file) && len(e.Environments) < 2 {
			t.Errorf("%s: baseline %s, %d environments", file, e.Baseline, len(e.Environments))
		}
		if slices.Contains(heldOut, file) && (e.Baseline != "oltp" || len(e.Environments) != 3) {
			t.Errorf("%s: baseline %s, %d environments", file, e.Baseline, len(e.Environments))
		}
	}
}
