package redisbench

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
)

// read passes captured output to a watch, as its lines would arrive.
func read(t testing.TB, name string, requests int64) (*watch, *report) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	w := newWatch(driver.Job{Experiment: &experiment.Experiment{Transactions: requests}})
	_, _ = (&lines{file: &strings.Builder{}, each: w.line}).Write(text)
	r, err := parseReport(w.report, requests)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return w, r
}

// TestCapturedReports compares what is read with what versions printed.
func TestCapturedReports(t *testing.T) {
	for _, test := range []struct {
		file, title          string
		requests             int64
		rps, mean, p50, most float64 // latencies in milliseconds
		p95, p99             float64
	}{
		{"get-7.0.15.txt", "GET", 400000, 0, 0, 0, 0, 0, 0},
		{"set-7.4.1.txt", "SET", 150000, 0, 0, 0, 0, 0, 0},
		{"threads-7.4.1.txt", "GET", 60000, 0, 0, 0, 0, 0, 0},
		{"mset-7.0.15.txt", "MSET (10 keys)", 100, 0, 0, 0, 0, 0, 0},
		{"stall-7.0.15.txt", "SET", 400000, 29848.52, 0.106, 0.031, 3000.319, 0.087, 1.447},
	} {
		_, r := read(t, test.file, test.requests)
		if r.title != test.title || r.requests != test.requests || !r.detailed {
			t.Errorf("%s: %q, %d requests, detailed %v", test.file, r.title, r.requests, r.detailed)
		}
		l := r.latency()
		if test.rps > 0 && (r.rps != test.rps || l.Mean != test.mean*1e6 || float64(l.P50) != test.p50*1e6 ||
			float64(l.P95) != test.p95*1e6 || float64(l.P99) != test.p99*1e6 || float64(l.Max) != test.most*1e6) {
			t.Errorf("%s: %+v", test.file, l)
		}
		h := r.histogram
		if h.TotalCount() != test.requests {
			t.Errorf("%s: the histogram counts %d", test.file, h.TotalCount())
		}
		if off := math.Abs(float64(r.requests)/r.seconds()-r.rps) / r.rps; off > 1e-9 || math.Abs(r.took-r.seconds()) > 0.006 {
			t.Errorf("%s: %g s, told %g s", test.file, r.seconds(), r.took)
		}
		// The histogram matches the report's own summary, within its steps.
		for percentile, want := range map[float64]int64{50: l.P50, 95: l.P95, 99: l.P99, 100: l.Max} {
			got := h.ValueAtPercentile(percentile)
			if off := math.Abs(float64(got-want)) / float64(want); off > 0.02 && math.Abs(float64(got-want)) > 16e3 {
				t.Errorf("%s: percentile %g is %d ns, told %d", test.file, percentile, got, want)
			}
		}
		// Of the last four requests of the stall only the slowest is printed.
		if off := math.Abs(h.Mean()-l.Mean) / l.Mean; off > 0.15 {
			t.Errorf("%s: the histogram's mean is %.0f ns, told %.0f", test.file, h.Mean(), l.Mean)
		}
	}
}

// TestTicks reads both forms of the lines of progress.
func TestTicks(t *testing.T) {
	nan := math.NaN()
	for line, want := range map[string]tick{
		"SET: rps=70972.1 (overall: 70690.5) avg_msec=0.164 (overall: 0.164)":            {70690.5, 0.164e-3, false},
		"SET: rps=0.0 (overall: 16614.7) avg_msec=-nan (overall: 0.074)":                 {16614.7, nan, true},
		"GET: rps=0.0 (overall: 40000.0) avg_msec=0.225 (overall: 0.225)":                {40000, 0.225e-3, false},
		"SET: rps=0.0 (overall: -nan) avg_msec=-nan (overall: -nan)":                     {nan, nan, true},
		"MSET (10 keys): rps=12.0 (overall: 11.0) avg_msec=1000.250 (overall: 1000.250)": {11, 1.00025, false},
		"SET: 70690.55": {70690.55, nan, false},
		"SET: -nan":     {nan, nan, false},
	} {
		got, ok := parseTick(line)
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
		if !ok || !same(got.overall, want.overall) || !same(got.mean, want.mean) || got.idle != want.idle {
			t.Errorf("%s: %+v, %v; want %+v", line, got, ok, want)
		}
	}
	for _, line := range []string{
		"", "70690.55 requests per second", "Error from server: OOM command not allowed", "====== SET ======",
		"99.990% <= 1.407 milliseconds (cumulative count 99990)", "WARNING: x", "throughput summary: 81967.21 requests per second",
		`host configuration "save": 3600.1`,
	} {
		if got, ok := parseTick(line); ok {
			t.Errorf("%q is progress: %+v", line, got)
		}
	}
}

// TestStallInPoints checks that the seconds show a stall of the server, though the
// percentiles do not.
func TestStallInPoints(t *testing.T) {
	text, err := os.ReadFile("testdata/stall-7.0.15.txt")
	if err != nil {
		t.Fatal(err)
	}
	var p progress
	at := 0.0
	for line := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\r' || r == '\n' }) {
		if tick, ok := parseTick(strings.TrimSpace(line)); ok {
			p.add(at, tick)
			at += 0.2505
		}
	}
	_, rep := read(t, "stall-7.0.15.txt", 400000)
	points := p.points(rep.seconds(), rep)
	tps, mean := points.Columns[1].Values, points.Columns[2].Values
	if len(tps) != 13 || points.Columns[1].Name != "tps" || points.Columns[2].Name != "latency_mean_ns" {
		t.Fatalf("%d seconds: %v", len(tps), points)
	}
	if tps[1] != 0 || tps[2] != 0 || !math.IsNaN(mean[1]) {
		t.Errorf("the stall has %g and %g requests, mean %g", tps[1], tps[2], mean[1])
	}
	sum := 0.0
	for i := range tps {
		sum += tps[i]
	}
	if sum < 380e3 || sum > 400e3 {
		t.Errorf("seconds have %.0f requests of 400000", sum)
	}
	if mean[8] < 50e3 || mean[8] > 200e3 {
		t.Errorf("the mean of a quiet second is %g ns", mean[8])
	}
}

// TestLive checks that each second is shown once, when it is over.
func TestLive(t *testing.T) {
	var p progress
	for i := range 9 {
		p.add(float64(i)*0.25, tick{overall: 1000, mean: 0.001})
	}
	if !p.covers(2) || p.covers(3) {
		t.Error("nine lines of progress cover two seconds")
	}
	if tps, mean := p.second(1); math.Abs(tps-1000) > 1e-6 || math.Abs(mean-0.001) > 1e-9 {
		t.Errorf("%g requests, %g s", tps, mean)
	}
}

// TestRefusedReports checks that an invalid report is an error.
func TestRefusedReports(t *testing.T) {
	whole := []string{
		"====== SET ======", "100 requests completed in 0.01 seconds", "0.000% <= 0.1 milliseconds (cumulative count 100)",
		"throughput summary: 10000.00 requests per second", "avg       min       p50       p95       p99       max",
		"0.1 0.1 0.1 0.1 0.1 0.1",
	}
	if _, err := parseReport(whole, 100); err != nil {
		t.Errorf("whole: %v", err)
	}
	for i := range 4 {
		var less []string
		less = append(append(less, whole[:i]...), whole[i+1:]...)
		if r, err := parseReport(less, 100); err == nil {
			t.Errorf("without %q: %+v", whole[i], r)
		}
	}
	if _, err := parseReport(append(whole, whole...), 100); err == nil || !strings.Contains(err.Error(), "2 reports") {
		t.Errorf("two reports: %v", err)
	}
	backwards := append([]string{"0.000% <= 0.05 milliseconds (cumulative count 200)"}, whole...)
	if _, err := parseReport(backwards, 100); err == nil {
		t.Error("counts that fall are taken")
	}
}

func FuzzReport(f *testing.F) {
	for _, name := range []string{"get-7.0.15.txt", "threads-7.4.1.txt", "mset-7.0.15.txt", "stall-7.0.15.txt"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), int64(1000))
	}
	f.Add(oldReport(1000, []int{100, 1500, 2500, 4000}), int64(4))
	f.Fuzz(func(t *testing.T, text string, requests int64) {
		w := newWatch(driver.Job{Experiment: &experiment.Experiment{Transactions: requests}})
		w.refused = make(chan struct{})
		l := &lines{file: &strings.Builder{}, each: w.line}
		_, _ = l.Write([]byte(text))
		r, err := parseReport(w.report, requests)
		if err != nil {
			return
		}
		l2 := r.latency()
		if math.IsNaN(l2.Mean) || math.IsInf(l2.Mean, 0) || l2.Max > int64(time.Hour) || l2.Max < 0 {
			t.Fatalf("%+v", l2)
		}
		if seconds := r.seconds(); seconds < 10_000 {
			for _, c := range w.progress.points(seconds, r).Columns {
				if len(c.Values) != int(seconds) {
					t.Fatalf("%s has %d of %g seconds", c.Name, len(c.Values), seconds)
				}
			}
		}
	})
}
