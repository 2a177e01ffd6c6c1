package redis

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// memtierReader reads text or JSON of memtier_benchmark 1.2 to 2.x. Source: run_stats.cpp
// (run_stats::print, result_print_to_json) and the end of memtier_benchmark.cpp. Latencies are in
// milliseconds; KB/sec is in KiB/s.
type memtierReader struct {
	load     load
	tables   []*table
	current  *table
	document capture.Document
	unended  bool
	cut      bool
	whole    bool // the distribution of latencies, which comes last, was seen
}

// load describes the load, as the head of the text or the configuration in JSON states it.
type load struct {
	threads, connections int
	pipeline             int // 0 if unknown
	seconds              float64
	options              map[string]string
}

// table is the result of one run, or of several.
type table struct {
	title    string
	columns  []string
	rows     []row
	duration float64
	began    capture.Moment
	stopped  bool // before its end
	progress capture.Series
	partial  bool // the last second of progress was left out
}

// row is the result of one type of command. Rates are per second; what is unknown is zero.
type row struct {
	name              string
	ops, hits, misses float64
	count             int64
	times             capture.Times
}

const allStats = "ALL STATS"

var (
	titleLine    = regexp.MustCompile(`^(ALL STATS|BEST RUN RESULTS|WORST RUN RESULTS|RUN #\d+ RESULTS|AGGREGATED AVERAGE RESULTS \(\d+ runs\))$`)
	columnsLine  = regexp.MustCompile(`^Type\s+Ops/sec\s.*\sKB/sec`)
	threadsLine  = regexp.MustCompile(`^(\d+)\s+Threads$`)
	prepareLine  = regexp.MustCompile(`^\[RUN #(\d+)\] Preparing benchmark client\.\.\.$`)
	memtierStart = regexp.MustCompile(`^\s*\{\s*(?:"configuration"\s*:\s*\{[^}]*"unix socket"|"run information"\s*:\s*\{\s*"Threads"|"ALL STATS"\s*:\s*\{)`)
	column       = regexp.MustCompile(`(?:Ops|Hits|Misses|MOVED|ASK|KB)/sec(?: (?:RX/TX|RX|TX))?|(?:Avg\. |p[\d.]+ )?Latency`)
)

func memtierBegins(lines []string) bool {
	line := lastReport(lines[0])
	next := ""
	if len(lines) > 1 {
		next = strings.TrimRight(lines[1], "\r ")
	}
	switch {
	case strings.HasPrefix(strings.TrimSpace(line), "{"):
		return memtierStart.MatchString(strings.Join(lines, "\n"))
	case titleLine.MatchString(line):
		return strings.HasPrefix(next, "=====")
	case threadsLine.MatchString(line):
		return strings.HasSuffix(next, "Connections per thread")
	}
	return prepareLine.MatchString(line) || columnsLine.MatchString(line) && columnsOf(line) != nil
}

// Unended announces a line without an end: see capture.Cutter.
func (r *memtierReader) Unended() { r.unended = true }

// Line reads one line, of text or of JSON.
func (r *memtierReader) Line(line []byte) bool {
	if r.unended {
		line, r.cut = capture.WithoutLastNumber(line), true
	}
	text := lastReport(string(line))
	if len(r.tables) == 0 && r.load.threads == 0 && (!r.document.Empty() || strings.HasPrefix(strings.TrimSpace(text), "{")) {
		return r.document.Line([]byte(text))
	}
	return strings.TrimSpace(text) != "" && takes(memtierForms, r, text)
}

var memtierForms = []form[*memtierReader]{
	{regexp.MustCompile(`^\S+\s+\d+(?:\.\d+)?\s+\d+\.\d+$`), (*memtierReader).distributionLine},
	{regexp.MustCompile(`^(\S+)\s+((?:(?:\d+\.\d+|---|-?nan)\s*){4,})$`), (*memtierReader).row},
	{titleLine, (*memtierReader).title},
	{regexp.MustCompile(`^(?:={4,}|-{3,})$`), (*memtierReader).inTable},
	{columnsLine, (*memtierReader).columns},
	{threadsLine, (*memtierReader).threads},
	{regexp.MustCompile(`^(\d+)\s+Connections per thread$`), (*memtierReader).connections},
	{regexp.MustCompile(`^(\d+)\s+(Requests per client|Requests per thread|Seconds)$`), (*memtierReader).length},
	{regexp.MustCompile(`^Request Latency Distribution$`), (*memtierReader).distribution},
	{regexp.MustCompile(`^Type\s+<= msec\s+Percent$`), (*memtierReader).inTable},
	{prepareLine, (*memtierReader).prepare},
	{regexp.MustCompile(`^\[RUN #\d+(?:\] Launching threads|[ ,].* secs?\])`), (*memtierReader).beforeTables},
	{regexp.MustCompile(`^Writing results to `), (*memtierReader).beforeTables},
}

func (r *memtierReader) inTable([]string) bool      { return len(r.tables) > 0 }
func (r *memtierReader) beforeTables([]string) bool { return len(r.tables) == 0 }

// prepare is printed before each run; the first one begins an output.
func (r *memtierReader) prepare(match []string) bool {
	return len(r.tables) == 0 && (match[1] != "1" || r.load.options == nil) && r.load.set("run", match[1])
}

func (l *load) set(name, value string) bool {
	if l.options == nil {
		l.options = map[string]string{}
	}
	if name != "run" {
		l.options[name] = value
	}
	return true
}

func (r *memtierReader) threads(match []string) bool {
	n, err := strconv.Atoi(match[1])
	if err != nil || len(r.tables) > 0 || r.load.threads > 0 {
		return false
	}
	r.load.threads = n
	return true
}

func (r *memtierReader) connections(match []string) bool {
	n, err := strconv.Atoi(match[1])
	if err != nil || r.load.connections > 0 {
		return false
	}
	r.load.connections = n
	return true
}

func (r *memtierReader) length(match []string) bool {
	if len(r.tables) > 0 {
		return false
	}
	if match[2] == "Seconds" {
		r.load.seconds = number(match[1])
	}
	return r.load.set(match[2], match[1])
}

// total returns the row of all commands; nil if there is none.
func (t *table) total() *row {
	for i := range t.rows {
		if t.rows[i].name == "Totals" {
			return &t.rows[i]
		}
	}
	return nil
}

// End returns a run for each table of one run.
func (r *memtierReader) End() (capture.Found, error) {
	found := capture.Found{}
	if !r.document.Empty() {
		notes, err := r.readDocument()
		if err != nil {
			return capture.Found{}, err
		}
		found.Notes = notes
	}
	complete := 0
	for _, t := range r.tables {
		if t.total() != nil {
			complete++
			r.result(t, &found)
		}
	}
	switch {
	case complete == 0 && len(r.tables) > 0:
		return capture.Found{}, errors.New("its table is cut before the row of all commands (Totals)")
	case complete == 0:
		return capture.Found{}, errors.New("it has no table of results")
	case complete < len(r.tables):
		found.Notes = append(found.Notes, record.Note{Rule: capture.Cut, Text: fmt.Sprintf("the table %s is cut before the row of all commands (Totals), and was left out", r.tables[complete].title)})
	case r.cut && r.document.Empty():
		found.Notes = append(found.Notes, record.Note{Rule: capture.Cut, Text: "the text ends in the middle of a line"})
	}
	return found, nil
}
