package redis

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// benchmarkReader reads the tests of one invocation of redis-benchmark: the long form, --csv and -q of
// releases 3 to 8 and of Valkey. Source: showLatencyReport (showReport) in redis-benchmark.c
// (valkey-benchmark.c). Requests per second are over the whole test; latencies are in milliseconds, and
// those of the text are from sending to receiving, without the time in which the generator was busy.
type benchmarkReader struct {
	tests   []*test
	current *test // of the long form
	seen    map[string]bool
	message string // an error of the tool
	unended bool   // the next line has no end
	cut     bool
	reports int // of progress
	dropped int
}

// test is one test.
type test struct {
	capture.Run
	times       capture.Times
	steps       [4]steps // of the histogram of releases before 6.2, for the shares in stepShares
	share       float64  // of the last line of a histogram
	value       float64  // and its milliseconds
	disorder    string
	count       int64 // of the histogram of releases from 6.2 on
	summary     summary
	whole       bool
	withoutHead bool
}

// summary is which row of numbers comes next.
type summary int

const (
	noSummary summary = iota
	latencySummary
	rateSummary
)

const (
	testName = `[A-Z][A-Z_0-9]*(?: \([^()]*\))?`
	decimal  = `\d+\.\d+`
)

var (
	testLine      = regexp.MustCompile(`^={6} (.+) ={6}$`)
	completedLine = regexp.MustCompile(`^\s+(\d+) requests completed in (` + decimal + `) seconds$`)
	quietBegins   = regexp.MustCompile(`^(?:` + testName + `: ` + decimal + ` requests per second|\S.*: ` + decimal + ` requests per second, p50=` + decimal + ` msec)$`)
	csvBegins     = regexp.MustCompile(`^"` + testName + `","` + decimal + `"(?:(?:,"` + decimal + `"){6})?$`)
	noConnection  = regexp.MustCompile(`^(Could not connect to (?:Redis|Valkey|server) at .+)$`)
)

// csvHead is the first line of --csv from release 6.2 on.
const csvHead = `"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"`

func benchmarkBegins(lines []string) bool {
	line := lastReport(lines[0])
	if testLine.MatchString(line) {
		return len(lines) > 1 && completedLine.MatchString(strings.TrimRight(lines[1], "\r "))
	}
	return line == csvHead || completedLine.MatchString(line) || quietBegins.MatchString(line) || csvBegins.MatchString(line) || noConnection.MatchString(line)
}

// Unended announces a line without an end: see capture.Cutter.
func (r *benchmarkReader) Unended() { r.unended = true }

// Line reads one line.
func (r *benchmarkReader) Line(line []byte) bool {
	if r.unended {
		r.cut = true
		line = capture.WithoutLastNumber(line)
	}
	text := lastReport(string(line))
	return strings.TrimSpace(text) != "" && takes(benchmarkForms, r, text)
}

var benchmarkForms = []form[*benchmarkReader]{
	{regexp.MustCompile(`^(` + decimal + `)% <= (\d+(?:\.\d+)?) milliseconds(?: \(cumulative count (\d+)\))?$`), (*benchmarkReader).histogram},
	{testLine, (*benchmarkReader).begin},
	{completedLine, (*benchmarkReader).completed},
	{regexp.MustCompile(`^\s+(\d+) parallel clients$`), (*benchmarkReader).clients},
	{regexp.MustCompile(`^\s+(\d+) (bytes payload)$`), (*benchmarkReader).payload},
	{regexp.MustCompile(`^\s+(keep alive): (\d+)$`), (*benchmarkReader).keepAlive},
	{regexp.MustCompile(`^\s+(host configuration "\w+"): ?(.*)$`), (*benchmarkReader).option},
	{regexp.MustCompile(`^\s+(cluster mode): (yes \(\d+ \w+\))$`), (*benchmarkReader).option},
	{regexp.MustCompile(`^\s+(node \[\d+\] configuration):()$`), (*benchmarkReader).inTest},
	{regexp.MustCompile(`^\s+(save|appendonly): (.*)$`), (*benchmarkReader).option},
	{regexp.MustCompile(`^\s+(multi-thread): (yes|no)$`), (*benchmarkReader).multiThread},
	{regexp.MustCompile(`^\s+threads: (\d+)$`), (*benchmarkReader).threads},
	{regexp.MustCompile(`^(?:Latency by percentile distribution|Cumulative distribution of latencies|Summary|RPS Summary):$`), (*benchmarkReader).distribution},
	{regexp.MustCompile(`^(` + decimal + `) requests per second$`), (*benchmarkReader).rate},
	{regexp.MustCompile(`^\s+throughput summary: (` + decimal + `) requests per second$`), (*benchmarkReader).rate},
	{regexp.MustCompile(`^\s+target RPS: (` + decimal + `)$`), (*benchmarkReader).target},
	{regexp.MustCompile(`^\s+(latency summary \(msec\)|RPS distribution \(reqs/sec\)):$`), (*benchmarkReader).summaryBegins},
	{regexp.MustCompile(`^\s+avg\s+min\s+p50\s+p95\s+p99\s+max$`), (*benchmarkReader).inTest},
	{regexp.MustCompile(`^\s+(` + decimal + `)\s+(` + decimal + `)\s+(` + decimal + `)\s+(` + decimal + `)\s+(` + decimal + `)\s+(` + decimal + `)$`), (*benchmarkReader).summaryLine},
	{regexp.MustCompile(`^(\S.*): (` + decimal + `) requests per second(?:, p50=(` + decimal + `) msec)?$`), (*benchmarkReader).quiet},
	{regexp.MustCompile(`^"(?:[^"]|"")+"(?:,"[^"]*")+$`), (*benchmarkReader).row},
	{regexp.MustCompile(`^.+: rps=\S+ \(overall: \S+ avg_msec=`), (*benchmarkReader).report},
	{noConnection, (*benchmarkReader).failure},
	{regexp.MustCompile(`^((?:Error: |Error from server: |All clients disconnected|ERROR: ).+)$`), (*benchmarkReader).failure},
	{regexp.MustCompile(`^WARNING: (?:Could not fetch server CONFIG|[Kk]eepalive disabled)`), ignore[*benchmarkReader]},
}

// add begins a test. A test that was seen before belongs to another invocation.
func (r *benchmarkReader) add(name string) *test {
	t := &test{Run: capture.Run{Tool: "redis-benchmark", Workload: name, Result: record.Result{Loop: "closed"}, Options: map[string]string{}}}
	r.seen[name] = true
	if len(r.tests) == maxRuns {
		r.dropped++
		return t
	}
	r.tests = append(r.tests, t)
	return t
}

// End returns a run for each test.
func (r *benchmarkReader) End() (capture.Found, error) {
	found := capture.Found{}
	note := func(when bool, rule, text string) {
		if when {
			found.Notes = append(found.Notes, record.Note{Rule: rule, Text: text})
		}
	}
	coarse := false
	for _, t := range r.tests {
		if !t.whole {
			note(true, capture.Cut, fmt.Sprintf("test %s is cut before its requests per second, and was left out", t.Workload))
			continue
		}
		note(t.withoutHead, capture.Cut, "the text begins within a test, whose name is not known")
		coarse = t.finish() || coarse
		found.Runs = append(found.Runs, t.Run)
		found.Notes = append(found.Notes, t.check()...)
	}
	note(coarse, capture.LeftOut, "the histograms only say which latency a percentile is below, within a step of up to 1 ms: percentiles were not taken as numbers")
	note(r.reports > 0, capture.LeftOut, fmt.Sprintf("%d reports of progress were left out: they have no times", r.reports))
	note(r.dropped > 0, capture.LeftOut, fmt.Sprintf("%d tests were left out: there are more than plinth keeps", r.dropped))
	if len(found.Runs) == 0 {
		return capture.Found{}, r.refusal(found.Notes)
	}
	note(r.message != "", capture.Cut, "redis-benchmark reported an error: "+r.message)
	note(r.cut && len(found.Notes) == 0, capture.Cut, "the text ends in the middle of a line")
	return found, nil
}

func (r *benchmarkReader) refusal(notes []record.Note) error {
	switch {
	case r.message != "":
		return fmt.Errorf("redis-benchmark failed: %s", r.message)
	case len(notes) > 0:
		return errors.New(notes[0].Text)
	}
	return errors.New("it has no results of a test")
}
