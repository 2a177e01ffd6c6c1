package show_test

import (
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
)

// TestGobenchIsReadable parses the output with benchstat's packages, with environments as
// columns.
func TestGobenchIsReadable(t *testing.T) {
	text := reporttest.Written(t, reporttest.Published(t), "gobench", summary.Options{})
	reader := benchfmt.NewReader(strings.NewReader(text), "published")
	var parser benchproc.ProjectionParser
	byEnvironment, err := parser.Parse("/env", nil)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]int{}
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Fatal(r)
		case *benchfmt.Result:
			results[byEnvironment.Project(r).String()]++
			if tps, ok := r.Value("tx/s"); !ok || tps <= 0 {
				t.Errorf("%s: tx/s = %g", r.Name, tps)
			}
			if latency, ok := r.Value("sec/tx"); !ok || latency <= 0 || latency > 1 {
				t.Errorf("%s: sec/tx = %g", r.Name, latency)
			}
			if r.GetConfig("engine") != "postgres" || r.GetConfig("record") != "storage-baseline-20261121T031500Z" {
				t.Errorf("%s: config %v", r.Name, r.Config)
			}
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	if results["/env:rds"] != 39 || results["/env:local-ssd"] != 39 {
		t.Errorf("results by environment: %v, want 39 of each", results)
	}
	for unit, better := range map[string]string{"tx/s": "higher", "sec/tx": "lower", "p99-sec/tx": "lower"} {
		if got := reader.Units()[benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}]; got == nil || got.Value != better {
			t.Errorf("better of %s = %+v, want %s", unit, got, better)
		}
	}
}

func TestGobenchNames(t *testing.T) {
	text := reporttest.Written(t, reporttest.Troubled(t), "gobench", summary.Options{})
	for _, want := range []string{
		"BenchmarkTpcbLike/env=disk/clients=8/rate=500/threads=2 1 ",
		"BenchmarkMyMix/env=ram/clients=8/rate=50/threads=1 1 ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line with %s", want)
		}
	}
}
