package runner

import (
	"slices"
	"testing"

	"plinth/internal/driver"
	"plinth/internal/experiment/decode"
	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// TestOverlooked: an overlooked rule neither voids a run nor weakens it; other rules do.
func TestOverlooked(t *testing.T) {
	e, _, err := decode.Parse("test.yaml", []byte(twoDisks), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		overlooked []string
		want       record.Status
		reasons    []string
	}{
		{nil, record.Invalid, []string{"generator-stalled", "failures"}},
		{[]string{"failures"}, record.Invalid, []string{"generator-stalled"}},
		{[]string{"failures", "generator-stalled", "short"}, record.Valid, nil},
	} {
		r := newRunner(Options{Experiment: e, Overlooked: c.overlooked}, &silent{})
		r.book = &book{}
		run := &record.Run{Status: record.Valid, Evidence: &record.Evidence{}, Result: record.Result{Duration: 1, Transactions: 10, Failures: 2}}
		r.judge(run, &driver.Outcome{Problems: []record.Note{{Rule: "generator-stalled", Text: "pgbench had to wait"}}}, site.Account{})
		var reasons []string
		for _, note := range run.Reasons {
			reasons = append(reasons, note.Rule)
		}
		short := slices.ContainsFunc(run.Warnings, func(n record.Note) bool { return n.Rule == "short" })
		if run.Status != c.want || !slices.Equal(reasons, c.reasons) || short == slices.Contains(c.overlooked, "short") {
			t.Errorf("overlooking %v, a run is %s: reasons %v, warnings %+v", c.overlooked, run.Status, reasons, run.Warnings)
		}
	}
}
