package phrase

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"plinth/internal/experiment"
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

// Knob is what a knob was set to: "vm.swappiness 60 -> 1".
func Knob(k record.Knob) string {
	if k.NotApplicable != "" {
		return k.Key + " (not applicable here: " + k.NotApplicable + ")"
	}
	if k.Was == "" || k.Was == k.Value {
		return k.Key + " = " + cmp.Or(k.Value, `""`)
	}
	return k.Key + " " + k.Was + " → " + cmp.Or(k.Value, `""`)
}

// ShellWord makes path one word for a shell.
func ShellWord(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// ClosedLoop is what latencies count from where clients wait for answers, and what
// that hides.
const ClosedLoop = "latency is service time (closed loop): it hides the wait that a stalled server inflicts on those who would have come meanwhile"

// OpenLoop is what they count from at a rate.
func OpenLoop(w experiment.Words) string {
	return "latency counts from when a " + w.Unit + " was due (open loop): a stall shows in all that had to wait"
}
