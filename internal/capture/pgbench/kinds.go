// Package pgbench reads what pgbench prints and logs: its output (summary, progress, messages), its
// transaction log (-l), and its aggregated log (--aggregate-interval), of versions 9.0 to 18.
//
// The formats are those of pgbench.c in these versions (printResults, printProgressReport, doLog), and
// of "Per-Transaction Logging" and "Aggregated Logging" in PostgreSQL's documentation of pgbench.
package pgbench

import (
	"regexp"

	"plinth/internal/capture"
)

const tool = "pgbench"

// Kinds returns the formats that the package reads.
func Kinds() []capture.Kind {
	return []capture.Kind{
		{Name: "pgbench", Title: "output of pgbench", Begins: outputBegins, New: func() capture.Reader { return newOutput() }},
		{Name: "pgbench-log", Title: "transaction log of pgbench", Begins: logBegins, New: func() capture.Reader { return newLog() }},
		{Name: "pgbench-aggregate", Title: "aggregated log of pgbench", Begins: aggregateBegins, New: func() capture.Reader { return &aggregate{} }},
	}
}

// outputBegins accepts the lines that pgbench alone prints at once, and the others, as in a text
// without its beginning, only if another one of pgbench's follows.
func outputBegins(lines []string) bool {
	line := trim(lines[0])
	for _, start := range starts {
		if start.MatchString(line) {
			return true
		}
	}
	if !isTotal(line) {
		return false
	}
	for _, next := range lines[1:] {
		if next = trim(next); next != "" {
			return isTotal(next)
		}
	}
	return false
}

// isTotal reports whether a line is one of the first part of a summary, which is about all scripts.
func isTotal(line string) bool {
	return newStats().takes(totals, line)
}

var starts = []*regexp.Regexp{
	version, vacuum, progressLine, usageTitle, failureLine, notFound,
	regexp.MustCompile(`^tps = [0-9.,]+ \((?:including|excluding) connections establishing\)$`),
	regexp.MustCompile(`^tps = [0-9.,]+ \((?:without initial connection|including reconnection) times?\)$`),
	regexp.MustCompile(`^transaction type: <builtin: .+>$`),
}
