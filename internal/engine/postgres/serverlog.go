package postgres

import (
	"regexp"
	"strings"

	"plinth/internal/engine/life"
)

// serverLog is a server's log. With lc_messages C the messages are the same from PostgreSQL 13 to
// 18.
type serverLog = life.Log[trouble]

// trouble holds what is wrong, in the server's own words.
type trouble struct {
	crash    string // why its processes were restarted; "" if they were not
	panicked string // the last PANIC, which precedes a crash
	fatal    string // the last FATAL or PANIC
	failed   string // the last ERROR, FATAL or PANIC
	config   string // what is wrong with its configuration file
}

var (
	severity = regexp.MustCompile(`\b(PANIC|FATAL|ERROR|LOG):  (.*)`)

	// processEnd matches the postmaster's message about a child process whose end terminates all
	// others.
	processEnd = regexp.MustCompile(`^.* \(PID \d+\) (was terminated by (signal|exception)|exited with (exit code|unrecognized status)) .*`)
)

const restarting = "terminating any other active server processes"

func newServerLog() *serverLog { return life.NewLog((*trouble).note) }

// note processes one line of the log.
func (t *trouble) note(line string) {
	match := severity.FindStringSubmatch(line)
	if match == nil {
		return
	}
	level, message := match[1], match[2]
	words := level + ": " + message
	switch level {
	case "LOG":
		t.noteLog(message)
		return
	case "PANIC":
		t.panicked = words
	case "FATAL":
		// These follow from a cause: a server starts up or shuts down, or a parallel query has failed.
		if strings.HasPrefix(message, "the database system is ") ||
			strings.HasPrefix(message, "terminating connection") ||
			strings.HasPrefix(message, "terminating background worker") {
			return
		}
	}
	if level != "ERROR" {
		t.fatal = words
	}
	t.failed = words
}

func (t *trouble) noteLog(message string) {
	switch {
	case message == restarting && t.crash == "":
		t.crash = "its processes were restarted"
	case processEnd.MatchString(message) && t.crash == "": // what follows is its consequence
		t.crash = message
		if t.panicked != "" {
			t.crash = t.panicked
			t.panicked = ""
		}
	case strings.Contains(message, "parameter \"") || strings.HasPrefix(message, "syntax error in file"):
		if t.config == "" {
			t.config = message
		}
	}
}
