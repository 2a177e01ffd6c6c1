package pgbench

import (
	"regexp"
	"strings"
)

// messages holds what pgbench says of errors.
type messages struct {
	first   string // the first error
	clients int    // that were aborted
	aborted bool   // pgbench says that its results are incomplete
	missing string // the shell says that there is no pgbench
	usage   bool
	open    bool // details of a message may follow
}

var (
	// pgbench 13 and later prefix their messages with the level; before, only what getopt reports has
	// the name of the program.
	logLine     = regexp.MustCompile(`^pgbench: (error|fatal|warning|info|detail|hint): +(.*)$`)
	failureLine = regexp.MustCompile(`^(?:pgbench: (?:error|fatal): .+|pgbench: (?:invalid option|unrecognized option|option .* requires) .*|[Cc]onnection to database ".*" failed:.*)$`)
	notFound    = regexp.MustCompile(`^(?:\S+: )?(?:(?:line )?\d+: )?pgbench: (?:command )?not found$`)
	abortedLine = regexp.MustCompile(`^(?:[Cc]lient \d+ (?:script \d+ )?aborted in .*|.*[Rr]un was aborted; the above results are incomplete\.?)$`)
	// The vacuum before a run complains about missing tables, and goes on.
	vacuumTrouble = regexp.MustCompile(`^(?:pgbench: )?(?:error: |detail: )?(?:ERROR:  .*|\(ignoring this error and continuing anyway\))$`)
	detailLine    = regexp.MustCompile(`^(?:FATAL|ERROR|PANIC|DETAIL|HINT|CONTEXT):  ?.*$`)
	usageTitle    = regexp.MustCompile(`^pgbench is a benchmarking tool for PostgreSQL\.$`)
	usageLine     = regexp.MustCompile(`^(?:Usage:|pgbench \[OPTION\]\.\.\. \[DBNAME\]|[A-Z][a-z ]+:|-.*|Report bugs to .*|PostgreSQL home page: .*|Try "pgbench --help" .*|\(.*\)|.* \(default:? .*\)|".*)$`)
)

// message takes a line of pgbench's messages.
func (r *output) message(line string) bool {
	m := &r.messages
	switch {
	case usageTitle.MatchString(line):
		if r.begun() || r.progress.rows() > 0 || m.usage {
			return false
		}
		m.usage = true
		return true
	case m.usage:
		return usageLine.MatchString(line)
	case notFound.MatchString(line):
		if r.begun() || r.progress.rows() > 0 || m.missing != "" {
			return false
		}
		m.missing = line
		return true
	}
	return r.trouble(line)
}

// trouble takes a line about an error. After a summary only what pgbench says of the same run is taken:
// clients that were aborted.
func (r *output) trouble(line string) bool {
	m := &r.messages
	level, text := "", line
	if parts := logLine.FindStringSubmatch(line); parts != nil {
		level, text = parts[1], parts[2]
	}
	aborted := abortedLine.MatchString(text)
	switch {
	case r.inVacuum && vacuumTrouble.MatchString(line):
		return true
	case !aborted && m.open && (detailLine.MatchString(line) || level == "detail" || level == "hint"):
		m.detail(text)
		return true
	case !aborted && (r.complete() || level == "" && !failureLine.MatchString(line)):
		return false
	}
	m.add(level, text)
	return true
}

// detail takes a line after an error, which may have the reason.
func (m *messages) detail(text string) {
	if strings.HasSuffix(m.first, ":") {
		m.first += " " + text
	}
}

func (m *messages) add(level, text string) {
	if strings.Contains(text, "aborted in ") {
		m.clients++
	}
	m.aborted = m.aborted || strings.Contains(text, "un was aborted")
	if m.first == "" && level != "info" && level != "warning" {
		m.first = strings.Clone(strings.TrimPrefix(text, "pgbench: "))
	}
	m.open = true
}

// broken reports whether clients ended before the run did.
func (m *messages) broken() bool { return m.aborted || m.clients > 0 }

// because returns the first error as the end of a sentence.
func (m *messages) because() string {
	if m.first == "" {
		return ""
	}
	return ": " + strings.TrimSuffix(m.first, ".")
}
