package pgbench

import (
	"strconv"
	"strings"

	"plinth/internal/record"
)

// summary holds what pgbench prints at its end: its own count of the whole invocation.
// Versions 13 to 18 differ in which lines they print, not in the format of a line, so one
// parser handles all of them. Absent lines leave zeros (before 15, pgbench has neither
// failures nor retries).
type summary struct {
	processed int64 // transactions that ended successfully
	failed    int64
	failures  bool // failed is printed
	skipped   int64
	retried   int64 // transactions that were retried, and the total of retries
	retries   int64
	late      int64   // above the latency limit
	mean      float64 // latency average, milliseconds, successful transactions only
	complete  bool    // the summary has a count of transactions

	scripts    []summary // of a mix, in order: what is printed of each script
	statements []record.StatementMean
}

// parseSummary reads pgbench's standard output. names are the scripts' names.
func parseSummary(text string, names []string) summary {
	var s summary
	script, columns := -1, 0
	name := "" // of the script; "" if there is only one
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "SQL script "):
			script, columns, name = script+1, 0, ""
			if len(names) > 1 && script < len(names) {
				name = names[script]
			}
			s.scripts = append(s.scripts, summary{})
		case strings.Contains(line, "statement latencies in milliseconds"):
			columns = statementColumns(line)
		case columns > 0 && strings.HasPrefix(line, "  "):
			s.statement(line, columns, name)
		case script < 0:
			s.count(line)
		default:
			s.scripts[script].scriptLine(line)
		}
	}
	for i := range s.scripts {
		// From 15 on, when failures are printed too, the line of a script counts only
		// successful transactions; before, it also counts skipped ones. A line of those
		// "actually processed" (18) takes precedence.
		if one := &s.scripts[i]; !one.complete && !one.failures {
			one.processed -= one.skipped
		}
	}
	return s
}

// scriptLine reads one line about one script:
//
//   - 220 transactions (79.1% of total, tps = 218.132188)
//   - number of transactions skipped: 2 (0.909%)
func (s *summary) scriptLine(line string) {
	line, ok := strings.CutPrefix(line, " - ")
	if !ok {
		return
	}
	n, rest, _ := strings.Cut(line, " ")
	if strings.HasPrefix(rest, "transactions (") && !s.complete {
		s.processed, _ = strconv.ParseInt(n, 10, 64)
		return
	}
	s.count(line)
}

// count reads one line of the first part, which is about all scripts together, or of the
// part of a script.
func (s *summary) count(line string) {
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		if key, value, ok = strings.Cut(line, "="); ok && strings.TrimSpace(key) == "latency average" {
			s.mean, _ = strconv.ParseFloat(firstWord(value), 64)
		}
		return
	}
	n, err := strconv.ParseInt(firstWord(value), 10, 64)
	if err != nil {
		return
	}
	switch {
	case key == "number of transactions actually processed":
		s.processed, s.complete = n, true
	case key == "number of failed transactions":
		s.failed, s.failures = n, true
	case key == "number of transactions skipped":
		s.skipped = n
	case key == "number of transactions retried":
		s.retried = n
	case key == "total number of retries":
		s.retries = n
	case strings.HasPrefix(key, "number of transactions above the "):
		s.late = n
	}
}

// firstWord returns "5" of " 5/100 (5.000%)" and "0.034" of " 0.034 ms".
func firstWord(s string) string {
	s = strings.TrimSpace(s)
	if end := strings.IndexAny(s, " /"); end >= 0 {
		s = s[:end]
	}
	return s
}

// statementColumns returns how many numbers precede each statement: 13 and 14 print its
// latency, later versions also failures, and retries if there can be any.
func statementColumns(header string) int {
	switch {
	case strings.Contains(header, "retries"):
		return 3
	case strings.Contains(header, "failures"):
		return 2
	}
	return 1
}

// statement reads "  0.034   0  SELECT ...". The statement's text is kept as printed: its
// first line.
func (s *summary) statement(line string, columns int, script string) {
	rest := line
	var mean float64
	for i := range columns {
		rest = strings.TrimLeft(rest, " ")
		word, after, _ := strings.Cut(rest, " ")
		value, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return
		}
		if i == 0 {
			mean = value * 1e6
		}
		rest = after
	}
	s.statements = append(s.statements, record.StatementMean{
		Script: script, Statement: strings.TrimLeft(rest, " "), Mean: mean,
	})
}
