package postgres

import (
	"slices"
	"strings"
	"time"

	"plinth/internal/telemetry"
)

// NewLog returns a server log without lines; readLine turns its lines into marks.
func NewLog() *telemetry.Log {
	return telemetry.NewLog(func(_ time.Time, line string) (kind, text string) { return readLine(line) })
}

// longestScan is how much of a line is read.
const longestScan = 4096

// severities are the words before a message with lc_messages = C.
// https://www.postgresql.org/docs/current/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS
var severities = []string{
	"DEBUG1", "DEBUG2", "DEBUG3", "DEBUG4", "DEBUG5", "INFO", "NOTICE", "WARNING", "ERROR", "LOG", "FATAL", "PANIC",
	"DETAIL", "HINT", "QUERY", "CONTEXT", "LOCATION", "BACKTRACE", "STATEMENT",
}

// readLine returns the mark that a log line puts on the timeline; "" for none. Whatever the
// log_line_prefix, the first severity starts the message; continuation lines begin with a
// tab.
func readLine(line string) (kind, text string) {
	if len(line) > longestScan {
		line = line[:longestScan]
	}
	if strings.HasPrefix(line, "\t") {
		return "", ""
	}
	severity, message := split(line)
	switch severity {
	case "PANIC":
		return telemetry.Logged, telemetry.Tidy(severity + ": " + message)
	case "ERROR", "FATAL":
		return telemetry.Logged, telemetry.Tidy(severity + ": " + unquoted(message))
	case "LOG":
		return readLog(message)
	case "WARNING":
		if strings.Contains(message, "must be vacuumed") {
			return telemetry.Logged, telemetry.Tidy(severity + ": " + message)
		}
	}
	return "", ""
}

// split finds the first severity and what follows it.
func split(line string) (severity, message string) {
	for from := 0; ; {
		i := strings.Index(line[from:], ":  ")
		if i < 0 {
			return "", ""
		}
		end := from + i
		begin := end
		for begin > 0 && (line[begin-1] >= 'A' && line[begin-1] <= 'Z' || line[begin-1] >= '0' && line[begin-1] <= '9') {
			begin--
		}
		if word := line[begin:end]; slices.Contains(severities, word) {
			return word, line[end+len(":  "):]
		}
		from = end + 1
	}
}

// beginnings are the starts of relevant messages, with their kind on the timeline.
var beginnings = []struct {
	begin, kind string
	text        func(message string) string // of the message; nil: unchanged
}{
	{"checkpoint starting", "checkpoint-start", afterColon},
	{"restartpoint starting", "checkpoint-start", afterColon},
	{"checkpoint complete", checkpointEnded, checkpointEnd},
	{"restartpoint complete", checkpointEnded, checkpointEnd},
	{"automatic vacuum of table ", "autovacuum", vacuumed},
	{"automatic aggressive vacuum ", "autovacuum", vacuumed},
	{"automatic analyze of table ", "autovacuum", vacuumed},
	{"checkpoints are occurring too frequently", telemetry.Logged, nil},
	{"received ", telemetry.Logged, nil}, // SIGHUP, shutdown and promote requests
	{"parameter ", telemetry.Logged, parameter},
	{"starting PostgreSQL ", telemetry.Logged, nil},
	{"database system ", telemetry.Logged, nil},
	{"redo ", telemetry.Logged, nil},
	{"server process ", telemetry.Logged, nil},
	{"terminating any other active server processes", telemetry.Logged, nil},
	{"all server processes terminated", telemetry.Logged, nil},
	{"archive command failed", telemetry.Logged, nil},
	{"could not fsync ", telemetry.Logged, nil},
	{"could not write ", telemetry.Logged, nil},
	{"could not open ", telemetry.Logged, nil},
}

// readLog reads a message with severity LOG; most are ignored.
func readLog(message string) (kind, text string) {
	for _, b := range beginnings {
		if !strings.HasPrefix(message, b.begin) {
			continue
		}
		if b.text != nil {
			message = b.text(message)
		}
		return b.kind, telemetry.Tidy(message)
	}
	if strings.HasPrefix(message, "process ") && strings.Contains(message, " still waiting for ") {
		return telemetry.Logged, telemetry.Tidy(message)
	}
	return "", ""
}

func afterColon(message string) string {
	begin, after, found := strings.Cut(message, ":")
	after = strings.TrimSpace(after)
	if !found || strings.HasPrefix(begin, "restart") {
		return message
	}
	return after
}

// checkpointEnd keeps how much was written, how long that and the file syncs took, and the
// amount of WAL since the previous checkpoint.
func checkpointEnd(message string) string {
	var kept []string
	begin, after, _ := strings.Cut(message, ":")
	for part := range strings.SplitSeq(after, ";") {
		part = strings.TrimSpace(part)
		for _, wanted := range []string{"wrote ", "write=", "sync files=", "distance="} {
			if strings.HasPrefix(part, wanted) {
				kept = append(kept, part)
			}
		}
	}
	if len(kept) == 0 {
		return message
	}
	text := strings.Join(kept, "; ")
	if strings.HasPrefix(begin, "restart") {
		text = "restartpoint: " + text
	}
	return text
}

// vacuumed returns "vacuum of DATABASE.SCHEMA.TABLE".
func vacuumed(message string) string {
	what, rest, _ := strings.Cut(message, `"`)
	table, _, _ := strings.Cut(rest, `"`)
	what = strings.TrimSuffix(strings.TrimPrefix(what, "automatic "), "table ")
	return what + table
}

// parameter omits the value: it may be a secret.
func parameter(message string) string {
	_, rest, _ := strings.Cut(message, `"`)
	name, after, _ := strings.Cut(rest, `"`)
	after = strings.TrimSpace(after)
	if strings.HasPrefix(after, "changed to") {
		after = "changed"
	}
	return "parameter " + name + " " + unquoted(after)
}

// unquoted removes quoted text from a message: values of the load, names of roles. A quote
// that is not closed extends to the end.
func unquoted(message string) string {
	var kept strings.Builder
	for {
		before, rest, quoted := strings.Cut(message, `"`)
		kept.WriteString(before)
		if !quoted {
			return kept.String()
		}
		kept.WriteString(`"…"`)
		_, message, quoted = strings.Cut(rest, `"`)
		if !quoted {
			return kept.String()
		}
	}
}
