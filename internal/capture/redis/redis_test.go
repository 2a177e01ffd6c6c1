package redis

import (
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

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

// outcome is what tests compare of a run.
type outcome struct {
	workload                 string
	clients, threads         int
	rate                     float64
	count                    int64
	seconds, tps, mean       float64
	low, p50, p95, p99, p999 int64
	high                     int64
	reconnect                bool
}

func outcomeOf(r capture.Run) outcome {
	l := r.Result.Latency
	return outcome{r.Workload, r.Clients, r.Threads, r.Rate, r.Result.Transactions, r.Result.Duration, r.Result.TPS, l.Mean, l.Min, l.P50, l.P95, l.P99, l.P999, l.Max, r.Reconnect}
}

func TestReadBenchmark(t *testing.T) {
	for name, want := range map[string][]outcome{
		"redis-benchmark-7.0.txt": {
			{workload: "SET", clients: 50, threads: 1, count: 3000, seconds: 0.03, tps: 111111.11, mean: 308000, low: 112000, p50: 271000, p95: 615000, p99: 999000, high: 1231000},
			{workload: "GET", clients: 50, threads: 1, count: 3000, seconds: 0.02, tps: 136363.64, mean: 244000, low: 64000, p50: 215000, p95: 439000, p99: 751000, high: 1023000},
			{workload: "MSET (10 keys)", clients: 50, threads: 1, count: 3000, seconds: 0.03, tps: 96774.2, mean: 471000, low: 232000, p50: 447000, p95: 695000, p99: 895000, high: 1255000},
		},
		"redis-benchmark-7.0.csv": {
			{workload: "SET", tps: 142857.14, mean: 229000, low: 88000, p50: 215000, p95: 359000, p99: 455000, high: 519000},
			{workload: "GET", tps: 136363.64, mean: 224000, low: 56000, p50: 199000, p95: 383000, p99: 575000, high: 831000},
			{workload: "LPUSH (needed to benchmark LRANGE)", tps: 136363.64, mean: 201000, low: 56000, p50: 199000, p95: 263000, p99: 399000, high: 487000},
			{workload: "LRANGE_100 (first 100 elements)", tps: 90909.09, mean: 314000, low: 144000, p50: 287000, p95: 535000, p99: 759000, high: 1087000},
		},
		"redis-benchmark-7.0-quiet.txt": {{workload: "SET", tps: 142857.14, p50: 247000}, {workload: "GET", tps: 142857.14, p50: 223000}},
		"redis-benchmark-7.0-threads.txt": {
			{workload: "SET", clients: 20, threads: 2, count: 200000, seconds: 0.25, tps: 796812.81, mean: 223000, low: 40000, p50: 215000, p95: 383000, p99: 775000, high: 1655000},
			{workload: "GET", clients: 20, threads: 2, count: 200000, seconds: 0.25, tps: 796812.81, mean: 191000, low: 32000, p50: 191000, p95: 263000, p99: 343000, high: 3535000},
		},
		"redis-benchmark-5.0.csv": {
			{workload: "SET", tps: 68181.82}, {workload: "LPUSH (needed to benchmark LRANGE)", tps: 75000}, {workload: "LRANGE_100 (first 100 elements)", tps: 31578.95},
		},
		"redis-benchmark-5.0-quiet.txt": {{workload: "SET", tps: 76923.08}, {workload: "GET", tps: 69767.44}},
		"redis-benchmark-3.2.txt": {
			{workload: "SET", clients: 50, count: 20000, seconds: 0.64, tps: 31104.2}, {workload: "GET", clients: 50, count: 20000, seconds: 0.31, tps: 63492.06},
		},
		"redis-benchmark-6.0.txt": {{workload: "SET", clients: 50, threads: 1, count: 100000, seconds: 2.05, tps: 48780.49}},
		"valkey-benchmark-9.txt": {
			{workload: "SET", clients: 50, threads: 1, rate: 120000, count: 3000, seconds: 0.03, tps: 111111.11, mean: 308000, low: 112000, p50: 271000, p95: 615000, p99: 999000, high: 1231000},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := capturetest.One(t, fixture(t, name), Kinds())
			var got []outcome
			for _, r := range found.Runs {
				got = append(got, outcomeOf(r))
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			for _, n := range found.Notes {
				if n.Rule == capture.Contradiction || n.Rule == capture.Cut {
					t.Errorf("note %v", n)
				}
			}
		})
	}
}

func TestReadBenchmarkOptions(t *testing.T) {
	found := capturetest.One(t, fixture(t, "redis-benchmark-6.0.txt"), Kinds())
	want := map[string]string{
		"bytes payload": "3", "keep alive": "1", `host configuration "save"`: "900 1", `host configuration "appendonly"`: "yes",
		"p50": "at most 0.6 ms", "p95": "at most 1.0 ms", "p99": "at most 2 ms", "p99.9": "at most 5 ms",
	}
	if !reflect.DeepEqual(found.Runs[0].Options, want) {
		t.Errorf("options %v", found.Runs[0].Options)
	}
	got := capturetest.Text(t, fixture(t, "redis-benchmark-7.0-keepalive.txt"), Kinds())
	if run := got.Sections[0].Found.Runs[0]; !run.Reconnect || run.Workload != "eval return 1 0" || run.Result.TPS != 29411.76 {
		t.Errorf("%+v", run)
	}
}

func TestReadBenchmarkRefuses(t *testing.T) {
	got := capturetest.Text(t, fixture(t, "redis-benchmark-7.0-refused.txt"), Kinds())
	want := "redis-benchmark failed: Could not connect to Redis at 127.0.0.1:7778: Connection refused"
	if len(got.Sections) != 1 || got.Sections[0].Refused == nil || got.Sections[0].Refused.Error() != want {
		t.Errorf("%+v", got)
	}
	text := fixture(t, "redis-benchmark-6.0.txt")
	got = capturetest.Text(t, text[:strings.Index(text, "48780")], Kinds())
	want = "test SET is cut before its requests per second, and was left out"
	if got.Sections[0].Refused == nil || got.Sections[0].Refused.Error() != want {
		t.Errorf("%+v", got)
	}
}

// Servers are measured one after another, in Markdown without fences.
func TestReadBenchmarkOfSeveralServers(t *testing.T) {
	one := fixture(t, "redis-benchmark-6.0.txt")
	got := capturetest.Text(t, "## Redis\n\n"+one+"## Redka\n\n"+strings.ReplaceAll(one, "48780.49", "48804.29")+fixture(t, "redis-benchmark-7.0.csv"), Kinds())
	if len(got.Sections) != 3 || len(got.Unread) != 2 {
		t.Fatalf("%d sections, unread lines %v", len(got.Sections), got.Unread)
	}
	for i, want := range []float64{48780.49, 48804.29, 142857.14} {
		if tps := got.Sections[i].Found.Runs[0].Result.TPS; tps != want {
			t.Errorf("section %d: %v requests/s, want %v", i, tps, want)
		}
	}
}

func TestReadBenchmarkContradictions(t *testing.T) {
	text, old := fixture(t, "valkey-benchmark-9.txt"), fixture(t, "redis-benchmark-6.0.txt")
	closed := strings.Replace(text, "  target RPS: 120000.00\n", "", 1)
	for _, test := range []struct{ text, from, to, rule, want string }{
		{text, "0.999     1.231", "1.999     1.231", capture.Contradiction, "test SET: p99 (1.999 ms) is above the maximum (1.231 ms)"},
		{text, "  3000 requests", "  9000 requests", capture.Contradiction, "test SET: 9000 requests were completed, but the histogram has 3000"},
		{old, "48780.49", "58780.49", capture.Contradiction, "test SET: 100000 requests / 2.05 s = 48780.5/s, but it reports 58780.5/s"},
		{old, "99.04% <= 2", "90.04% <= 2", capture.Contradiction, "test SET: in its histogram, 90.04% <= 2 ms follows 95.71% <= 1 ms"},
		{closed, "  50 parallel", "  5 parallel", capture.Unclear, "test SET: 5 clients / 111111 requests/s = 0.045 ms, but the mean latency is 0.308 ms: that is possible only with pipelining (-P), which the output does not state"},
		{closed, "  50 parallel", "  500 parallel", capture.Unclear, "test SET: 500 clients / 111111 requests/s = 4.5 ms, but the mean latency is 0.308 ms: for most of the time, the clients did not wait for an answer, so the load generator may have been the limit"},
	} {
		changed := strings.Replace(test.text, test.from, test.to, 1)
		found := capturetest.One(t, changed, Kinds())
		if changed == test.text || len(found.Notes) == 0 || found.Notes[0] != (record.Note{Rule: test.rule, Text: test.want}) {
			t.Errorf("notes %v, want %q", found.Notes, test.want)
		}
	}
}

func TestReadMemtier(t *testing.T) {
	text := fixture(t, "memtier-2.0.txt")
	found := capturetest.One(t, text[strings.Index(text, "[RUN"):], Kinds())
	run := found.Runs[0]
	want := outcome{clients: 32, threads: 4, seconds: 10, tps: 90018.11, mean: 355000, p50: 231000, p99: 1415000, p999: 2575000}
	if got := outcomeOf(run); len(found.Runs) != 1 || got != want || len(found.Notes) > 0 {
		t.Errorf("got  %+v\nwant %+v, notes %v", got, want, found.Notes)
	}
	if len(run.Result.Scripts) != 2 || run.Result.Scripts[1].Name != "Gets" || run.Result.Scripts[1].TPS != 81016.28 || run.Result.Scripts[1].Latency.P99 != 1415000 {
		t.Errorf("scripts %+v", run.Result.Scripts)
	}
	if math.Abs(*run.Result.Hits-0.2) > 1e-6 {
		t.Errorf("hits %v", *run.Result.Hits)
	}
}

func TestReadMemtierRuns(t *testing.T) {
	found := capturetest.One(t, fixture(t, "memtier-1.2-runs.txt"), Kinds())
	if len(found.Runs) != 2 || len(found.Facts) != 2 || len(found.Notes) != 1 {
		t.Fatalf("%d runs, facts %v, notes %v", len(found.Runs), found.Facts, found.Notes)
	}
	best := found.Runs[0]
	if best.Options["run"] != "BEST RUN RESULTS" || best.Result.TPS != 24390.05 || best.Result.Latency.Mean != 160100 || best.Clients != 4 || found.Runs[1].Result.TPS != 24100 {
		t.Errorf("%+v", found.Runs)
	}
	if f := found.Facts[0]; f.Name != "AGGREGATED AVERAGE RESULTS (2 runs), Totals, Ops/sec" || f.Value != "24245" {
		t.Errorf("fact %+v", f)
	}
	// With --print-all-runs, the best run has two tables.
	text := strings.Replace(fixture(t, "memtier-2.0.txt"), "ALL STATS", "RUN #1 RESULTS", 1)
	table := text[strings.Index(text, "RUN #1 RESULTS"):strings.Index(text, "Request")]
	all := text[strings.Index(text, "[RUN"):strings.Index(text, "RUN #1 RESULTS")] + table + strings.Replace(table, "RUN #1", "RUN #2", 1) + strings.Replace(table, "RUN #1 RESULTS", "BEST RUN RESULTS", 1)
	if found = capturetest.One(t, all, Kinds()); len(found.Runs) != 2 || found.Runs[1].Options["run"] != "RUN #2 RESULTS" {
		t.Errorf("%+v", found.Runs)
	}
}

func TestReadMemtierJSON(t *testing.T) {
	found := capturetest.One(t, fixture(t, "memtier-2.0.json"), Kinds())
	run := found.Runs[0]
	want := outcome{clients: 32, threads: 4, count: 272000, seconds: 3.02, tps: 90066.22, mean: 355000, low: 40000, p50: 231000, p99: 1415000, p999: 2575000, high: 23935000}
	if got := outcomeOf(run); len(found.Runs) != 1 || got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if run.Pipeline != 2 || run.Options["ratio"] != "1:9" || run.Options["key_maximum"] != "10000000" || run.Options["authenticate"] != "" {
		t.Errorf("pipeline %d, options %v", run.Pipeline, run.Options)
	}
	if run.Began.Clock != capture.UTC || !run.Began.Time.Equal(time.UnixMilli(1795718574000)) {
		t.Errorf("it began at %v", run.Began)
	}
	if len(run.Result.Scripts) != 2 || run.Result.Scripts[0].Transactions != 27200 || run.Result.Scripts[0].Latency.Max != 19071000 {
		t.Errorf("scripts %+v", run.Result.Scripts)
	}
	if len(found.Notes) != 1 || found.Notes[0].Rule != capture.LeftOut {
		t.Errorf("notes %v", found.Notes)
	}
	columns := map[string][]float64{}
	for _, c := range run.Progress.Columns {
		columns[c.Name] = c.Values
	}
	if tps := columns["tps"]; len(tps) != 3 || tps[0] != 90000 || tps[1] != 0 || tps[2] != 91000 || len(run.Progress.Times) != 3 {
		t.Errorf("progress %+v", run.Progress)
	}
	if p := columns["latency_p99_ns"]; p[0] != 2175000 || !math.IsNaN(p[1]) || p[2] != 1463000 {
		t.Errorf("p99 %v", p)
	}
}

func TestReadMemtierContradictions(t *testing.T) {
	document := fixture(t, "memtier-2.0.json")
	text := fixture(t, "memtier-2.0.txt")
	text = text[strings.Index(text, "[RUN"):]
	for _, test := range []struct{ text, from, to, rule, want string }{
		{text, "Gets        81016.28", "Gets        71016.28", capture.Contradiction, "ALL STATS: the types of commands add up to 80018.1 requests/s, but the total is 90018.1"},
		{text, "0.23100         1.43100", "5.23100         1.43100", capture.Contradiction, "Sets of ALL STATS: p99 (1.431 ms) is below p50 (5.231 ms)"},
		{text, "8         Connections", "2         Connections", capture.Unclear, "ALL STATS: 8 clients / 90018.1 requests/s = 0.08887 ms, but the mean latency is 0.355 ms: that is possible only with --pipeline, which the text does not state"},
		{document, `"Count": 272000`, `"Count": 372000`, capture.Contradiction, "ALL STATS: 372000 requests / 3.02 s = 123179/s, but it reports 90066.2/s"},
		{document, `"Connections per thread": 8`, `"Connections per thread": 2`, capture.Contradiction, "ALL STATS: 8 clients / 90066.2 requests/s = 0.08882 ms, but the mean latency is 0.355 ms, with a pipeline of 2"},
	} {
		changed := strings.Replace(test.text, test.from, test.to, 1)
		found := capturetest.One(t, changed, Kinds())
		if changed == test.text || len(found.Notes) == 0 || found.Notes[0] != (record.Note{Rule: test.rule, Text: test.want}) {
			t.Errorf("notes %v, want %q", found.Notes, test.want)
		}
	}
}

func TestBegins(t *testing.T) {
	for text, want := range map[string]string{
		"====== SET ======\n  100000 requests completed in 2.05 seconds":        "redis-benchmark",
		"SET: 1.00\r====== SET ======\n  10 requests completed in 2.05 seconds": "redis-benchmark",
		"====== SET ======\nprose":                                  "",
		"SET: 48804.29 requests per second":                         "redis-benchmark",
		"MSET (10 keys): 48804.29 requests per second":              "redis-benchmark",
		"eval return 1 0: 1.00 requests per second, p50=0.247 msec": "redis-benchmark",
		"We measured: 48804.29 requests per second":                 "",
		"SET: 48804 requests per second":                            "",
		`"SET","48804.29"`:                                          "redis-benchmark",
		`"name","48804.29"`:                                         "",
		csvHead:                                                     "redis-benchmark",
		"ALL STATS\n=====================":                          "memtier_benchmark",
		"ALL STATS\nare here":                                       "",
		"4         Threads\n50        Connections per thread":       "memtier_benchmark",
		"4         Threads":                                         "",
		"[RUN #1] Preparing benchmark client...":                    "memtier_benchmark",
		"Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p50 Latency       KB/sec ": "memtier_benchmark",
		"Type         Ops/sec     Errors     KB/sec ":                                                  "",
		"{\n\"configuration\": {\n\"server\": \"x\",\n\"port\": 1,\n\"unix socket\": \"\",":            "memtier_benchmark",
		"{\n\"configuration\": {\n\"server\": \"x\"":                                                   "",
		"{\n\"fio version\" : \"fio-3.36\"":                                                            "",
	} {
		got := ""
		for _, kind := range Kinds() {
			if kind.Begins(strings.Split(text, "\n")) {
				got += kind.Name
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestReadCut(t *testing.T) {
	for _, name := range []string{"valkey-benchmark-9.txt", "redis-benchmark-6.0.txt", "redis-benchmark-7.0.csv", "redis-benchmark-7.0-quiet.txt", "memtier-2.0.txt", "memtier-1.2-runs.txt", "memtier-2.0.json"} {
		capturetest.Cuts(t, fixture(t, name), Kinds())
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"valkey-benchmark-9.txt", "redis-benchmark-6.0.txt", "redis-benchmark-7.0.csv", "redis-benchmark-7.0-quiet.txt", "memtier-2.0.txt", "memtier-1.2-runs.txt", "memtier-2.0.json"} {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := capture.Read(strings.NewReader(text), Kinds())
		if err != nil {
			return
		}
		for _, section := range got.Sections {
			for _, run := range section.Found.Runs {
				if r := run.Result; !(r.TPS >= 0 && r.Duration >= 0 && r.Transactions >= 0 && r.Latency.Mean >= 0 && r.Latency.Max >= 0) || run.Clients < 0 {
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
	for _, name := range []string{"redis-benchmark-7.0.txt", "memtier-2.0.json"} {
		text := fixture(b, name)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				capturetest.Text(b, text, Kinds())
			}
		})
	}
}
