package pagetest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/page/pagetest"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

func make(t *testing.T, name string) string {
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

// Each record is what its name says.
func TestRecords(t *testing.T) {
	for name, want := range map[string]struct {
		state  record.State
		counts record.Counts
	}{
		"one":          {record.Complete, record.Counts{Valid: 6}},
		"empty":        {record.Interrupted, record.Counts{}},
		"interrupted":  {record.Interrupted, record.Counts{Valid: 21}},
		"invalid":      {record.Complete, record.Counts{Invalid: 12}},
		"mixed":        {record.Complete, record.Counts{Valid: 10, Invalid: 1, Failed: 1}},
		"no-telemetry": {record.Complete, record.Counts{Valid: 12}},
		"hostile":      {record.Complete, record.Counts{Valid: 10, Invalid: 2}},
		"redis":        {record.Complete, record.Counts{Valid: 12}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := open(t, make(t, name))
			if rec.Summary.State != want.state || rec.Summary.Counts != want.counts || record.Count(rec.Runs) != want.counts {
				t.Errorf("it is %s, %+v", rec.Summary.State, rec.Summary.Counts)
			}
			if rec.Edited() {
				t.Error("its experiment is not the one that it says it was made with")
			}
		})
	}
}

func TestVerdictsAreClear(t *testing.T) {
	for name, want := range map[string][]record.Word{
		"two":   {record.Equivalent, record.Better},
		"three": {record.Better, record.Worse, record.Better, record.Worse},
	} {
		c, err := verdict.Of(open(t, make(t, name)), verdict.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var words []record.Word
		for _, v := range c.Verdicts {
			if v.Metric == "tps" {
				words = append(words, v.Word)
			}
		}
		if len(words) != len(want) {
			t.Fatalf("%s: words are %v, want %v", name, words, want)
		}
		for i := range want {
			if words[i] != want[i] {
				t.Errorf("%s: words are %v, want %v", name, words, want)
			}
		}
	}
}

func TestTwiceTheSame(t *testing.T) {
	a, b := make(t, "one"), make(t, "one")
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
	if _, err := record.Open(make(t, "later")); err == nil || !strings.Contains(err.Error(), "later plinth") {
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
}
