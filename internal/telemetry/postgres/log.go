package postgres

import (
	"strings"
	"time"

	"plinth/internal/pglog"
	"plinth/internal/telemetry"
)

// NewLog returns a server log without lines; readLine turns its lines into marks.
func NewLog() *telemetry.Log {
	return telemetry.NewLog(func(_ time.Time, line string) (kind, text string) { return readLine(line) })
}

// longestScan is how much of a line is read.
const longestScan = 4096

// readLine returns the mark that a log line puts on the timeline; "" for none.
func readLine(line string) (kind, text string) {
	if len(line) > longestScan {
		line = line[:longestScan]
	}
	if strings.HasPrefix(line, "\t") { // a further line of a message
		return "", ""
	}
	_, severity, message, ok := pglog.Divide([]byte(line))
	if !ok {
		return "", ""
	}
	kind, text = pglog.Mark(string(severity), string(message))
	return kind, telemetry.Tidy(text)
}
