// Package sysbench reads what sysbench 0.4.12 to 1.1 prints of a database test, with reports during the
// run, and of a fileio test of 1.x. Its tests of the CPU, memory, threads and mutexes are refused.
// Sources: sysbench.c (print_run_mode, report_cumulative), db_driver.c (db_report_cumulative),
// sb_fileio.c and sb_histogram.c. Latencies are in milliseconds: 0.4 and 0.5 print "ms" after each, 1.x
// "Latency (ms):" above them.
package sysbench

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Kinds returns sysbench.
func Kinds() []capture.Kind {
	return []capture.Kind{{
		Name:   "sysbench",
		Title:  "output of sysbench",
		Begins: begins,
		New: func() capture.Reader {
			return &reader{run: capture.Run{Tool: "sysbench", Options: map[string]string{}}, rates: map[string]float64{}, counts: map[string]int64{}}
		},
	}}
}

// reader reads one run.
type reader struct {
	run     capture.Run
	test    string // "cpu"; empty for a test of a database
	file    fileTest
	started bool // the results have begun, so that a new head belongs to another run

	counts   map[string]int64   // "read", "transactions", "ignored errors"
	rates    map[string]float64 // per second, by the same names
	times    capture.Times
	sum      float64 // of all latencies, in nanoseconds
	events   int64
	inMillis bool // latencies without a unit are in milliseconds
	unitless bool // there was a latency without a unit
	progress progress
	message  string // the first fatal error
	unended  bool
	cut      bool
	fairness bool // the last part was read
	database bool // there are statistics of a database
}

var (
	banner    = regexp.MustCompile(`^sysbench (\d+\.\d+[^ :]*)(?::\s+multi-threaded system evaluation benchmark| \(using .*LuaJIT.*\))$`)
	interval1 = regexp.MustCompile(`^\[ (\d+)s \] thds: (\d+) tps: (` + decimal + `) qps: ` + decimal + ` \(r/w/o: \S+\) lat \(ms,\s*(\d+)%\): (` + decimal + `) err/s:? (` + decimal + `) reconn/s:? ` + decimal + `$`)
	interval0 = regexp.MustCompile(`^\[\s*(\d+)s\] threads: (\d+), tps: (` + decimal + `), reads(?:/s)?: ` + decimal + `, writes(?:/s)?: ` + decimal + `, response time: (` + decimal + `)ms \((\d+)%\)(?:, errors: (` + decimal + `), reconnects:\s+` + decimal + `)?$`)
	statLine  = regexp.MustCompile(`^(?:SQL|OLTP test) statistics:$`)
)

const decimal = `\d+\.\d+`

func begins(lines []string) bool {
	line := strings.TrimRight(lines[0], "\r ")
	return banner.MatchString(line) || statLine.MatchString(line) || interval1.MatchString(line) || interval0.MatchString(line)
}

// Unended announces a line without an end: see capture.Cutter.
func (r *reader) Unended() { r.unended = true }

// Line reads one line.
func (r *reader) Line(line []byte) bool {
	if r.unended {
		r.cut = true
		line = capture.WithoutLastNumber(line)
	}
	text := strings.TrimRight(string(line), "\r\t ")
	if text == "" {
		return false
	}
	for _, form := range forms {
		if match := form.line.FindStringSubmatch(text); match != nil && form.take(r, match) {
			return true
		}
	}
	return false
}

// form is a form of line, and what is done with it. take reports whether the line was expected.
type form struct {
	line *regexp.Regexp
	take func(r *reader, match []string) bool
}

// forms are the lines of an output.
var forms = []form{
	{interval1, (*reader).interval},
	{interval0, (*reader).oldInterval},
	{regexp.MustCompile(`^\[ \d+s \] (?:queue length: \d+, concurrency: \d+|thds: \d+ eps: .*|reads: .* writes: .*)$`), (*reader).ignored},
	{regexp.MustCompile(`^\s+` + decimal + ` \|\**\s+\d+$`), (*reader).ignored},
	{banner, (*reader).banner},
	{regexp.MustCompile(`^Number of threads: (\d+)$`), (*reader).threads},
	{regexp.MustCompile(`^Target transaction rate: (\d+)/sec$`), (*reader).target},
	{regexp.MustCompile(`^Report intermediate results every (\d+) second\(s\)$`), (*reader).reportInterval},
	{regexp.MustCompile(`^No DB drivers specified, using (\w+)$`), (*reader).driver},
	{regexp.MustCompile(`^Running (mixed|simple) OLTP test$`), (*reader).oltp},
	{regexp.MustCompile(`^(?:CPU speed:|Maximum prime number checked in CPU test: \d+|Prime numbers limit: \d+|Doing CPU performance benchmark)$`), kindOf("cpu")},
	{regexp.MustCompile(`^(?:Running memory speed test with the following options:|Doing memory operations speed test|Total operations: \d+ \(.*)$`), kindOf("memory")},
	{regexp.MustCompile(`^Doing (?:thread subsystem|mutex) performance test$`), kindOf("threads")},
	{regexp.MustCompile(`^(?:\s+(?:block size|total size|operation|scope|events per second): .*|Memory .*|` + decimal + ` \S+ transferred .*)$`), (*reader).otherTest},
	{regexp.MustCompile(`^Block size ([\d.]+)([KMG]?)i?[Bb]?$`), (*reader).blockSize},
	{regexp.MustCompile(`^Doing (sequential|random) (read|write|r/w|rewrite|write \(creation\)) test$`), (*reader).fileMode},
	{regexp.MustCompile(`^(?:Extra file open flags: |\d+ files, |[\d.]+[KMG]i?[Bb] total file size|Number of IO requests: |Number of random requests|Read/Write ratio |Periodic FSYNC |Calling fsync|Using (?:a?synchronous|mmap)|File operations:|Operations performed:)`), kindOf("fileio")},
	{regexp.MustCompile(`^\s+(reads/s|writes/s|fsyncs/s|read, MiB/s|written, MiB/s):\s+(` + decimal + `)$`), (*reader).fileRate},
	{statLine, (*reader).statistics},
	{regexp.MustCompile(`^\s+queries performed:$`), (*reader).ignored},
	{regexp.MustCompile(`^\s+(read|write|other|total):\s+(\d+)$`), (*reader).count},
	{regexp.MustCompile(`^\s+(transactions|deadlocks|read/write requests|other operations|queries|ignored errors|reconnects):\s+(\d+)\s+\((` + decimal + `) per sec\.\)$`), (*reader).countAndRate},
	{regexp.MustCompile(`^(?:General statistics|Test execution summary|Throughput):$`), (*reader).general},
	{regexp.MustCompile(`^\s+(?:total time|time elapsed):\s+(` + decimal + `)s$`), (*reader).totalTime},
	{regexp.MustCompile(`^\s+total number of events:\s+(\d+)$`), (*reader).totalEvents},
	{regexp.MustCompile(`^\s+total time taken by event execution:\s+(` + decimal + `)s?$`), (*reader).eventTime},
	{regexp.MustCompile(`^\s+events/s \(eps\):\s+` + decimal + `$`), (*reader).ignored},
	{regexp.MustCompile(`^Latency \(ms\):$`), (*reader).milliseconds},
	{regexp.MustCompile(`^\s+(?:per-request statistics|response time):$`), (*reader).ignored},
	{regexp.MustCompile(`^\s+(min|avg|max|sum):\s+(` + decimal + `)(ms)?$`), (*reader).latency},
	{regexp.MustCompile(`^\s+(?:approx\.\s+)?(\d+)(?:st|nd|rd|th)? percentile:\s+(` + decimal + `)(ms)?$`), (*reader).percentile},
	{regexp.MustCompile(`^\s+percentile stats:\s+disabled$`), (*reader).ignored},
	{regexp.MustCompile(`^Threads fairness:$`), (*reader).threadsFairness},
	{regexp.MustCompile(`^\s+(?:events|execution time) \(avg/stddev\):\s+` + decimal + `/` + decimal + `$`), (*reader).ignored},
	{regexp.MustCompile(`^FATAL: (.+)$`), (*reader).fatal},
	{regexp.MustCompile(`^(?:Running the test with following options:|Doing OLTP test\.|Doing read-only test|Skipping BEGIN/COMMIT|Threads started!|Time limit exceeded, exiting\.\.\.|\(last message repeated \d+ times\)|Done\.)$`), (*reader).beforeResults},
	{regexp.MustCompile(`^(?:Using (?:\S+ distribution|"?[A-Z ]+"? for |auto_inc )|Initializing (?:worker threads|random number generator)|Random number generator seed is |WARNING: --\S+ is deprecated)`), (*reader).beforeResults},
	{regexp.MustCompile(`^Latency histogram \(values are in milliseconds\)$`), (*reader).beforeResults},
	{regexp.MustCompile(`^\s+value\s+-+ distribution -+ count$`), (*reader).beforeResults},
}

func (r *reader) ignored([]string) bool { return true }

func (r *reader) beforeResults([]string) bool { return !r.started }

func (r *reader) otherTest([]string) bool { return r.test != "" }

// kindOf returns what is done with a line that only one kind of test prints.
func kindOf(test string) func(*reader, []string) bool {
	return func(r *reader, _ []string) bool {
		if r.test == "" {
			r.test = test
		}
		return r.test == test
	}
}

func (r *reader) banner(match []string) bool {
	if r.run.Version != "" || r.started {
		return false
	}
	r.run.Version = match[1]
	return true
}

// whole parses a whole number that a form matched.
func whole(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

func number(text string) float64 {
	x, _ := capture.Number([]byte(text))
	return x
}

func (r *reader) threads(match []string) bool {
	n, ok := whole(match[1])
	if !ok || r.started || n > 1<<31 {
		return false
	}
	r.run.Clients, r.run.Threads = int(n), int(n) // each thread has one connection
	return true
}

func (r *reader) target(match []string) bool {
	r.run.Rate = number(match[1])
	return !r.started
}

func (r *reader) reportInterval(match []string) bool {
	r.progress.interval = number(match[1])
	return !r.started
}

func (r *reader) driver(match []string) bool {
	r.run.Options["driver"] = match[1]
	return true
}

func (r *reader) oltp(match []string) bool {
	r.run.Workload = "OLTP " + match[1]
	return true
}

func (r *reader) fatal(match []string) bool {
	if r.message == "" {
		r.message = match[1]
	}
	return true
}

// End returns a run for a test of a database, and a job for one of files.
func (r *reader) End() (capture.Found, error) {
	found := capture.Found{}
	switch {
	case r.test == "fileio" && r.file.stated:
		return r.fileJob()
	case r.test != "" && r.test != "fileio":
		return found, fmt.Errorf("it is sysbench's %s test, which measures neither a database nor a disk", r.test)
	case r.test == "fileio":
		return found, fmt.Errorf("it is sysbench's fileio test in a form that does not state reads and writes per second")
	case r.counts["transactions"] > 0 || r.rates["transactions"] > 0:
		return r.databaseRun(), nil
	case r.progress.rows() > 0:
		found.Series = []capture.Series{r.progress.series()}
		found.Notes = []record.Note{{Rule: capture.Cut, Text: "it has reports during the run, but no results"}}
		return found, nil
	case r.message != "":
		return found, fmt.Errorf("sysbench failed: %s", r.message)
	}
	return found, fmt.Errorf("it has no results")
}
