// Package pglog says which messages of PostgreSQL's log belong on the timeline of a run, whether the log
// is read while the server runs or was captured by others. Messages have to be in English
// (lc_messages = C).
package pglog

import (
	"bytes"
	"strings"
)

// The kinds of marks.
const (
	CheckpointStart = "checkpoint-start"
	CheckpointEnd   = "checkpoint-end"
	Autovacuum      = "autovacuum" // vacuum or analyze
	Logged          = "log"        // any other message, as it is
)

// severities are the words before a message, and before the lines that belong to one.
// https://www.postgresql.org/docs/current/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS
var severities = map[string]bool{
	"DEBUG": true, "DEBUG1": true, "DEBUG2": true, "DEBUG3": true, "DEBUG4": true, "DEBUG5": true,
	"INFO": true, "NOTICE": true, "WARNING": true, "ERROR": true, "LOG": true, "FATAL": true, "PANIC": true,
	"DETAIL": true, "HINT": true, "QUERY": true, "CONTEXT": true, "LOCATION": true, "BACKTRACE": true, "STATEMENT": true,
}

// Divide divides a line of the log on standard error at its first severity, whatever the
// log_line_prefix is. ok is false for lines without one, such as the further lines of a message,
// which begin with a tab.
func Divide(line []byte) (prefix, severity, message []byte, ok bool) {
	for from := 0; ; {
		colon := bytes.Index(line[from:], []byte(":  "))
		if colon < 0 {
			return nil, nil, nil, false
		}
		colon += from
		start := colon
		for start > 0 && (line[start-1] >= 'A' && line[start-1] <= 'Z' || line[start-1] >= '0' && line[start-1] <= '9') {
			start--
		}
		if severities[string(line[start:colon])] {
			return line[:start], line[start:colon], line[colon+3:], true
		}
		from = colon + 1
	}
}

// Mark returns the mark that a message puts on the timeline; kind "" for none. The text has no values
// of the load and no names of roles, but may have characters that act on a terminal.
func Mark(severity, message string) (kind, text string) {
	switch severity {
	case "PANIC":
		return Logged, severity + ": " + message
	case "ERROR", "FATAL":
		return Logged, severity + ": " + unquoted(message)
	case "LOG":
		return markOf(message)
	case "WARNING":
		if strings.Contains(message, "must be vacuumed") {
			return Logged, severity + ": " + message
		}
	}
	return "", ""
}

// beginnings are the starts of relevant messages, with their kind on the timeline.
var beginnings = []struct {
	begin, kind string
	text        func(message string) string // of the message; nil: unchanged
}{
	{"checkpoint starting", CheckpointStart, afterColon},
	{"restartpoint starting", CheckpointStart, afterColon},
	{"checkpoint complete", CheckpointEnd, checkpointEnd},
	{"restartpoint complete", CheckpointEnd, checkpointEnd},
	{"automatic vacuum of table ", Autovacuum, vacuumed},
	{"automatic aggressive vacuum ", Autovacuum, vacuumed},
	{"automatic analyze of table ", Autovacuum, vacuumed},
	{"checkpoints are occurring too frequently", Logged, nil},
	{"received ", Logged, nil}, // SIGHUP, shutdown and promote requests
	{"parameter ", Logged, parameter},
	{"starting PostgreSQL ", Logged, nil},
	{"database system ", Logged, nil},
	{"redo ", Logged, nil},
	{"server process ", Logged, nil},
	{"terminating any other active server processes", Logged, nil},
	{"all server processes terminated", Logged, nil},
	{"archive command failed", Logged, nil},
	{"could not fsync ", Logged, nil},
	{"could not write ", Logged, nil},
	{"could not open ", Logged, nil},
}

// markOf returns the mark of a message with severity LOG; most have none.
func markOf(message string) (kind, text string) {
	for _, b := range beginnings {
		if !strings.HasPrefix(message, b.begin) {
			continue
		}
		if b.text != nil {
			message = b.text(message)
		}
		return b.kind, message
	}
	if strings.HasPrefix(message, "process ") && strings.Contains(message, " still waiting for ") {
		return Logged, message
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
