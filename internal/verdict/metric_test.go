package verdict_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

var gap = math.NaN()

// withPoints writes the points of every run, as the runner does. The warm-up seconds are
// fast in both environments.
func withPoints(t *testing.T, rec *record.Record, p99 func(record.Run) []float64) {
	t.Helper()
	rec.Path = filepath.Join(t.TempDir(), "fixture")
	for _, run := range rec.Runs {
		dir := filepath.Join(rec.Path, filepath.FromSlash(run.Path()))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		seconds, values := []float64{-2, -1}, append([]float64{1e6, 1e6}, p99(run)...)
		for len(seconds) < len(values) {
			seconds = append(seconds, float64(len(seconds)-2))
		}
		points := record.Points{Columns: []record.Column{{Name: "second", Values: seconds}, {Name: "latency_p99_ns", Values: values}}}
		if err := record.WritePoints(filepath.Join(dir, "points.parquet"), points); err != nil {
			t.Fatal(err)
		}
	}
}

// TestShareOfSeconds checks that warm-up seconds do not count, and that neither a second
// without transactions nor one exactly at the limit counts as under it.
func TestShareOfSeconds(t *testing.T) {
	rec := made(t, file("metric: p99-under-10ms"), nil)
	withPoints(t, rec, func(run record.Run) []float64 {
		if run.Environment == "memory" {
			return []float64{9e6, 9e6, 9e6, 9e6, 9e6, 9e6, 9e6, 20e6, 20e6, gap}
		}
		return []float64{9e6, 9.999e6, 10e6, 20e6, gap, gap, 9e6, 9e6, 20e6, 20e6}
	})
	c := of(t, rec, verdict.Options{})
	v := find(t, c.Verdicts, "tpcb-like", "memory", "p99-under-10ms")
	near(t, "disk", v.A, 0.4)
	near(t, "memory", v.B, 0.7)
	near(t, "effect", v.Effect, 0.3)
	if v.Outcome != record.Better || !v.Difference {
		t.Errorf("%+v", v)
	}
	if want := "memory: tpcb-like 30 points more seconds with p99 under 10ms (30 to 30 points, 6 blocks): better"; c.Sentences[0] != want {
		t.Errorf("got %s\nwant %s", c.Sentences[0], want)
	}
	// A column that was not recorded second by second yields no number.
	v = find(t, of(t, rec, verdict.Options{Metrics: []string{"max-under-10ms"}}).Verdicts, "tpcb-like", "memory", "max-under-10ms")
	if v.Outcome != record.Unfit || !hasNote(v.Warnings, "no-number", "6 blocks are left out: a run there has no comparable value for seconds with max under 10ms, so there is no verdict") {
		t.Errorf("%+v", v)
	}
}

// TestPointsThatCannotBeRead checks that unreadable points of one run cost its block and the
// verdict by that metric, with the reason, and nothing else.
func TestPointsThatCannotBeRead(t *testing.T) {
	rec := made(t, file(), nil)
	withPoints(t, rec, func(record.Run) []float64 { return []float64{1e6} })
	path := filepath.Join(rec.Path, rec.Runs[3].Path(), "points.parquet")
	for _, damage := range []func() error{
		func() error { return os.Truncate(path, 40) },
		func() error { return os.Remove(path) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		v := find(t, of(t, rec, verdict.Options{Metrics: []string{"p99-under-10ms"}}).Verdicts, "tpcb-like", "memory", "p99-under-10ms")
		if v.Outcome != record.Inconclusive || v.N != 5 || !hasNote(v.Warnings, "no-number", "1 block is left out: a run there has no comparable value for seconds with p99 under 10ms (disk: cannot read points "+rec.Runs[3].Path()+"/points.parquet: ") {
			t.Errorf("%+v", v)
		}
	}
	of(t, rec, verdict.Options{}) // no other metric needs them
}

// TestDamagedNumbers checks that a run without a number costs its block and the verdict:
// the missing number is unknown.
func TestDamagedNumbers(t *testing.T) {
	for _, damage := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64} {
		for _, all := range []bool{false, true} {
			rec := made(t, file("repeats: 8"), func(run *record.Run) {
				memory(1.2)(run)
				if run.Environment == "memory" && (all || run.Repeat == 5) {
					run.Result.TPS = damage
				}
			})
			c := of(t, rec, verdict.Options{})
			v := tps(t, c)
			if all && (v.Outcome != record.Unfit || v.N != 0 || !hasNote(v.Warnings, "no-number", "8 blocks are left out")) {
				t.Errorf("all %g: %+v", damage, v)
			}
			if !all && (v.Outcome != record.Inconclusive || v.Level != 0 || v.N != 7 || !hasNote(v.Warnings, "no-number", "1 block is left out: a run there has no comparable value for TPS, so there is no verdict")) {
				t.Errorf("one %g: %+v", damage, v)
			}
			if _, err := json.Marshal(c); err != nil {
				t.Errorf("%g: %v", damage, err)
			}
			if all && c.Sentences[0] != "memory: tpcb-like TPS: invalid, 8 blocks are left out: a run there has no comparable value for TPS, so there is no verdict" {
				t.Error(c.Sentences[0])
			}
		}
	}
}

// TestDamagedCounts checks that damaged counts of transactions yield no share of
// failures.
func TestDamagedCounts(t *testing.T) {
	for _, c := range []struct {
		transactions, failures int64
		usable                 bool
	}{
		{0, 0, false}, {0, 5, true}, {5, 0, true}, {-3, 5, false}, {5, -1, false}, {math.MaxInt64, math.MaxInt64, true}, {-5, -5, true},
	} {
		rec := made(t, file("metric: failures", "expect_failures: true"), func(run *record.Run) {
			run.Result.Transactions, run.Result.Failures = c.transactions, c.failures
		})
		if v := find(t, of(t, rec, verdict.Options{}).Verdicts, "tpcb-like", "memory", "failures"); (v.Outcome == record.Equivalent) != c.usable {
			t.Errorf("%+v: %+v", c, v)
		}
	}
}

// TestNoFailuresAreEqual checks that no failures on either side are equivalent.
func TestNoFailuresAreEqual(t *testing.T) {
	rec := made(t, file("metric: failures"), nil)
	v := find(t, of(t, rec, verdict.Options{}).Verdicts, "tpcb-like", "memory", "failures")
	if v.Outcome != record.Equivalent || v.A != 0 || v.B != 0 || v.Effect != 0 {
		t.Errorf("%+v", v)
	}
}

// TestPercentilesAreCompared checks that percentiles are compared block by block: by the
// geometric mean of ratios, not by the ratio of means.
func TestPercentilesAreCompared(t *testing.T) {
	rec := made(t, file("metric: p99"), func(run *record.Run) {
		run.Result.Latency.P99 = int64(1e6 * math.Pow(2, float64(run.Repeat)))
		if run.Environment == "memory" {
			run.Result.Latency.P99 *= []int64{2, 8}[run.Repeat%2]
		}
	})
	v := find(t, of(t, rec, verdict.Options{}).Verdicts, "tpcb-like", "memory", "p99")
	near(t, "effect", v.Effect, 3)
	near(t, "ratio of the values", v.B/v.A, 4)
	near(t, "disk", v.A/1e6, math.Pow(2, 3.5))
}
