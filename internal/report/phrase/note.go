package phrase

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Notes formats notes, one per line, each with the same prefix.
func Notes(before string, notes []record.Note) []string {
	var lines []string
	for _, note := range notes {
		lines = append(lines, before+Note(note))
	}
	return lines
}

// Note formats a note with its hint in parentheses.
func Note(note record.Note) string {
	if note.Hint == "" {
		return note.Text
	}
	return note.Text + " (" + note.Hint + ")"
}

// AtMost shortens a list to 20 lines, so that it does not bury the tables.
func AtMost(lines []string) []string {
	const most = 20
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("and %d more: --format json has them all", len(lines)-most))
}

// SomeOf lists the first five texts and the number of the others.
func SomeOf(texts []string) string {
	const most = 5
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// Join joins the parts that are not empty.
func Join(separator string, parts ...string) string {
	var there []string
	for _, p := range parts {
		if p != "" {
			there = append(there, p)
		}
	}
	return strings.Join(there, separator)
}

// When formats text if holds is true, and returns "" otherwise.
func When(holds bool, format string, args ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Capital capitalises the first letter of ASCII text.
func Capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// And joins parts as in a sentence: "a, b and c". There must be at least one.
func And(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// Duration formats seconds as a Go duration, to the millisecond: "1.5s".
func Duration(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}

// Knob formats the value of a knob: "vm.swappiness 60 → 1".
func Knob(k record.Knob) string {
	if k.NotApplicable != "" {
		return k.Key + " (not applicable here: " + k.NotApplicable + ")"
	}
	if k.Was == "" || k.Was == k.Value {
		return k.Key + " = " + cmp.Or(k.Value, `""`)
	}
	return k.Key + " " + k.Was + " → " + cmp.Or(k.Value, `""`)
}

// ShellWord quotes path for a shell if necessary.
func ShellWord(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// ClosedLoop explains the latencies of a closed loop, which omit requests that would have
// arrived during a stall: coordinated omission.
const ClosedLoop = "latency is service time (closed loop): it omits requests that would have arrived during a stall (coordinated omission)"

// OpenLoop explains the latencies of an open loop.
func OpenLoop(w experiment.Terms) string {
	return "latency counts from when a " + w.Unit + " was due (open loop): it includes the time that requests wait during a stall"
}
