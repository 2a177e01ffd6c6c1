// Package redis reads what load generators for Redis and Valkey print: redis-benchmark (and
// valkey-benchmark, which prints the same), and memtier_benchmark.
package redis

import (
	"regexp"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Kinds returns redis-benchmark and memtier_benchmark.
func Kinds() []capture.Kind {
	return []capture.Kind{
		{
			Name:   "redis-benchmark",
			Title:  "output of redis-benchmark or valkey-benchmark",
			Begins: benchmarkBegins,
			New:    func() capture.Reader { return &benchmarkReader{seen: map[string]bool{}} },
		},
		{
			Name:   "memtier_benchmark",
			Title:  "output of memtier_benchmark",
			Begins: memtierBegins,
			New:    func() capture.Reader { return &memtierReader{} },
		},
	}
}

// maxRuns is how many tests of one output are kept.
const maxRuns = 10_000

// form is a form of line, and what is done with it. take reports whether the line was expected.
type form[R any] struct {
	line *regexp.Regexp
	take func(reader R, match []string) bool
}

func ignore[R any](R, []string) bool { return true }

// takes gives a line to the first form that wants it.
func takes[R any](forms []form[R], reader R, line string) bool {
	for _, f := range forms {
		if match := f.line.FindStringSubmatch(line); match != nil && f.take(reader, match) {
			return true
		}
	}
	return false
}

// lastReport returns what a terminal shows of a line in which carriage returns separate reports of
// progress.
func lastReport(line string) string {
	line = strings.TrimRight(line, "\r ")
	return line[strings.LastIndexByte(line, '\r')+1:]
}

// number parses a number that a form matched.
func number(text string) float64 {
	x, _ := capture.Number([]byte(text))
	return x
}

// setLatency takes a distribution into a result.
func setLatency(l *record.Latency, t capture.Times) {
	l.Mean, l.Stddev, l.Min, l.Max = t.Mean, t.Stddev, t.Min, t.Max
	for _, p := range t.Percentiles {
		switch p.Share {
		case 50:
			l.P50 = p.Value
		case 95:
			l.P95 = p.Value
		case 99:
			l.P99 = p.Value
		case 99.9:
			l.P999 = p.Value
		}
	}
}

// nanoseconds converts milliseconds with three to five decimals.
func nanoseconds(milliseconds float64) int64 { return int64(milliseconds*1e6 + 0.5) }
