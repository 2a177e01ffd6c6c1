package postgres

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strings"

	"plinth/internal/capture"
)

// maxMessage is how many bytes of a message are read that has several lines.
const maxMessage = 1 << 20

// csvLog reads log_destination = csvlog: columns as in the manual, 8.7.4 "Using CSV-Format Log Output", of
// which the time, the severity and the message have the same places from 9.0 to 18. A message in quotes
// may have several lines.
type csvLog struct {
	capture.LastLine
	events  events
	partial []byte // lines of a record
	quoted  bool   // they end within quotes
}

const (
	csvSeverity = 11
	csvMessage  = 13
	csvColumns  = 23 // at least
)

var csvLogLine = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [^,"]+,(?:"[^"]*")?,(?:"[^"]*")?,\d*,(?:"[^"]*")?,[0-9a-f]+\.[0-9a-f]+,\d+,`)

func beginsCSVLog(lines []string) bool { return csvLogLine.MatchString(lines[0]) }

// Line implements capture.Reader.
func (l *csvLog) Line(line []byte) bool { return l.Took(l.line(line)) }

func (l *csvLog) line(line []byte) bool {
	begins := csvLogLine.Match(line)
	if begins {
		l.partial, l.quoted = l.partial[:0], false // the record before lacks its end
	} else if !l.quoted || len(l.partial)+len(line) > maxMessage {
		return false
	} else {
		l.partial = append(l.partial, '\n')
	}
	l.partial = append(l.partial, line...)
	if bytes.Count(line, []byte(`"`))%2 == 1 {
		l.quoted = !l.quoted
	}
	if l.quoted {
		return true
	}
	fields, err := csv.NewReader(bytes.NewReader(l.partial)).Read()
	if err != nil || len(fields) < csvColumns {
		return false
	}
	at, _ := dateTime([]byte(fields[0]))
	message(&l.events, at, fields[csvSeverity], fields[csvMessage])
	return true
}

// message takes a message that may have several lines.
func message(e *events, at capture.Moment, level, text string) {
	first, rest, more := strings.Cut(text, "\n")
	e.take(entry{at, []byte(level), []byte(first)})
	for more {
		first, rest, more = strings.Cut(rest, "\n")
		e.detail([]byte(first))
	}
}

// End implements capture.Reader.
func (l *csvLog) End() (capture.Found, error) {
	found, err := ended(&l.events, l.Cut && !l.quoted)
	if l.quoted && err == nil {
		found.Notes = append(found.Notes, cutOff("message"))
	}
	return found, err
}

// jsonLog reads log_destination = jsonlog, from PostgreSQL 15 on: an object a line.
type jsonLog struct{ events events }

func beginsJSONLog(lines []string) bool {
	_, _, ok := parseJSONLog([]byte(lines[0]))
	return ok
}

func parseJSONLog(line []byte) (at capture.Moment, found struct{ Level, Text string }, ok bool) {
	if !bytes.HasPrefix(line, []byte(`{"timestamp":"`)) {
		return at, found, false
	}
	var object struct {
		Timestamp string
		Severity  string `json:"error_severity"`
		Message   string
	}
	if err := json.Unmarshal(line, &object); err != nil || object.Severity == "" {
		return at, found, false
	}
	at, ok = dateTime([]byte(object.Timestamp))
	found.Level, found.Text = object.Severity, object.Message
	return at, found, ok
}

// Line implements capture.Reader.
func (l *jsonLog) Line(line []byte) bool {
	at, found, ok := parseJSONLog(line)
	if ok {
		message(&l.events, at, found.Level, found.Text)
	}
	return ok
}

// End implements capture.Reader.
func (l *jsonLog) End() (capture.Found, error) { return ended(&l.events, false) }
