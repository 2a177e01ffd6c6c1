package pgbench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/record"
)

func readFixture(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSummary(t *testing.T) {
	for name, want := range map[string]summary{
		"13-mix.txt":     {processed: 276, skipped: 2, late: 53, mean: 14.273},
		"14-connect.txt": {processed: 100, mean: 0.834},
		"15-closed.txt":  {processed: 4923, mean: 0.404},
		"15-connect.txt": {processed: 100, mean: 0.834},
		"15-mix.txt":     {processed: 289, skipped: 11, late: 64, retried: 6, retries: 6, mean: 14.580},
		"16-closed.txt":  {processed: 6216, mean: 0.317},
		"16-mix.txt":     {processed: 304, skipped: 11, late: 80, retried: 5, retries: 5, mean: 15.341},
		"18-connect.txt": {processed: 100, mean: 1.181},
		"18-mix.txt":     {processed: 276, skipped: 2, late: 53, retried: 4, retries: 5, mean: 14.273},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseSummary(readFixture(t, name), []string{"slow", "serial"})
			statements := got.statements
			got.statements, want.complete = nil, true
			if !equalSummary(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if len(statements) < 2 {
				t.Errorf("statements %+v", statements)
			}
			for _, s := range statements {
				if strings.TrimSpace(s.Statement) != s.Statement || s.Statement == "" || s.Statement[0] >= '0' && s.Statement[0] <= '9' {
					t.Errorf("statement %q", s.Statement)
				}
			}
		})
	}
}

func equalSummary(a, b summary) bool {
	a.statements, b.statements = nil, nil
	return a.processed == b.processed && a.failed == b.failed && a.skipped == b.skipped && a.retried == b.retried &&
		a.retries == b.retries && a.late == b.late && a.mean == b.mean && a.complete == b.complete
}

// TestScripts checks that what versions print of each script adds up to what they print of
// all together.
func TestScripts(t *testing.T) {
	for name, want := range map[string][2]summary{
		"13-mix.txt": {{processed: 218, skipped: 2, mean: 16.482}, {processed: 58, mean: 5.972}},
		"15-mix.txt": {{processed: 219, skipped: 10, mean: 17.060}, {processed: 70, skipped: 1, retried: 6, retries: 6, mean: 6.819}},
		"16-mix.txt": {{processed: 228, skipped: 7, mean: 17.814}, {processed: 76, skipped: 4, retried: 5, retries: 5, mean: 7.922}},
		"18-mix.txt": {{processed: 218, skipped: 2, mean: 16.482}, {processed: 58, retried: 4, retries: 5, mean: 5.972}},
	} {
		got := parseSummary(readFixture(t, name), []string{"slow", "serial"})
		if len(got.scripts) != 2 {
			t.Fatalf("%s: %d scripts", name, len(got.scripts))
		}
		sum := int64(0)
		for i := range want {
			g := got.scripts[i]
			sum += g.processed
			g.complete = false // only the whole summary's matters
			if !equalSummary(g, want[i]) {
				t.Errorf("%s: script %d is %+v, want %+v", name, i, g, want[i])
			}
		}
		if sum != got.processed {
			t.Errorf("%s: the scripts have %d transactions, all together %d", name, sum, got.processed)
		}
	}
	if s := parseSummary(readFixture(t, "18-closed.txt"), []string{"tpcb-like"}); s.scripts != nil {
		t.Errorf("one script has parts: %+v", s.scripts)
	}
}

// TestStatements has the same run's statements as versions print them with one, two and
// three numbers.
func TestStatements(t *testing.T) {
	want := []record.StatementMean{
		{Script: "slow", Statement: "SELECT pg_sleep(0.012);", Mean: 12.304e6},
		{Script: "serial", Statement: "BEGIN ISOLATION LEVEL SERIALIZABLE;", Mean: 0.121e6},
		{Script: "serial", Statement: "UPDATE pgbench_branches SET bbalance = bbalance + 1;", Mean: 0.121e6},
		{Script: "serial", Statement: "SELECT pg_sleep(0.001);", Mean: 2.121e6},
		{Script: "serial", Statement: "END;", Mean: 0.059e6},
	}
	for _, name := range []string{"13-mix.txt", "18-mix.txt"} {
		equalStatements(t, name, parseSummary(readFixture(t, name), []string{"slow", "serial"}).statements, want)
	}
	one := []record.StatementMean{
		{Statement: `\set aid random(1, 100000 * :scale)`, Mean: 0.001e6},
		{Statement: "SELECT abalance FROM pgbench_accounts WHERE aid = :aid;", Mean: 0.833e6},
	}
	for _, name := range []string{"14-connect.txt", "15-connect.txt"} {
		equalStatements(t, name, parseSummary(readFixture(t, name), []string{"select-only"}).statements, one)
	}
}

func equalStatements(t *testing.T, name string, got, want []record.StatementMean) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d statements, want %d", name, len(got), len(want))
	}
	for i := range got {
		d := got[i].Mean - want[i].Mean
		if got[i].Script != want[i].Script || got[i].Statement != want[i].Statement || d > 1e-3 || d < -1e-3 {
			t.Errorf("%s: got %+v, want %+v", name, got[i], want[i])
		}
	}
}

func TestProgress(t *testing.T) {
	for line, want := range map[string]record.Point{
		"progress: 1.0 s, 1234.5 tps, lat 0.811 ms stddev 0.101":                                                         {Second: 1, TPS: 1234.5, LatencyMS: 0.811},
		"progress: 2.0 s, 6214.9 tps, lat 0.316 ms stddev 0.447, 7 failed":                                               {Second: 2, TPS: 6214.9, LatencyMS: 0.316, Failures: 7},
		"progress: 1.0 s, 276.0 tps, lat 14.273 ms stddev 6.616, lag 4.019 ms, 2 skipped":                                {Second: 1, TPS: 276, LatencyMS: 14.273},
		"progress: 1.0 s, 287.0 tps, lat 14.561 ms stddev NaN, 1 failed, lag 4.624 ms, 11 skipped, 6 retried, 6 retries": {Second: 1, TPS: 287, LatencyMS: 14.561, Failures: 1},
	} {
		if got, ended, ok := parseProgress(line); !ok || !ended || got != want {
			t.Errorf("%s: got %+v %v %v", line, got, ended, ok)
		}
	}
	if _, ended, ok := parseProgress("progress: 3.0 s, 0.0 tps, lat 0.000 ms stddev 0.000, 0 failed"); !ok || ended {
		t.Errorf("an idle second: ended %v, ok %v", ended, ok)
	}
	for _, line := range []string{"", "progress: ", "progress: a s, b tps, lat c ms stddev d", "pgbench: error: progress: 1.0 s, 2 tps, x"} {
		if _, _, ok := parseProgress(line); ok {
			t.Errorf("%q was taken for a progress line", line)
		}
	}
}

func TestProgressFixtures(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.stderr.txt")
	if len(files) < 4 {
		t.Fatalf("fixtures missing: %v", files)
	}
	for _, f := range files {
		for line := range strings.Lines(readFixture(t, filepath.Base(f))) {
			if p, ended, ok := parseProgress(strings.TrimSpace(line)); !ok || !ended || p.TPS < 100 || p.LatencyMS <= 0 {
				t.Errorf("%s: %q: %+v", f, line, p)
			}
		}
	}
}

// FuzzOutput passes any text to the parsers of pgbench's own output.
func FuzzOutput(f *testing.F) {
	for _, name := range []string{"13-mix.txt", "15-mix.txt", "18-mix.txt", "14-connect.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("progress: 1.0 s, 1234.5 tps, lat 0.811 ms stddev 0.101\npgbench: error: client 1 aborted: FATAL:  x\nDETAIL:  y\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := parseSummary(text, []string{"a", "b"})
		for _, st := range s.statements {
			if st.Script != "" && st.Script != "a" && st.Script != "b" {
				t.Fatalf("statement of script %q", st.Script)
			}
		}
		var c complaint
		for line := range strings.Lines(text) {
			parseProgress(line)
			c.line(line)
		}
		if strings.Contains(c.String(), "\n") {
			t.Fatalf("complaint of several lines: %q", c.String())
		}
	})
}
