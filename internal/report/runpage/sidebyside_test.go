package runpage_test

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/runpage"
)

func writeTwo(t *testing.T, a, b runpage.RunOf, format string, opts runpage.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := runpage.WriteTwo(&out, a, b, format, opts); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The published timelines, in steps of 5 s, of one machine before and after its server was
// tuned ("PostgreSQL OLTP Benchmark - Case Study").
var (
	publishedBefore = []float64{15263, 15361, 11322, 9458, 8772, 8500, 8415, 8570}
	publishedAfter  = []float64{15553, 14414, 13712, 13447, 13947, 10613, 7840, 11347}
)

// publishedRun returns a run of 40 s with the TPS of a published timeline.
func publishedRun(t *testing.T, steps []float64, marks ...record.Mark) runpage.RunOf {
	t.Helper()
	rec, run := reporttest.OneRun(t)
	run.Result.Duration, run.Result.TPS = 40, 0
	for _, v := range steps {
		run.Result.TPS += v / float64(len(steps))
	}
	run.Telemetry = &record.Telemetry{Marks: marks}
	tps := reporttest.Column{Name: "tps", At: func(s float64) float64 { return steps[min(max(int(s)/5, 0), 7)] + 40*(math.Mod(s+100, 5)-2) }}
	dirty := reporttest.Column{Name: "meminfo.Dirty", At: func(s float64) float64 { return 1e8 + 1e12/tps.At(s) }}
	write := reporttest.Column{Name: "diskstats.nvme0n1.write_latency", At: func(s float64) float64 { return 0.002 * math.Pow(1e4/tps.At(s), 3) }}
	reporttest.Observe(t, rec, run, -2, 39, []reporttest.Column{tps, dirty, write, reporttest.Steady("diskstats.nvme0n1.writes", 900), reporttest.Steady("latency_p99_ns", 9e6),
		reporttest.Cliff("wait.IO.WALSync", 2, 4), reporttest.Steady("wait.active", 9), reporttest.Steady("wait.CPU", 3)})
	return runpage.RunOf{Record: rec, Run: run}
}

func publishedPair(t *testing.T) (before, after runpage.RunOf) {
	t.Helper()
	return publishedRun(t, publishedBefore, record.Mark{Second: 12, Kind: "checkpoint-start"}, record.Mark{Second: 41, Kind: "log", Text: "too late"}),
		publishedRun(t, publishedAfter, record.Mark{Second: 31, Kind: "checkpoint-start"}, record.Mark{Second: 32, Kind: "wal-segment"}, record.Mark{Second: 33, Kind: "wal-segment"})
}

func TestSideBySideGolden(t *testing.T) {
	a, b := publishedPair(t)
	for file, c := range map[string]struct {
		format string
		opts   runpage.Options
	}{
		"pair.txt": {"text", runpage.Options{}}, "pair-40.txt": {"text", runpage.Options{Width: 40, Every: 10}},
		"pair.md": {"markdown", runpage.Options{Every: 10}}, "pair.csv": {"csv", runpage.Options{}}, "pair.json": {"json", runpage.Options{Every: 20}},
	} {
		t.Run(file, func(t *testing.T) {
			reporttest.Golden(t, filepath.Join("testdata", "run", file), writeTwo(t, a, b, c.format, c.opts))
		})
	}
}

// TestPublishedTimeline checks that the two runs yield the published table, changes included.
func TestPublishedTimeline(t *testing.T) {
	a, b := publishedPair(t)
	lines := strings.Split(writeTwo(t, a, b, "text", runpage.Options{Every: 5, Width: 200}), "\n")
	for _, want := range []string{
		"5 s 15,263 15,553 +2 %", "10 s 15,361 14,414 -6 %", "15 s 11,322 13,712 +21 % checkpoint begins in A",
		"20 s 9,458 13,447 +42 % nvme0n1 write latency: 2.36 ms in A, 0.82 ms in B", "25 s 8,772 13,947 +59 % nvme0n1 write latency: 2.96 ms in A, 0.74 ms in B", "30 s 8,500 10,613 +25 %",
		"35 s 8,415 7,840 -7 % checkpoint begins in B", "40 s 8,570 11,347 +32 %",
	} {
		found := false
		for _, line := range lines {
			found = found || strings.HasPrefix(strings.Join(strings.Fields(line), " "), want)
		}
		if !found {
			t.Errorf("no line begins with %s in\n%s", want, strings.Join(lines, "\n"))
		}
	}
}

// TestSideBySideOfUnlikeRuns checks that values missing from one run are gaps, and that the
// table covers the longer run.
func TestSideBySideOfUnlikeRuns(t *testing.T) {
	long := publishedRun(t, publishedBefore)
	rec, run := shortRun(t)
	failedRec, failed := reporttest.FailedRun(t)
	for name, other := range map[string]runpage.RunOf{"short": {Record: rec, Run: run}, "failed": {Record: failedRec, Run: failed}} {
		for _, width := range []int{40, 80, 200} {
			for line := range strings.Lines(writeTwo(t, other, long, "text", runpage.Options{Width: width})) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%s at %d: %d characters: %s", name, width, n, line)
				}
			}
		}
		var s struct {
			Steps []struct {
				End  float64  `json:"end_s"`
				ATPS *float64 `json:"a_tps"`
				BTPS *float64 `json:"b_tps"`
			} `json:"steps"`
		}
		if err := json.Unmarshal([]byte(writeTwo(t, other, long, "json", runpage.Options{Every: 5})), &s); err != nil {
			t.Fatal(err)
		}
		if n := len(s.Steps); n != 8 || s.Steps[7].ATPS != nil || s.Steps[7].BTPS == nil || s.Steps[7].End != 40 {
			t.Errorf("%s: %+v", name, s.Steps)
		}
	}
}

// TestSideBySideSaysWhatIsNotAlike checks the notes about different loads and about each run's
// warnings.
func TestSideBySideSaysWhatIsNotAlike(t *testing.T) {
	a, b := publishedPair(t)
	if text := writeTwo(t, a, b, "text", runpage.Options{Width: 200}); strings.Contains(text, "same cell") || strings.Contains(text, "warning") {
		t.Errorf("these are alike:\n%s", text)
	}
	both, one := record.Note{Text: "steal was 3 %"}, record.Note{Text: "a checkpoint", Hint: "wait"}
	b.Run.Clients, a.Run.Warnings, b.Run.Warnings = 1, []record.Note{both}, []record.Note{one, both}
	text := writeTwo(t, a, b, "text", runpage.Options{Width: 200})
	for _, want := range []string{
		"The runs are of different cells (A: tpcb-like, 10 clients, 1 thread; B: tpcb-like, 1 client, 1 thread): ",
		"- warning, A and B: steal was 3 %\n- warning, B: a checkpoint (wait)\n", "(PostgreSQL 15.18), valid\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestLongSteps checks that a step longer than the runs ends with the longer run, and that the
// last of several steps is shortened to the window.
func TestLongSteps(t *testing.T) {
	a, b := publishedPair(t)
	text := writeTwo(t, a, b, "text", runpage.Options{Every: 3600, Width: 200})
	if !strings.Contains(text, "\n40 s  10,708  12,609 ") || !strings.Contains(text, "mean of the 40 seconds before its time: 40 s is seconds 0 to 39.") {
		t.Errorf("%s", text)
	}
	text = writeRun(t, a.Record, a.Run, "text", runpage.Options{Every: 25, Width: 200})
	if !strings.Contains(text, "\n40 s ") || strings.Contains(text, "\n50 s ") || !strings.Contains(text, "25 s is seconds 0 to 24; the last one covers the rest. For p99 it is the worst second.") {
		t.Errorf("%s", text)
	}
	text = writeRun(t, a.Record, a.Run, "text", runpage.Options{Every: 1, Width: 200})
	if !strings.Contains(text, "A row is the second that ends at its time: 1 s is second 0.") {
		t.Errorf("%s", text)
	}
}

// TestStepsForPrograms checks that the CSV has the steps, in the units of the columns.
func TestStepsForPrograms(t *testing.T) {
	a, _ := publishedPair(t)
	lines := strings.Split(writeRun(t, a.Record, a.Run, "csv", runpage.Options{Every: 20}), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "end_s,tps,latency_p99_ns,meminfo.Dirty,") || !strings.HasSuffix(lines[0], ",observation") ||
		!strings.HasPrefix(lines[1], "20,12851,9000000,") || !strings.HasSuffix(lines[1], ",checkpoint begins") || !strings.HasPrefix(lines[2], "40,8564.25,") {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}
}
