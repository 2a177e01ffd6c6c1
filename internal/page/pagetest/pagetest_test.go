package pagetest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/page/pagetest"
	"plinth/internal/record"
)

func made(t *testing.T, name string) string {
	t.Helper()
	dir, err := pagetest.Make(t.TempDir(), name)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t *testing.T, dir string) *record.Record {
	t.Helper()
	rec, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// Each record is what its name says. The tests in a browser count the runs of all of
// them; here are those that are made in a way of their own.
func TestRecords(t *testing.T) {
	for name, want := range map[string]struct {
		state  record.State
		counts record.Counts
	}{
		"empty":       {record.Interrupted, record.Counts{}},
		"interrupted": {record.Interrupted, record.Counts{Valid: 21}},
		"mixed":       {record.Complete, record.Counts{Valid: 10, Invalid: 1, Failed: 1}},
		"hostile":     {record.Complete, record.Counts{Valid: 10, Invalid: 2}},
		"mysql":       {record.Complete, record.Counts{Valid: 12}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := open(t, made(t, name))
			if rec.Summary.State != want.state || rec.Summary.Counts != want.counts || record.Count(rec.Runs) != want.counts {
				t.Errorf("it is %s, %+v", rec.Summary.State, rec.Summary.Counts)
			}
			if rec.Edited() {
				t.Error("its experiment is not the one that it says it was made with")
			}
		})
	}
}

func TestTwiceTheSame(t *testing.T) {
	a, b := made(t, "one"), made(t, "one")
	run := open(t, a).Runs[1].Path()
	for _, file := range []string{"record.json", run + "/run.json", run + "/points.parquet", run + "/latency.hlog"} {
		x, err := os.ReadFile(filepath.Join(a, file))
		if err != nil {
			t.Fatal(err)
		}
		if y, err := os.ReadFile(filepath.Join(b, file)); err != nil || string(x) != string(y) {
			t.Errorf("%s differs from one time to the next (%v)", file, err)
		}
	}
}

func TestLater(t *testing.T) {
	if _, err := record.Open(made(t, "later")); err == nil || !strings.Contains(err.Error(), "newer version of plinth") {
		t.Errorf("error is %v", err)
	}
}

func TestLive(t *testing.T) {
	l, err := pagetest.Begin(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Point(); err != nil {
		t.Fatal(err)
	}
	rec := open(t, l.Path())
	now, err := record.ReadNow(l.Path())
	if err != nil || now == nil || rec.Summary.State != record.Running || len(rec.Runs) != 1 || now.Run != 2 {
		t.Errorf("it is %s with %d runs, and does %+v (%v)", rec.Summary.State, len(rec.Runs), now, err)
	}
	if err := l.Finish(true); err != nil {
		t.Fatal(err)
	}
	if rec = open(t, l.Path()); rec.Summary.State != record.Complete || len(rec.Runs) != 12 {
		t.Errorf("at the end it is %s with %d runs", rec.Summary.State, len(rec.Runs))
	}
	if v := rec.Summary.Verdicts; len(v) == 0 || v[0].Outcome != record.Better {
		t.Errorf("its verdicts are %+v, which are to begin with a clear one", v)
	}
}
