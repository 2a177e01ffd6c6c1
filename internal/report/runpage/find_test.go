package runpage_test

import (
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/runpage"
)

// manyRuns returns a record with two environments, three cells and three repeats. The last
// block was driven again.
func manyRuns(t *testing.T) *record.Record {
	t.Helper()
	rec, e := reporttest.NewRecord(t, "name: many\nworkloads: [tpcb-like]\nclients: [1, 10]\nthreads: [1, 10]\nrepeats: 3\nseed: 9\nenvironments: {disk: {}, ram: {}}\n")
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
			reporttest.Measured(t, rec, id, 100+float64(len(rec.Runs)), 1)
		}
	}
	again := rec.Runs[len(rec.Runs)-1].RunID
	again.Attempt = 2
	reporttest.Measured(t, rec, again, 1e6, 1).Status = record.Invalid
	return rec
}

func TestFindRun(t *testing.T) {
	rec := manyRuns(t)
	last := rec.Runs[len(rec.Runs)-1].Path()
	for asked, want := range map[string]string{
		"runs/disk/tpcb-like/c10-j1/r02": "runs/disk/tpcb-like/c10-j1/r02",
		"disk/tpcb-like/c10-j1/r02":      "runs/disk/tpcb-like/c10-j1/r02",
		"disk/tpcb-like/c1-j1/r03/":      "runs/disk/tpcb-like/c1-j1/r03",
		strings.TrimSuffix(last, ".2"):   strings.TrimSuffix(last, ".2"), // although another path begins with it
		last:                             last,
		"latest":                         last,
		"worst":                          rec.Runs[0].Path(),
		"best":                           rec.Runs[len(rec.Runs)-2].Path(), // the fastest run is not valid
		"3":                              rec.Runs[2].Path(),
		"disk/tpcb-like/c10-j1/worst":    extremeOf(rec, "disk/tpcb-like/c10-j1/", func(a, b float64) bool { return a < b }),
		"runs/ram/best":                  extremeOf(rec, "ram/", func(a, b float64) bool { return a > b }),
	} {
		if run, err := runpage.Find(rec, asked); err != nil || run.Path() != want {
			t.Errorf("%s: %v, %v, want %s", asked, run, err, want)
		}
	}
	only := *rec
	only.Runs = rec.Runs[:1]
	path := strings.TrimPrefix(only.Runs[0].Path(), "runs/")
	for _, part := range []string{path[:4], path[strings.Index(path, "/")+1:], path[strings.LastIndex(path, "/")+1:]} {
		if run, err := runpage.Find(&only, part); err != nil || run != &only.Runs[0] {
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
		{rec, "disk/tpcb-like/c1-j1", "cannot choose: 3 runs match", "disk/tpcb-like/c1-j1/r01, disk/tpcb-like/c1-j1/r02"},
		{rec, "disk", "cannot choose: ", " more; or disk/worst"},
		{rec, "disk/tpcb-like/c10-j1/r20", "cannot find run", "did you mean disk/tpcb-like/c10-j1/r0"},
		{rec, "j1/r01", `cannot find run "j1/r01"`, "did you mean"}, // the end of a path must be whole names
		{rec, "wrost", `cannot find run "wrost"`, "did you mean worst?"},
		{rec, "Best", `cannot find run "Best"`, "did you mean best?"},
		{rec, "nowhere/best", `cannot find run "nowhere/best"`, "did you mean "},
		{rec, "99", `cannot find run "99"`, "did you mean "},
		{rec, "", `cannot find run ""`, "did you mean"},
		{rec, "runs/", `cannot find run "runs/"`, "did you mean"},
		{&none, "latest", "has no runs", "when it has ended"},
		{&spoilt, "best", "cannot find the best run: none", "give the path of one"},
	} {
		run, err := runpage.Find(c.rec, c.asked)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(hint.Of(err), c.hints) {
			t.Errorf("%q: %v, %v (%s), want %s (%s)", c.asked, run, err, hint.Of(err), c.want, c.hints)
		}
	}
}

// extremeOf returns the path of the most extreme valid run below a beginning.
func extremeOf(rec *record.Record, below string, more func(a, b float64) bool) string {
	path, found := "", 0.0
	for _, run := range rec.Runs {
		tps, inside := run.Result.TPS, strings.HasPrefix(run.Path(), "runs/"+below)
		if inside && run.Status == record.Valid && (path == "" || more(tps, found)) {
			path, found = run.Path(), tps
		}
	}
	return path
}

// TestChosenAmong checks the note for several cells, where the worst run may just be the one
// with the fewest clients.
func TestChosenAmong(t *testing.T) {
	rec := manyRuns(t)
	worst := strings.TrimPrefix(rec.Runs[0].Path(), "runs/")
	cell := worst[:strings.LastIndex(worst, "/")]
	for name, want := range map[string]string{
		"worst":         "worst: " + worst + ", of 18 valid runs of 3 cells; to choose within a cell, put its path first: " + cell + "/worst",
		cell + "/worst": "", "latest": "", worst: "", "nowhere/worst": "",
	} {
		if got := runpage.ChosenAmong(rec, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
