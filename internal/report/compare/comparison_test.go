package compare_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
	"plinth/internal/verdict"
)

func TestComparisonGolden(t *testing.T) {
	for name, c := range comparisons() {
		for _, g := range []struct {
			extension, format string
			width             int
		}{{"txt", "text", 80}, {"60.txt", "text", 60}, {"md", "markdown", 0}, {"csv", "csv", 0}} {
			t.Run(name+"/"+g.extension, func(t *testing.T) {
				path := filepath.Join("testdata", "comparison", name+"."+g.extension)
				reporttest.Golden(t, path, reporttest.Compared(t, c, g.format, summary.Options{Width: g.width}))
			})
		}
	}
}

// TestComparisonOfRecord checks that compare, given the record, shows the warnings of runs in
// the compared environments, and no others.
func TestComparisonOfRecord(t *testing.T) {
	rec := reporttest.Troubled(t)
	c, err := verdict.Of(rec, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	records := summary.Options{Records: []*record.Record{rec}}
	for format, extension := range map[string]string{"text": "txt", "markdown": "md"} {
		reporttest.Golden(t, filepath.Join("testdata", "comparison", "of-record."+extension), reporttest.Compared(t, c, format, records))
	}
	text := strings.Join(strings.Fields(reporttest.Compared(t, c, "text", records)), " ")
	for _, once := range []string{
		"warning: ram: another process took", "the CPU governor is powersave", "random_page_cost is 4", "CHECKPOINT is not permitted",
		"tpcb-like, 8 clients, 2 threads, 50/s, repeat 1 is left out", "the server was killed by signal 9",
		"latency counts from when a transaction was due",
	} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("said %d times: %s", n, once)
		}
	}
	c.Verdicts, c.Cells = c.Verdicts[:1], nil
	c.Verdicts[0].Other = c.Verdicts[0].Baseline // ram is no longer compared
	if text := reporttest.Compared(t, c, "text", records); strings.Contains(text, "another process took") {
		t.Errorf("it has the warnings of ram:\n%s", text)
	}
}

func TestComparisonFitsAndIsHarmless(t *testing.T) {
	for name, c := range comparisons() {
		for _, width := range []int{40, 60, 80, 120} {
			text := reporttest.Compared(t, c, "text", summary.Options{Width: width})
			for line := range strings.Lines(text) {
				line = strings.TrimRight(line, "\n")
				// A word longer than the terminal has its own line: it cannot be broken.
				if utf8.RuneCountInString(line) > width && len(strings.Fields(strings.TrimPrefix(line, "- "))) > 1 {
					t.Errorf("%s at %d: %s", name, width, line)
				}
			}
			for _, r := range text {
				if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
					t.Errorf("%s holds %q", name, r)
				}
			}
		}
	}
}

// TestInvalidHasNoNumber checks that an invalid verdict shows its reason and no number, even if
// it contains one.
func TestInvalidHasNoNumber(t *testing.T) {
	why := record.Note{Rule: "failed", Text: "12 transactions failed"}
	c := Report(with(ratio("tpcb-like", 777, 888, 0.111, 0.222, 24, record.Unfit), func(v *record.Verdict) { v.Warnings = []record.Note{why} }))
	c.Sentences = nil
	for _, format := range []string{"text", "markdown", "csv"} {
		text := reporttest.Compared(t, c, format, summary.Options{})
		for _, number := range []string{"777", "888", "11", "22"} {
			if strings.Contains(strings.ReplaceAll(text, "20261121T031500Z", ""), number) {
				t.Errorf("%s has %s:\n%s", format, number, text)
			}
		}
		if !strings.Contains(text, "invalid") || !strings.Contains(text, why.Text) {
			t.Errorf("%s does not say what and why:\n%s", format, text)
		}
	}
}

// TestRangeIsNoInterval checks that nothing without a level is called an interval.
func TestRangeIsNoInterval(t *testing.T) {
	for _, width := range []int{40, 80} {
		text := reporttest.Compared(t, early(), "text", summary.Options{Width: width})
		text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "not a confidence interval", "")
		if strings.Contains(text, "interval") || !strings.Contains(text, "range") {
			t.Errorf("a range is called an interval:\n%s", text)
		}
		if !strings.Contains(text, "no verdict yet: the first look is at 8 blocks, after repeat 2; there are 2") {
			t.Errorf("it does not say why there is no verdict:\n%s", text)
		}
	}
}

// TestEachNoteOnce checks that a warning of several rows is one footnote, and is not repeated
// as a general warning.
func TestEachNoteOnce(t *testing.T) {
	for _, format := range []string{"text", "markdown"} {
		text := strings.ReplaceAll(reporttest.Compared(t, matrix(), format, summary.Options{}), "\\", "")
		for _, note := range []record.Note{parity, short, oneLoad} {
			if n := strings.Count(strings.Join(strings.Fields(text), " "), note.Text); n != 1 {
				t.Errorf("%s says %d times: %s", format, n, note.Text)
			}
		}
		for _, marked := range []string{"worse [1]", "inconclusive [1,2]"} {
			if !strings.Contains(text, marked) {
				t.Errorf("%s has no %s", format, marked)
			}
		}
	}
}

func TestComparisonJSON(t *testing.T) {
	want := matrix()
	got := new(verdict.Comparison)
	if err := json.Unmarshal([]byte(reporttest.Compared(t, want, "json", summary.Options{})), got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back: %+v", got)
	}
}

// TestComparisonGobench checks that benchstat output has exactly the compared runs.
func TestComparisonGobench(t *testing.T) {
	c := Report(with(ratio("tpcb-like", 1, 2, 0, 1, 13, record.Better), func(v *record.Verdict) { v.Baseline, v.Other = "rds", "rds" }))
	count := func(records ...*record.Record) map[string]int {
		text := reporttest.Compared(t, c, "gobench", summary.Options{Records: records})
		reader, found := benchfmt.NewReader(strings.NewReader(text), "compared"), map[string]int{}
		for reader.Scan() {
			if r, ok := reader.Result().(*benchfmt.Result); ok {
				_, parts := r.Name.Parts()
				found[string(r.Name.Base())+string(parts[0])+" "+r.GetConfig("record")]++
			}
		}
		if err := reader.Err(); err != nil {
			t.Fatal(err)
		}
		return found
	}
	first := reporttest.Published(t)
	want := map[string]int{
		"TpcbLike/env=rds storage-baseline-20261121T031500Z":     13,
		"SelectOnly/env=rds storage-baseline-20261121T031500Z":   13,
		"SimpleUpdate/env=rds storage-baseline-20261121T031500Z": 13,
	}
	if got := count(first); !reflect.DeepEqual(got, want) {
		t.Errorf("one record: %v, want %v", got, want)
	}
	second := reporttest.Published(t)
	second.Path = "results/another"
	c.Records = append(c.Records, "another")
	if got := count(first, second); len(got) != 12 || got["SelectOnly/env=rds another"] != 13 {
		t.Errorf("two records: %v", got)
	}
}

func TestWriteComparisonRefuses(t *testing.T) {
	err := summary.WriteComparison(&bytes.Buffer{}, oneCell(), "pdf", summary.Options{})
	if err == nil || !strings.Contains(hint.Of(err), "gobench") {
		t.Errorf("%v, hint %q", err, hint.Of(err))
	}
	err = summary.WriteComparison(&bytes.Buffer{}, mixed(), "json", summary.Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "cannot write json: ") {
		t.Errorf("no number as JSON: %v", err)
	}
}
