package pgbench

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"plinth/internal/capture"
	"plinth/internal/driver/pgbench/txlog"
)

func TestLogs(t *testing.T) {
	for name, want := range map[string]string{
		"15-threads.log":           "  2x0 closed: 631 in 4.00 s = 157.797102/s, 12.666 +- 1.970 ms (12.067-39.569), failures 0, skipped 0",
		"15-lag.log":               "  1x0 open: 95 in 2.94 s = 32.285790/s, 16.134 +- 7.502 ms (12.182-46.260), failures 0, skipped 0, lag 3.875 max 34.131",
		"15-mix.log":               "  2x0 open: 88 in 2.86 s = 30.808744/s, 10.319 +- 4.094 ms (2.124-15.607), failures 0, retries 1, skipped 0, lag 0.179 max 3.476; script 0: 69 24.156856/s 12.445 +- 0.606 ms f0 r0 s0; script 1: 19 6.651888/s 2.598 +- 0.520 ms f0 r1 s0",
		"15-retries.log":           "  2x0 closed: 60 in 0.14 s = 430.156864/s, 2.281 +- 0.169 ms (2.157-3.398), failures 20, retries 20, skipped 0",
		"15-failures.log":          "  4x0 closed: 25 in 0.08 s = 305.291309/s, 3.176 +- 1.145 ms (1.922-7.007), failures 75, skipped 0",
		"15-sampled.log":           "  4x0 closed: 1987 in 0.13 s = 15533.131661/s, 0.237 +- 0.661 ms (0.027-5.124), failures 0, skipped 0",
		"15-interval.log":          "  0x0 closed: 18546 in 4.15 s = 4467.000000/s, 0.447 +- 0.686 ms (0.092-16.008)",
		"16-interval-mix.log":      "  0x0 open: 565 in 4.05 s = 139.500000/s, 13.505 +- 6.343 ms (1.482-32.110), failures 2, retries 16, skipped 10, lag 3.685 max 19.966",
		"18-interval-mix.log.1":    "  0x0 open: 583 in 4.00 s = 145.750000/s, 14.322 +- 6.848 ms (1.289-31.934), failures 1, retries 7, skipped 17, lag 4.509 max 19.868",
		"written-14-interval.log":  "  0x0 open: 11 in 5.50 s = 2.000000/s, 2.818 +- 1.072 ms (1.000-6.000), lag 0.209 max 0.400",
		"written-9.5-interval.log": "  0x0 open: 11 in 3.67 s = 3.000000/s, 2.818 +- 1.072 ms (1.000-6.000), skipped 3, lag 0.209 max 0.400",
		"written-9.3-interval.log": "  0x0 closed: 20693 in 5.48 s = 3773.000000/s, 0.266 +- 0.086 ms (0.059-2.573)",
	} {
		run, notes := runOf(t, name)
		if got := shown(&run); got != want {
			t.Errorf("%s: got\n%s, want\n%s", name, got, want)
		}
		wantNote := ""
		if name == "15-sampled.log" {
			wantNote = "import-unclear: the log has a sample of the transactions (--sampling-rate of about 0.105, as the clients' own counts show): counts and TPS are computed from this rate"
		}
		if got := texts(notes); got != wantNote {
			t.Errorf("%s: notes %s", name, got)
		}
	}
}

// TestLogAgainstSums compares percentiles, seconds and times with a direct calculation.
func TestLogAgainstSums(t *testing.T) {
	text := fixture(t, "15-threads.log")
	var latencies []int64
	began := int64(math.MaxInt64)
	bySecond := map[int64]int{}
	for line := range strings.Lines(text) {
		var e txlog.Entry
		if !(txlog.Form{}).Parse([]byte(strings.TrimSpace(line)), &e) {
			t.Fatal(line)
		}
		latencies = append(latencies, e.Micros*1000)
		bySecond[e.End/micro]++
		began = min(began, e.End-e.Micros)
	}
	run, _ := runOf(t, "15-threads.log")
	l := run.Result.Latency
	for _, p := range []struct {
		share float64
		got   int64
	}{{0.5, l.P50}, {0.95, l.P95}, {0.99, l.P99}, {0.999, l.P999}} {
		below, above := 0, 0 // by more than the width of a bucket
		for _, v := range latencies {
			if float64(v) < float64(p.got)*0.998 {
				below++
			}
			if float64(v) > float64(p.got)*1.002 {
				above++
			}
		}
		n := float64(len(latencies))
		if float64(below) > p.share*n+1 || float64(above) > (1-p.share)*n+1 {
			t.Errorf("p%v is %d, but %d latencies are below it and %d above", 100*p.share, p.got, below, above)
		}
	}
	if h, err := l.Decode(); err != nil || h.TotalCount() != 631 {
		t.Errorf("histogram: %v %v", h, err)
	}
	s := &run.Progress
	if len(s.Times) != len(bySecond)-2 || s.Interval != 1 {
		t.Fatalf("%d rows for %d seconds", len(s.Times), len(bySecond))
	}
	for i, at := range s.Times {
		if tps, _ := valueOf(s, "tps", i); int(tps) != bySecond[at.Time.Unix()-1] || at.Clock != capture.UTC {
			t.Errorf("row at %v: %v TPS, want %d", at, tps, bySecond[at.Time.Unix()-1])
		}
	}
	if got := run.Began.Time.UnixMicro(); got != began {
		t.Errorf("began %d, want %d", got, began)
	}
}

func TestIntervals(t *testing.T) {
	run, _ := runOf(t, "written-14-interval.log")
	for i, want := range []string{
		"17:15:03.000 4 tps=4 latency_mean_ns=2.5e+06 latency_max_ns=4e+06 schedule_lag_mean_ns=200000 schedule_lag_max_ns=300000",
		"17:15:04.000 4 tps=0 latency_mean_ns=NaN latency_max_ns=NaN schedule_lag_mean_ns=NaN schedule_lag_max_ns=NaN",
		"17:15:05.000 4 tps=2 latency_mean_ns=3e+06 latency_max_ns=4e+06 schedule_lag_mean_ns=250000 schedule_lag_max_ns=300000",
	} {
		if got := row(&run.Progress, i); got != want {
			t.Errorf("row %d: %s, want %s", i, got, want)
		}
	}
}

// TestSeventhField shows how the meaning of the seventh field follows from the lines.
func TestSeventhField(t *testing.T) {
	lines := func(n int, line string) string {
		text := ""
		for i := range n {
			text += fmt.Sprintf(line, i+1, 1_700_000_000+i) + "\n"
		}
		return text
	}
	for name, c := range map[string]struct{ text, want string }{
		"zeros are retries":       {lines(10, "0 %d 500 0 %d 0 0"), "closed, retries 0"},
		"a skipped one needs -R":  {lines(3, "0 %d 500 0 %d 0 7") + "0 4 skipped 0 1700000009 5 7\n", "open, lag 0.007"},
		"large ones are lags":     {lines(3, "0 %d 5000 0 %d 0 2500"), "open, lag 2.500"},
		"longer than the latency": {lines(3, "0 %d 5 0 %d 0 7"), "closed, retries 21"},
		"of a failed one":         {lines(3, "0 %d 500 0 %d 0 7") + "0 4 failed 0 1700000009 5 7\n", "closed, retries 28"},
		"small ones can be both":  {lines(3, "0 %d 500 0 %d 0 7"), "unclear"},
		"a contradiction":         {lines(3, "0 %d 5 0 %d 0 7") + "0 4 skipped 0 1700000009 5 7\n", "unclear"},
	} {
		got := read(t, c.text)
		if len(got.Sections) != 1 || got.Sections[0].Refused != nil {
			t.Fatalf("%s: %+v", name, got)
		}
		found := got.Sections[0].Found
		run := &found.Runs[0]
		text := run.Result.Loop
		if run.Known["retries"] {
			text += fmt.Sprintf(", retries %d", run.Result.Retries)
		}
		if run.Result.Lag != nil {
			text += ", lag " + ms(run.Result.Lag.Mean)
		}
		if text == "" && strings.Contains(texts(found.Notes), "the seventh field") {
			text = "unclear"
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

// TestLogsOneAfterTheOther reads the logs of a run's threads from one text, and those of two runs.
func TestLogsOneAfterTheOther(t *testing.T) {
	one, two := fixture(t, "15-lag.log"), fixture(t, "15-lag.log.1")
	got := read(t, one+two)
	if len(got.Sections) != 1 || shown(&got.Sections[0].Found.Runs[0]) != "  2x0 open: 175 in 2.94 s = 59.473823/s, 15.408 +- 6.243 ms (12.182-46.260), failures 0, skipped 0, lag 3.180 max 34.131" {
		t.Errorf("two threads: %+v", got.Sections)
	}
	if _, ok := valueOf(&got.Sections[0].Found.Runs[0].Progress, "latency_p99_ns", 0); ok {
		t.Error("two threads: percentiles of seconds")
	}
	if got := read(t, one+one); len(got.Sections) != 2 || got.Unread != nil {
		t.Errorf("two runs: %+v", got)
	}
	if got := read(t, fixture(t, "15-lag.txt")+one); len(got.Sections) != 2 || got.Sections[1].Kind != "pgbench-log" {
		t.Errorf("a summary and a log: %+v", got)
	}
	one, two = fixture(t, "15-interval-mix.log"), fixture(t, "15-interval-mix.log.1")
	got = read(t, one+two)
	if len(got.Sections) != 1 || got.Sections[0].Found.Runs[0].Result.Transactions != 615+557 || len(got.Sections[0].Found.Runs[0].Progress.Times) != 4 {
		t.Errorf("intervals of two threads: %+v", got.Sections)
	}
	later := strings.ReplaceAll(one, "179571", "179581")
	if got := read(t, one+later); len(got.Sections) != 2 {
		t.Errorf("intervals of two runs: %+v", got.Sections)
	}
}

// TestLogMemory reads many lines and seconds.
func TestLogMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	from := &endless{left: 300_000}
	got, err := capture.Read(from, Kinds())
	runtime.ReadMemStats(&after)
	if err != nil || len(got.Sections) != 1 || got.Sections[0].Found.Runs[0].Result.Transactions != 300_000 {
		t.Fatal(got, err)
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 40<<20 {
		t.Errorf("allocated %d bytes", bytes)
	}
}

// TestStrayTimes reads a log whose clock jumps.
func TestStrayTimes(t *testing.T) {
	text := "0 1 500 0 1700000000 0\n0 2 500 0 1700000001 0\n0 3 500 0 1600000000 0\n0 4 500 0 1900000000 0\n0 5 500 0 1700000002 0\n"
	got := read(t, text)
	if len(got.Sections) != 1 || got.Sections[0].Found.Runs[0].Result.Transactions != 5 {
		t.Fatalf("%+v", got)
	}
	if notes := texts(got.Sections[0].Found.Notes); notes != "import-left-out: 2 transactions ended before the first line's second, or too long after it: they are in the totals, but not over time" {
		t.Errorf("notes %s", notes)
	}
	if s := got.Sections[0].Found.Runs[0].Progress; len(s.Times) != 1 || math.IsNaN(s.Columns[0].Values[0]) {
		t.Errorf("progress %+v", s)
	}
}

// TestTornLogs cuts logs at each byte: what remains is what the complete lines say.
func TestTornLogs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"15-mix.log", "15-failures.log", "15-interval-mix.log", "written-9.3-interval.log"} {
		text := []byte(fixture(t, name))
		text = text[:min(len(text), 120)]
		for cut := range text {
			torn, whole := text[:cut], text[:bytes.LastIndexByte(text[:cut], '\n')+1]
			got, want := "", ""
			if r := read(t, string(torn)).Sections; len(r) > 0 {
				got = shown(&r[0].Found.Runs[0])
			}
			if r := read(t, string(whole)).Sections; len(r) > 0 {
				want = shown(&r[0].Found.Runs[0])
			}
			if got != want {
				t.Fatalf("%s cut at %d: %s, want %s", name, cut, got, want)
			}
		}
	}
}
