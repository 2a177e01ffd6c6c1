package phrase

import (
	"fmt"
	"strings"
	"time"

	"plinth/internal/record"
)

// Notes are notes, one a line, each after the same words.
func Notes(before string, notes []record.Note) []string {
	var lines []string
	for _, note := range notes {
		lines = append(lines, before+Note(note))
	}
	return lines
}

// Note is a note with its hint in brackets.
func Note(note record.Note) string {
	if note.Hint == "" {
		return note.Text
	}
	return note.Text + " (" + note.Hint + ")"
}

// AtMost cuts a list that would bury the tables.
func AtMost(lines []string) []string {
	const most = 20
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("and %d more: --format json has them all", len(lines)-most))
}

// SomeOf lists the first few texts, and how many more there are.
func SomeOf(texts []string) string {
	const most = 5
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// Join joins what is not empty.
func Join(separator string, parts ...string) string {
	var there []string
	for _, p := range parts {
		if p != "" {
			there = append(there, p)
		}
	}
	return strings.Join(there, separator)
}

// When is text where it holds, and nothing elsewhere.
func When(holds bool, format string, args ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Capital makes the first letter of ASCII text a capital.
func Capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// And joins parts as a sentence does: "a, b and c". There must be one at least.
func And(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// Duration prints seconds as Go prints a duration, to the millisecond: "1.5s".
func Duration(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}
