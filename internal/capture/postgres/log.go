package postgres

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"plinth/internal/capture"
	"plinth/internal/pglog"
)

// serverLog reads the log as it is in the file or on standard error. A line has log_line_prefix, a level
// and two spaces; the further lines of a message begin with a tab. Of the prefix, only the time is read:
// %m and %t with the name of the zone, and %n. Messages have to be in English (lc_messages).
type serverLog struct {
	capture.LastLine
	events events
	begun  bool
}

// belongs are the levels of lines that are a part of the message before.
func belongs(level []byte) bool {
	switch string(level) {
	case "DETAIL", "HINT", "STATEMENT", "CONTEXT", "QUERY", "LOCATION", "BACKTRACE":
		return true
	}
	return false
}

// logTime finds the time in a prefix.
func logTime(prefix []byte) (capture.Moment, bool) {
	for i := 0; i+len("1795719024.123") <= len(prefix); i++ {
		if prefix[i] < '0' || prefix[i] > '9' || i > 0 && isAlnum(prefix[i-1]) {
			continue
		}
		rest := prefix[i:]
		if len(rest) >= 14 && rest[10] == '.' && (len(rest) == 14 || !isAlnum(rest[14])) {
			if found, ok := capture.Stamp(string(rest[:14])); ok {
				return found, true
			}
		}
		if found, ok := dateTime(rest); ok {
			return found, true
		}
	}
	return capture.Moment{}, false
}

// dateTime reads "2026-11-26 18:40:01.578 UTC" and what follows it.
func dateTime(text []byte) (capture.Moment, bool) {
	const layout = "2006-01-02 15:04:05"
	if len(text) < len(layout) || text[4] != '-' || text[10] != ' ' || text[13] != ':' {
		return capture.Moment{}, false
	}
	end := len(layout)
	if len(text) > end && text[end] == '.' {
		for end++; end < len(text) && text[end] >= '0' && text[end] <= '9'; end++ {
		}
	}
	wall, err := time.Parse(layout, string(text[:end]))
	if err != nil {
		return capture.Moment{}, false
	}
	return capture.At(wall, zoneName(text[end:])), true
}

// zoneName returns the name of a zone at the beginning of a text: "UTC", "+05:30".
func zoneName(text []byte) string {
	text = bytes.TrimPrefix(text, []byte(" "))
	end := 0
	for end < len(text) && (isAlnum(text[end]) || text[end] == '+' || text[end] == '-' || text[end] == ':' && end+1 < len(text) && isAlnum(text[end+1])) {
		end++
	}
	return string(text[:end])
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func beginsLog(lines []string) bool {
	prefix, _, _, ok := pglog.Divide([]byte(lines[0]))
	if !ok {
		return false
	}
	_, ok = logTime(prefix)
	return ok
}

// Line implements capture.Reader.
func (l *serverLog) Line(line []byte) bool { return l.Took(l.line(line)) }

func (l *serverLog) line(line []byte) bool {
	if len(line) > 0 && line[0] == '\t' && l.begun {
		l.events.detail(line)
		return true
	}
	prefix, level, message, ok := pglog.Divide(line)
	if !ok {
		return false
	}
	at, timed := logTime(prefix)
	if !timed { // a message of psql
		return false
	}
	l.begun = true
	if belongs(level) {
		return true
	}
	l.events.take(entry{at, level, message})
	return true
}

// End implements capture.Reader.
func (l *serverLog) End() (capture.Found, error) { return ended(&l.events, l.Cut) }

// ended returns what was found, without the last message if the text ends within it.
func ended(e *events, cut bool) (capture.Found, error) {
	if cut {
		e.drop()
	}
	found, err := e.found()
	if cut && err == nil {
		found.Notes = append(found.Notes, cutOff("message"))
	}
	return found, err
}

// number reads a number in decimal digits.
func number(text string) (float64, bool) {
	if text == "" || (text[0] < '0' || text[0] > '9') && text[0] != '-' && text[0] != '.' {
		return 0, false // "NaN", "inf"
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && !math.IsInf(value, 0)
}
