package report_test

import (
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report"
)

// manyRuns is a record of two environments and three cells, three repeats each; the
// last block was driven again.
func manyRuns(t *testing.T) *record.Record {
	t.Helper()
	rec, e := newRecord(t, "name: many\nworkloads: [tpcb-like]\nclients: [1, 10]\nthreads: [1, 10]\nrepeats: 3\nseed: 9\nenvironments: {disk: {}, ram: {}}\n")
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
			measured(t, rec, id, 100+float64(len(rec.Runs)), 1)
		}
	}
	again := rec.Runs[len(rec.Runs)-1].RunID
	again.Attempt = 2
	measured(t, rec, again, 1e6, 1).Status = record.Invalid
	return rec
}

func TestFindRun(t *testing.T) {
	rec := manyRuns(t)
	last := rec.Runs[len(rec.Runs)-1].Path()
	for asked, want := range map[string]string{
		"runs/disk/tpcb-like/c10-j1/r02": "runs/disk/tpcb-like/c10-j1/r02",
		"disk/tpcb-like/c10-j1/r02":      "runs/disk/tpcb-like/c10-j1/r02",
		"disk/tpcb-like/c1-j1/r03/":      "runs/disk/tpcb-like/c1-j1/r03",
		strings.TrimSuffix(last, ".2"):   strings.TrimSuffix(last, ".2"), // though another begins with it
		last:                             last,
		"latest":                         last,
		"worst":                          rec.Runs[0].Path(),
		"best":                           rec.Runs[len(rec.Runs)-2].Path(), // the fastest is not valid
	} {
		if run, err := report.FindRun(rec, asked); err != nil || run.Path() != want {
			t.Errorf("%s: %v, %v, want %s", asked, run, err, want)
		}
	}
	only := *rec
	only.Runs = rec.Runs[:1]
	path := strings.TrimPrefix(only.Runs[0].Path(), "runs/")
	for _, part := range []string{path[:4], path[strings.Index(path, "/")+1:], path[strings.LastIndex(path, "/")+1:]} {
		if run, err := report.FindRun(&only, part); err != nil || run != &only.Runs[0] {
			t.Errorf("%s of one run: %v", part, err)
		}
	}
}

func TestFindRunRefuses(t *testing.T) {
	rec := manyRuns(t)
	none := *rec
	none.Runs = nil
	spoilt := *rec
	spoilt.Runs = rec.Runs[len(rec.Runs)-1:]
	for _, c := range []struct {
		rec         *record.Record
		asked       string
		want, hints string
	}{
		{rec, "disk/tpcb-like/c1-j1", "cannot choose: 3 runs fit", "disk/tpcb-like/c1-j1/r01, disk/tpcb-like/c1-j1/r02"},
		{rec, "disk", "cannot choose: ", " more"},
		{rec, "disk/tpcb-like/c10-j1/r20", "cannot find run", "did you mean disk/tpcb-like/c10-j1/r0"},
		{rec, "j1/r01", `cannot find run "j1/r01"`, "did you mean"}, // half a name is no end of a path
		{rec, "", `cannot find run ""`, "did you mean"},
		{rec, "runs/", `cannot find run "runs/"`, "did you mean"},
		{&none, "latest", "has no runs", "as soon as it has ended"},
		{&spoilt, "best", "cannot find the best run: none", "name one by its path"},
	} {
		run, err := report.FindRun(c.rec, c.asked)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(hint.Of(err), c.hints) {
			t.Errorf("%q: %v, %v (%s), want %s (%s)", c.asked, run, err, hint.Of(err), c.want, c.hints)
		}
	}
}
