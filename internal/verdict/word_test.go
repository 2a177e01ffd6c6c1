package verdict_test

import (
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// TestWords checks the outcome for each metric and factor.
func TestWords(t *testing.T) {
	const n = "repeats: 12"
	set := func(change func(run *record.Run, f float64)) func(float64) func(*record.Run) {
		return func(factor float64) func(*record.Run) {
			return func(run *record.Run) {
				f := noise(run, 0.01)
				if run.Environment == "memory" {
					f *= factor
				}
				change(run, f)
			}
		}
	}
	throughput := set(func(run *record.Run, f float64) { run.Result.TPS *= f })
	mean := set(func(run *record.Run, f float64) { run.Result.Latency.Mean *= f })
	p50 := set(func(run *record.Run, f float64) { run.Result.Latency.P50 = int64(3e6 * f) })
	p95 := set(func(run *record.Run, f float64) { run.Result.Latency.P95 = int64(6e6 * f) })
	p99 := set(func(run *record.Run, f float64) { run.Result.Latency.P99 = int64(8e6 * f) })
	p999 := set(func(run *record.Run, f float64) { run.Result.Latency.P999 = int64(9e6 * f) })
	failures := set(func(run *record.Run, f float64) { run.Result.Failures = int64(10000 * f) })
	for _, c := range []struct {
		metric string
		with   func(float64) func(*record.Run)
		factor float64
		want   record.Outcome
	}{
		{"tps", throughput, 1.2, record.Better}, {"tps", throughput, 0.8, record.Worse},
		{"tps", throughput, 1, record.Equivalent}, {"tps", throughput, 1.03, record.Inconclusive},
		{"latency", mean, 1.2, record.Worse}, {"latency", mean, 0.8, record.Better}, {"latency", mean, 1, record.Equivalent},
		{"p50", p50, 1.2, record.Worse}, {"p50", p50, 0.8, record.Better},
		{"p95", p95, 1.2, record.Worse}, {"p95", p95, 0.8, record.Better},
		{"p99", p99, 1.2, record.Worse}, {"p99", p99, 0.8, record.Better},
		{"p99.9", p999, 1.2, record.Worse}, {"p99.9", p999, 0.8, record.Better},
		{"failures", failures, 2, record.Worse}, {"failures", failures, 0.5, record.Better}, {"failures", failures, 1, record.Inconclusive},
	} {
		rec := made(t, file(n, "metric: "+c.metric, "expect_failures: true"), c.with(c.factor))
		got := of(t, rec, verdict.Options{})
		v := find(t, got.Verdicts, "tpcb-like", "memory", c.metric)
		if c.want == record.Inconclusive && (v.Outcome == record.Worse || v.Outcome == record.Equivalent) || c.want != record.Inconclusive && v.Outcome != c.want {
			t.Errorf("%s x %g: %+v, want %s", c.metric, c.factor, v, c.want)
		}
		if hasNote(got.Warnings, "not-declared", "") {
			t.Errorf("%s was declared: %+v", c.metric, got.Warnings)
		}
	}
}

// TestSharesAreComparedByDifference checks that any failure matters, whatever the margin,
// and that no failures on either side are no difference.
func TestSharesAreComparedByDifference(t *testing.T) {
	rec := made(t, file("metric: failures", "expect_failures: true"), func(run *record.Run) {
		if run.Environment == "memory" {
			run.Result.Transactions, run.Result.Failures = 950, 50
		}
	})
	v := find(t, of(t, rec, verdict.Options{}).Verdicts, "tpcb-like", "memory", "failures")
	if v.A != 0 || !v.Difference || v.Outcome != record.Worse {
		t.Errorf("%+v", v)
	}
	near(t, "effect", v.Effect, 0.05)
	near(t, "other", v.B, 0.05)
	wide := 0.06
	v = find(t, of(t, rec, verdict.Options{Margin: &wide}).Verdicts, "tpcb-like", "memory", "failures")
	if v.Outcome != record.Worse {
		t.Errorf("failures have a margin: %+v", v)
	}
	rec = made(t, file("metric: failures"), func(*record.Run) {})
	if v = find(t, of(t, rec, verdict.Options{}).Verdicts, "tpcb-like", "memory", "failures"); v.Outcome != record.Equivalent {
		t.Errorf("no failure in either: %+v", v)
	}
}

// TestTheMarginIsAFactorEitherWay checks that 1/1.03 is as close as 1.03.
func TestTheMarginIsAFactorEitherWay(t *testing.T) {
	for factor, want := range map[float64]record.Outcome{
		1.0299: record.Equivalent, 1 / 1.0299: record.Equivalent, 1.0301: record.Better, 1 / 1.0301: record.Worse, 0.9703: record.Worse,
	} {
		rec := made(t, file(), func(run *record.Run) {
			if run.Environment == "memory" {
				run.Result.TPS *= factor
			}
		})
		if v := tps(t, of(t, rec, verdict.Options{})); v.Outcome != want {
			t.Errorf("x %g is %s, want %s", factor, v.Outcome, want)
		}
	}
	margin := 0.0
	rec := made(t, file(), memory(1.001))
	if c := of(t, rec, verdict.Options{Margin: &margin}); tps(t, c).Outcome == record.Equivalent || c.Plan.Margin != 0 {
		t.Errorf("without a margin: %+v", c)
	}
}

// TestAMetricAskedForAfterwards checks that it gets an outcome, and a note that it was not
// declared.
func TestAMetricAskedForAfterwards(t *testing.T) {
	rec := made(t, file(), memory(1.2))
	c := of(t, rec, verdict.Options{})
	if v := find(t, c.Verdicts, "tpcb-like", "memory", "p99"); v.Outcome != "" || v.Level != 0.95 || c.Asked(v) {
		t.Errorf("nobody asked for %+v", v)
	}
	for _, names := range [][]string{{"latency"}, {"latency", "tps", "latency"}} {
		c = of(t, rec, verdict.Options{Metrics: names})
		v := find(t, c.Verdicts, "tpcb-like", "memory", "latency")
		if v.Outcome != record.Equivalent || !c.Asked(v) || !hasNote(c.Warnings, "not-declared", "a verdict by latency against disk was not declared before the first run") {
			t.Errorf("%v: %+v, %+v", names, v, c.Warnings)
		}
		if len(names) > 1 && (len(c.Verdicts) != 2 || tps(t, c).Outcome != record.Better || hasNote(c.Warnings, "not-declared", "TPS")) {
			t.Errorf("%v: %+v", names, c)
		}
	}
}
