package sysbench

import (
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"plinth/internal/capture"
	"plinth/internal/capture/capturetest"
	"plinth/internal/record"
)

func fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRead(t *testing.T) {
	for name, want := range map[string]capture.Run{
		"sysbench-0.4.12-oltp.txt": {
			Version: "0.4.12", Workload: "OLTP mixed", Clients: 8, Threads: 8,
			Result: record.Result{Loop: "closed", Duration: 60.0173, Transactions: 10002, TPS: 166.65, Retries: 2,
				Latency: record.Latency{Mean: 47.99e6, Min: 4_050_000, P95: 124_400_000, Max: 311_890_000}},
		},
		"sysbench-0.5-oltp.txt": {
			Version: "0.5", Clients: 2, Threads: 2,
			Result: record.Result{Loop: "closed", Duration: 4.0003, Transactions: 580, TPS: 144.99, Retries: 1,
				Latency: record.Latency{Mean: 13.79e6, Min: 10_490_000, P99: 17_730_000, Max: 20_530_000}},
		},
		"sysbench-1.0.20-oltp.txt": {
			Version: "1.0.20", Clients: 4, Threads: 4,
			Result: record.Result{Loop: "closed", Duration: 4.6642, Transactions: 702, TPS: 150.47, Retries: 36,
				Latency: record.Latency{Mean: 26.52e6, Min: 650_000, P95: 9_730_000, Max: 1_017_960_000}},
		},
		"sysbench-1.0.20-rate.txt": {
			Version: "1.0.20", Clients: 2, Threads: 2, Rate: 50,
			Result: record.Result{Loop: "open", Duration: 3.1084, Transactions: 153, TPS: 49.2,
				Latency: record.Latency{Mean: 1.1e6, Min: 430_000, Max: 5_470_000}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := capturetest.One(t, fixture(t, name), Kinds())
			if len(found.Runs) != 1 || len(found.Notes) > 0 {
				t.Fatalf("%d runs, notes %v", len(found.Runs), found.Notes)
			}
			got := found.Runs[0]
			if !got.Known["retries"] || got.Tool != "sysbench" {
				t.Errorf("%+v", got)
			}
			got.Tool, got.Options, got.Known, got.Progress = "", nil, nil, capture.Series{}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestReadProgress(t *testing.T) {
	for name, want := range map[string]capture.Series{
		"sysbench-0.5-oltp.txt": {Source: "sysbench", Interval: 2, Columns: []record.Column{
			{Name: "tps", Values: []float64{144, 146}}, {Name: "latency_p99_ns", Values: []float64{17_520_000, 18_350_000}}, {Name: "retries", Values: []float64{0, 0.5}},
		}},
		"sysbench-1.0.20-oltp.txt": {Source: "sysbench", Interval: 1, Columns: []record.Column{
			{Name: "tps", Values: []float64{2, 416.16, 257.99, 22}}, {Name: "latency_p95_ns", Values: []float64{14_460_000, 9_390_000, 7_560_000, 1_013_600_000}},
			{Name: "retries", Values: []float64{0, 19.01, 14, 1}},
		}},
		"sysbench-1.0.20-rate.txt": {Source: "sysbench", Interval: 1, Columns: []record.Column{
			{Name: "tps", Values: []float64{44.92, 50.02, 58}}, {Name: "retries", Values: []float64{0, 0, 0}},
		}},
	} {
		got := capturetest.One(t, fixture(t, name), Kinds()).Runs[0].Progress
		last := got.Times[len(got.Times)-1]
		if last.Clock != capture.Relative || float64(last.Time.Unix()) != want.Interval*float64(len(got.Times)) {
			t.Errorf("%s: the last report is at %v", name, last)
		}
		got.Times = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got  %+v\nwant %+v", name, got, want)
		}
	}
}

func TestReadPercentileAboveMaximum(t *testing.T) {
	found := capturetest.One(t, fixture(t, "sysbench-1.0.20-histogram.txt"), Kinds())
	want := "the 100th percentile (331.9 ms) is above the maximum (329.4 ms): percentiles are the upper ends of the histogram's steps, which are 1.8 % wide"
	if len(found.Notes) != 1 || found.Notes[0].Rule != capture.Unclear || found.Notes[0].Text != want {
		t.Errorf("notes %v", found.Notes)
	}
	if got := found.Runs[0].Options["100th percentile"]; got != "331.9 ms" {
		t.Errorf("percentile %q", got)
	}
}

func TestReadFile(t *testing.T) {
	found := capturetest.One(t, fixture(t, "sysbench-1.0.20-fileio.txt"), Kinds())
	j := found.Jobs[0]
	if j.Name != "sysbench fileio random r/w" || j.Block != 16384 || j.Jobs != 1 || j.Runtime != 1.0009 || j.Options["fsyncs/s"] != "3687.06" {
		t.Errorf("%+v", j)
	}
	if j.Read.IOPS != 55279 || math.Abs(j.Read.Bytes-863.73*(1<<20)) > 1 {
		t.Errorf("read %+v", j.Read)
	}
	if j.Write.IOPS != 36852.67 || math.Abs(j.Write.Bytes-575.82*(1<<20)) > 1 || len(found.Notes) != 1 {
		t.Errorf("write %+v, notes %v", j.Write, found.Notes)
	}
}

// throughput is the form of 1.1, and the numbers of sysbench-1.0.20-oltp.txt.
const throughput = "Throughput:\n    events/s (eps):                      150.5082\n    time elapsed:                        4.6642s\n    total number of events:              702\n"

func TestReadThroughput(t *testing.T) {
	text := fixture(t, "sysbench-1.0.20-oltp.txt")
	begin, end := strings.Index(text, "General statistics:"), strings.Index(text, "Latency (ms):")
	found := capturetest.One(t, strings.ReplaceAll(text[:begin], "1.0.20", "1.1.0")+throughput+"\n"+text[end:], Kinds())
	if got := found.Runs[0].Result; got.Duration != 4.6642 || got.TPS != 150.47 || len(found.Notes) > 0 {
		t.Errorf("%+v, notes %v", got, found.Notes)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"sysbench-1.0.20-cpu.txt":    "it is sysbench's cpu test, which measures neither a database nor a disk",
		"sysbench-1.0.20-memory.txt": "it is sysbench's memory test, which measures neither a database nor a disk",
		"sysbench-1.0.20-failed.txt": `sysbench failed: Connection to database failed: connection to server on socket "/tmp/b/nowhere/.s.PGSQL.7779" failed: No such file or directory`,
	} {
		got := capturetest.Text(t, fixture(t, name), Kinds())
		if len(got.Sections) != 1 || got.Sections[0].Refused == nil || got.Sections[0].Refused.Error() != want {
			t.Errorf("%s: %+v, want %q", name, got.Sections, want)
		}
	}
}

func TestReadSeveralRuns(t *testing.T) {
	one, two := fixture(t, "sysbench-0.4.12-oltp.txt"), fixture(t, "sysbench-1.0.20-oltp.txt")
	got := capturetest.Text(t, one+one+"$ sysbench run\n"+strings.ReplaceAll(two, "\n", "\r\n")+two[strings.Index(two, "SQL statistics"):], Kinds())
	if len(got.Sections) != 4 || len(got.Unread) != 1 {
		t.Fatalf("%d sections, unread lines %v", len(got.Sections), got.Unread)
	}
	for i, want := range []float64{166.65, 166.65, 150.47, 150.47} {
		if tps := got.Sections[i].Found.Runs[0].Result.TPS; tps != want {
			t.Errorf("section %d: %v TPS, want %v", i, tps, want)
		}
	}
}

// A capture of standard error may have only the reports during the run.
func TestReadReportsOnly(t *testing.T) {
	text := fixture(t, "sysbench-1.0.20-oltp.txt")
	found := capturetest.One(t, text[strings.Index(text, "[ 1s ]"):strings.Index(text, "SQL statistics")], Kinds())
	if len(found.Runs) != 0 || len(found.Series) != 1 || len(found.Series[0].Times) != 4 || len(found.Notes) != 1 {
		t.Errorf("%+v", found)
	}
}

func TestReadContradictions(t *testing.T) {
	text := fixture(t, "sysbench-0.4.12-oltp.txt")
	for _, test := range []struct{ from, to, want string }{
		{"124.40ms", "424.40ms", "of the latency, p95 (424.4 ms) is above the maximum (311.9 ms)"},
		{"210082", "210083", "140056 reads, 50020 writes and 20006 other queries are 210082, but the total is 210083"},
		{"(166.65 per", "(186.65 per", "10002 transactions / 60.0173 s = 166.652/s, but it reports 186.65/s"},
		{"Number of threads: 8", "Number of threads: 4", "4 clients / 166.65 TPS = 24 ms, but the latency average is 47.99 ms"},
		{"479.9501", "279.9501", "the sum of the latencies / 10002 events = 27.99 ms, but the latency average is 47.99 ms"},
	} {
		changed := strings.Replace(text, test.from, test.to, 1)
		found := capturetest.One(t, changed, Kinds())
		texts := ""
		for _, n := range found.Notes {
			texts += n.Rule + ": " + n.Text + "\n"
		}
		if changed == text || !strings.Contains(texts, capture.Contradiction+": "+test.want+"\n") {
			t.Errorf("notes %s, want %q", texts, test.want)
		}
	}
}

func TestReadUnitless(t *testing.T) {
	text := strings.NewReplacer("4.05ms", "0.0405s", "47.99ms", "0.0479s", "311.89ms", "0.3118s", "124.40ms", "0.1244s").Replace(fixture(t, "sysbench-0.4.12-oltp.txt"))
	got := capturetest.Text(t, text, Kinds())
	if l := got.Sections[0].Found.Runs[0].Result.Latency; l != (record.Latency{}) || len(got.Unread) != 4 {
		t.Errorf("%+v, unread %v", l, got.Unread)
	}
	text = strings.ReplaceAll(fixture(t, "sysbench-1.0.20-oltp.txt"), "Latency (ms):\n", "")
	found := capturetest.One(t, text, Kinds())
	if l := found.Runs[0].Result.Latency; l != (record.Latency{}) || len(found.Notes) != 1 || found.Notes[0].Rule != capture.Unclear {
		t.Errorf("%+v, notes %v", l, found.Notes)
	}
}

func TestBegins(t *testing.T) {
	for line, want := range map[string]bool{
		"sysbench 0.4.12:  multi-threaded system evaluation benchmark": true,
		"sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)":            true,
		"sysbench 1.1.0-2ca9e3f (using bundled LuaJIT 2.1.0-beta3)":    true,
		"SQL statistics:":                          true,
		"sysbench 1.0.20 was used":                 false,
		"sysbench oltp_read_write --threads=4 run": false,
		"Number of threads: 4":                     false,
		"    transactions:                        702    (150.47 per s)": false,
		"Latency (ms):":  false,
		"[ 1s ] thds: 4": false,
	} {
		if got := begins([]string{line}); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestReadCut(t *testing.T) {
	for _, name := range []string{"sysbench-0.4.12-oltp.txt", "sysbench-0.5-oltp.txt", "sysbench-1.0.20-oltp.txt", "sysbench-1.0.20-fileio.txt"} {
		cutSections(t, fixture(t, name))
	}
}

// cutSections is capturetest.Cuts; a text that is cut before its results has a series in place of a run.
func cutSections(t *testing.T, text string) {
	t.Helper()
	if i := strings.Index(text, "statistics:"); i > 0 && strings.Contains(text[:i], "[") {
		withoutReports := text[:strings.Index(text, "[")] + text[strings.LastIndex(text[:i], "\n")+1:]
		capturetest.Cuts(t, withoutReports, Kinds())
		capturetest.Cuts(t, text[strings.Index(text, "["):strings.LastIndex(text[:i], "\n")+1], Kinds())
		return
	}
	capturetest.Cuts(t, text, Kinds())
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"sysbench-0.4.12-oltp.txt", "sysbench-0.5-oltp.txt", "sysbench-1.0.20-rate.txt", "sysbench-1.0.20-fileio.txt"} {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := capture.Read(strings.NewReader(text), Kinds())
		if err != nil {
			return
		}
		for _, section := range got.Sections {
			for _, run := range section.Found.Runs {
				if r := run.Result; !(r.TPS >= 0 && r.Duration >= 0 && r.Transactions >= 0 && r.Latency.Mean >= 0 && r.Latency.Max >= 0) {
					t.Fatalf("%+v", run)
				}
				for _, c := range run.Progress.Columns {
					if len(c.Values) != len(run.Progress.Times) {
						t.Fatalf("%+v", run.Progress)
					}
				}
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := fixture(b, "sysbench-0.5-oltp.txt")
	begin := strings.Index(text, "[   2s]")
	var reports strings.Builder
	reports.WriteString(text[:begin])
	line := "s] threads: 2, tps: 144.00, reads: 2030.88, writes: 577.53, response time: 17.52ms (99%), errors: 0.00, reconnects:  0.00\n"
	for second := range 10_000 {
		reports.WriteString("[" + strings.Repeat(" ", 2) + string(rune('0'+second/1000%10)) + string(rune('0'+second/100%10)) + string(rune('0'+second/10%10)) + string(rune('0'+second%10)) + line)
	}
	b.SetBytes(int64(reports.Len()))
	for b.Loop() {
		capturetest.Text(b, reports.String(), Kinds())
	}
}
