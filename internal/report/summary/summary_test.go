package summary_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
)

func write(t *testing.T, rec *record.Record, format string, opts summary.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := summary.Write(&b, rec, format, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		rec  *record.Record
		opts summary.Options
	}{
		{"published", reporttest.Published(t), summary.Options{}},
		{"published-brief", reporttest.Published(t), summary.Options{Brief: true}},
		{"troubled-brief", reporttest.Troubled(t), summary.Options{Brief: true}},
		{"overloaded-brief", reporttest.Overloaded(t), summary.Options{Brief: true}},
		{"decided-brief", reporttest.Decided(t), summary.Options{Brief: true}},
		{"troubled", reporttest.Troubled(t), summary.Options{}},
		{"troubled-narrow", reporttest.Troubled(t), summary.Options{Width: 40}},
	} {
		for format, extension := range map[string]string{
			"text": "txt", "markdown": "md", "csv": "csv", "json": "json", "gobench": "bench",
		} {
			if (c.opts.Brief || c.opts.Width > 0) && format != "text" {
				continue // the other formats do not depend on the width
			}
			t.Run(c.name+"/"+format, func(t *testing.T) {
				reporttest.Golden(t, filepath.Join("testdata", c.name+"."+extension), write(t, c.rec, format, c.opts))
			})
		}
	}
}

// TestPublishedTable searches for every cell of the published tables, in the published format.
func TestPublishedTable(t *testing.T) {
	lines := strings.Split(write(t, reporttest.Published(t), "text", summary.Options{}), "\n")
	for _, row := range []string{
		"1 1,677 0.60 ms 253 3.95 ms 178 5.63 ms",
		"10 13,955 0.72 ms 1,881 5.32 ms 1,460 6.85 ms",
		"25 12,859 1.94 ms 2,839 8.80 ms 1,864 13.41 ms",
		"50 10,397 4.81 ms 2,620 19.09 ms 1,646 30.37 ms",
		"100 10,627 9.41 ms 2,585 38.68 ms 1,623 61.61 ms",
		"1 749 1.34 ms 134 7.48 ms 99 10.10 ms",
		"100 6,092 16.41 ms 1,464 68.32 ms 902 110.92 ms",
		"Clients RO TPS RO Lat RW TPS RW Lat TPC-B TPS TPC-B Lat",
	} {
		found := false
		for _, line := range lines {
			found = found || strings.Join(strings.Fields(line), " ") == row
		}
		if !found {
			t.Errorf("no line with %s", row)
		}
	}
}

// TestPublishedSummary computes the published summary from the published rows: the 13
// combinations weight the rows 1, 3, 3, 3 and 3. The published averages do not follow from the
// published rows by these weights (RDS reads 11,169 here and 10,724 there), nor by any others
// that are the same for all environments; they are within 4.5 %. Only plinth's own arithmetic
// is checked exactly.
func TestPublishedSummary(t *testing.T) {
	var show summary.Summary
	if err := json.Unmarshal([]byte(write(t, reporttest.Published(t), "json", summary.Options{})), &show); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		environment string
		averages    [3]float64 // RO, RW, TPC-B by 1, 3, 3, 3, 3
		overall     float64
		published   [3]float64 // RO, RW, overall
	}{
		{"rds", [3]float64{145191. / 13, 30028. / 13, 19957. / 13}, 195176. / 39, [3]float64{10724, 2250, 4826}},
		{"local-ssd", [3]float64{81704. / 13, 18131. / 13, 12105. / 13}, 111940. / 39, [3]float64{6111, 1355, 2796}},
	} {
		e := show.Environments[i]
		if e.Name != c.environment || math.Abs(e.Overall-c.overall) > 1e-6 {
			t.Errorf("%s: overall %g, want %g", e.Name, e.Overall, c.overall)
		}
		for w, want := range c.averages {
			if got := e.Averages[w]; math.Abs(got.TPS-want) > 1e-6 || got.Cells != 13 {
				t.Errorf("%s %s: %g over %d cells, want %g over 13", e.Name, got.Workload, got.TPS, got.Cells, want)
			}
		}
		for n, got := range []float64{e.Averages[0].TPS, e.Averages[1].TPS, e.Overall} {
			if off := got/c.published[n] - 1; math.Abs(off) > 0.045 {
				t.Errorf("%s: %g is %.1f %% off the published %g", e.Name, got, off*100, c.published[n])
			}
		}
	}
}

func TestTextFitsAndIsHarmless(t *testing.T) {
	for _, width := range []int{0, 60, 80, 120} {
		for name, rec := range map[string]*record.Record{"published": reporttest.Published(t), "troubled": reporttest.Troubled(t)} {
			text := write(t, rec, "text", summary.Options{Width: width})
			limit := width
			if width == 0 {
				limit = 80
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > limit && !strings.Contains(line, "--resume") {
					t.Errorf("%s at %d: %d characters: %s", name, width, n, line)
				}
			}
			if i := strings.IndexFunc(text, func(r rune) bool {
				return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
			}); i >= 0 {
				t.Errorf("%s holds a control character: %q", name, text[max(0, i-20):i+20])
			}
		}
	}
}

// TestSpoiltRunsAreInNoNumber uses invalid runs with a billion TPS.
func TestSpoiltRunsAreInNoNumber(t *testing.T) {
	rec := reporttest.Troubled(t)
	for _, format := range summary.Formats {
		text := write(t, rec, format, summary.Options{})
		for _, absurd := range []string{"1000000000", "1,000,000,000", "1e+09", "e9"} {
			if strings.Contains(text, absurd) {
				t.Errorf("%s has %s", format, absurd)
			}
		}
	}
}

// TestPercentilesAreMerged uses a fast and a slow run: the mean of their medians is a latency
// that no transaction had.
func TestPercentilesAreMerged(t *testing.T) {
	rec, _ := reporttest.NewRecord(t, "name: two\nworkloads: [tpcb-like]\nclients: [1]\nthreads: [1]\nrepeats: 2\nenvironments: {disk: {}}\n")
	for repeat, n := range []int64{300, 100} {
		h := record.NewHistogram()
		if err := h.RecordValues(int64(repeat*9+1)*1e6, n); err != nil {
			t.Fatal(err)
		}
		id := record.RunID{Environment: "disk", Repeat: repeat + 1, Attempt: 1,
			Cell: experiment.Cell{Workload: "tpcb-like", Clients: 1, Threads: 1}}
		reporttest.Measured(t, rec, id, 100, 1).Result.Latency = record.Summarise(h)
	}
	rows, err := csv.NewReader(strings.NewReader(write(t, rec, "csv", summary.Options{}))).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for column, want := range map[string]float64{"latency_p50_ns": 1e6, "latency_p95_ns": 10e6, "latency_max_ns": 10e6, "blocks": 2} {
		var got float64
		for i, title := range rows[0] {
			if title == column {
				if got, err = strconv.ParseFloat(rows[1][i], 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		if math.Abs(got-want) > want/1000 {
			t.Errorf("%s = %g, want %g", column, got, want)
		}
	}
}

func TestThreads(t *testing.T) {
	text := write(t, reporttest.Published(t), "text", summary.Options{Threads: 8})
	if !strings.Contains(text, "Only the cells with 8 threads.") {
		t.Error("it does not say which threads it shows")
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "1 ") {
			t.Errorf("1 client has no 8 threads: %s", line)
		}
	}
	err := summary.Write(&bytes.Buffer{}, reporttest.Published(t), "text", summary.Options{Threads: 3})
	if err == nil || !strings.Contains(hint.Of(err), "1, 4, 8") {
		t.Errorf("threads 3: %v, hint %q", err, hint.Of(err))
	}
}

// TestExperimentUnread checks that the measurements are shown, with the stored verdicts and a note.
func TestExperimentUnread(t *testing.T) {
	rec := reporttest.Published(t)
	rec.ExperimentYAML = []byte("name: [")
	text := write(t, rec, "text", summary.Options{})
	for _, want := range []string{"the verdicts are those stored in the record, because its", "1,677"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	err := summary.Write(&bytes.Buffer{}, reporttest.Published(t), "pdf", summary.Options{})
	if err == nil || !strings.Contains(hint.Of(err), "gobench") {
		t.Errorf("%v, hint %q", err, hint.Of(err))
	}
	rec := reporttest.Published(t)
	rec.Runs[0].Result.Latency.Histogram = "damaged"
	if err := summary.Write(&bytes.Buffer{}, rec, "json", summary.Options{}); err == nil {
		t.Error("a damaged histogram was passed over")
	}
}

func TestRecordWithoutRuns(t *testing.T) {
	rec := reporttest.Published(t)
	rec.Runs, rec.Environments = nil, nil
	rec.Summary.State = record.Running
	for _, format := range summary.Formats {
		text := write(t, rec, format, summary.Options{})
		if strings.Contains(text, "NaN") || strings.Contains(text, "null") {
			t.Errorf("%s: %s", format, text)
		}
	}
}
