package pgbench

import (
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/capture"
)

// seed adds the fixtures that match a pattern.
func seed(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, file := range files {
		text := fixture(f, filepath.Base(file))
		f.Add(text[:min(len(text), 2000)])
	}
}

// check reads a text with one kind, and checks that its runs can be used.
func check(t *testing.T, text string, kind capture.Kind) {
	got, err := capture.Read(strings.NewReader(text), []capture.Kind{kind})
	if err != nil {
		return
	}
	var runs []capture.Run
	for _, s := range got.Sections {
		for i := range s.Found.Runs {
			run := &s.Found.Runs[i]
			runs = append(runs, *run)
			r := &run.Result
			if r.Transactions < 0 || r.Failures < 0 || r.TPS < 0 || r.Duration < 0 || r.Latency.Mean < 0 || !(r.TPS < 1e300) || !(r.Latency.Stddev >= 0) || !(r.Duration >= 0) {
				t.Errorf("%+v", r)
			}
			if l := r.Latency; l.Max > 0 && (float64(l.Max)+1000 < l.Mean*(1-1e-9) || float64(l.Min) > l.Mean*1.001+2000) {
				t.Errorf("latency %+v", l)
			}
			for _, c := range run.Progress.Columns {
				if len(c.Values) != len(run.Progress.Times) {
					t.Errorf("%s has %d values for %d times", c.Name, len(c.Values), len(run.Progress.Times))
				}
			}
		}
	}
	if all, err := Threads(runs); err == nil && len(all.Progress.Columns) > 0 && len(all.Progress.Columns[0].Values) != len(all.Progress.Times) {
		t.Error("threads: a column without a value")
	}
	if len(runs) > 1 {
		_, _, _ = Join(runs[0], runs[1])
	}
}

func FuzzOutput(f *testing.F) {
	seed(f, "*.txt")
	f.Fuzz(func(t *testing.T, text string) { check(t, text, Kinds()[0]) })
}

func FuzzLog(f *testing.F) {
	seed(f, "15-[lmrst]*.log*")
	seed(f, "15-failures.log")
	f.Fuzz(func(t *testing.T, text string) { check(t, text, Kinds()[1]) })
}

func FuzzAggregate(f *testing.F) {
	seed(f, "*interval*.log*")
	f.Fuzz(func(t *testing.T, text string) { check(t, text, Kinds()[2]) })
}
