package merge

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"plinth/internal/driver"
	"plinth/internal/record"
	"plinth/internal/unit"
)

const (
	// tolerance is how far a window may be from the agreed one: a tenth of a second of points.
	tolerance = 100 * time.Millisecond

	// dueGaps is how many mean gaps between transactions may precede the first one that is due:
	// pgbench's window begins with it. A longer wait occurs once in 22,000 runs.
	dueGaps = 10

	// tail is the share of a window, ended by a number of transactions, in which some load
	// generators may have ended already: with its own clients, too, a load generator waits for the
	// slowest one.
	tail = 0.05
)

// judge returns what makes the merged run invalid: each note names the load generator.
func judge(parts []Part, agreed Agreement, o *driver.Outcome) []record.Note {
	var notes []record.Note
	window := windowOf(agreed, o)
	apart := false
	for _, p := range parts {
		if p.begin().IsZero() {
			notes = append(notes, record.Note{Rule: "generator-empty", Text: who(p.Name) + " measured nothing"})
			continue
		}
		about := p.timing(window, agreed.Length, o)
		apart = apart || len(about) > 0
		notes = append(notes, about...)
		notes = append(notes, p.gaps()...)
	}
	if apart {
		notes = append(notes, common(parts, o))
	}
	return notes
}

// windowOf returns when the window was to begin.
func windowOf(agreed Agreement, o *driver.Outcome) time.Time {
	if agreed.Window.IsZero() {
		return o.Begin
	}
	return agreed.Window
}

// timing compares a part's window with the agreed one. What the clocks' error may explain is not
// held against a load generator.
func (p Part) timing(window time.Time, length time.Duration, o *driver.Outcome) (notes []record.Note) {
	add := func(rule, verb string, by time.Duration, word, hint string) {
		notes = append(notes, record.Note{Rule: rule, Hint: hint,
			Text: fmt.Sprintf("%s %s %s %s", who(p.Name), verb, inWords(by), word)})
	}
	allowed := tolerance + p.Clock.Bound
	late := p.begin().Sub(window)
	switch {
	case late > allowed+p.untilDue() && (length > 0 || late > share(tail, o.Result.Duration)):
		add("generator-late", "began", late, "late", "look for what delayed its start, such as a busy machine or a slow connection")
	case -late > allowed:
		add("generator-early", "began", -late, "early", "compare its clock with that of the other machines")
	}
	if early := p.early(window, length, o); early > allowed && (length > 0 || early > share(tail, o.Result.Duration)) {
		add("generator-ended", "ended", early, "early", endHint(length))
	}
	return notes
}

// early returns how long before the others, or the agreed end, a part ended.
func (p Part) early(window time.Time, length time.Duration, o *driver.Outcome) time.Duration {
	if length > 0 {
		return window.Add(length).Sub(p.end())
	}
	return o.End.Sub(p.end())
}

func endHint(length time.Duration) string {
	if length > 0 {
		return "see its own output for the reason"
	}
	return "give a duration in place of a number of transactions, or use equal machines"
}

// untilDue returns how long the first transaction of an open loop may keep a window waiting.
func (p Part) untilDue() time.Duration {
	if p.Share.Rate <= 0 {
		return 0
	}
	return share(dueGaps/p.Share.Rate, 1)
}

// share returns a share of a number of seconds.
func share(of, seconds float64) time.Duration {
	return time.Duration(min(of*seconds, math.MaxInt32) * float64(time.Second))
}

// gaps reports the whole seconds of a part's window that its points lack.
func (p Part) gaps() []record.Note {
	columns := p.Outcome.Points.Columns
	known := map[float64]bool{}
	if len(columns) > 0 {
		for _, second := range columns[0].Values {
			known[second] = true
		}
	}
	whole := int(min(p.Outcome.Result.Duration, farthest))
	missing, first := 0, 0
	for second := range whole {
		if known[float64(second)] {
			continue
		}
		if missing == 0 {
			first = second
		}
		missing++
	}
	if missing == 0 {
		return nil
	}
	return []record.Note{{Rule: "generator-seconds",
		Text: fmt.Sprintf("%s has no points for %d of %s of its window; the first one is second %d", who(p.Name), missing, unit.Count(whole, "second"), first)}}
}

// common reports for how long all load generators drove the server at once.
func common(parts []Part, o *driver.Outcome) record.Note {
	var begin, end time.Time
	for _, p := range parts {
		b, e := p.begin(), p.end()
		if b.IsZero() {
			continue
		}
		if begin.IsZero() || b.After(begin) {
			begin = b
		}
		if end.IsZero() || e.Before(end) {
			end = e
		}
	}
	text := "the windows of the load generators do not overlap"
	if both := end.Sub(begin); both > 0 {
		text = fmt.Sprintf("the load generators drove the server together for %s of %s", inWords(both), inWords(share(1, o.Result.Duration)))
	}
	return record.Note{Rule: "generators-apart", Text: text}
}

// doubts returns what weakens the merged numbers.
func doubts(parts []Part, agreed Agreement, o *driver.Outcome) (notes []record.Note) {
	window := windowOf(agreed, o)
	for _, p := range parts {
		if p.Clock.Bound > tolerance {
			notes = append(notes, record.Note{Rule: "generator-clock",
				Text: fmt.Sprintf("the clock of %s is known only to %s: whether it began on time is unknown", who(p.Name), inWords(p.Clock.Bound)),
				Hint: "synchronise the clocks of the machines (chrony)"})
		}
		early := time.Duration(0)
		if agreed.Length == 0 && !p.begin().IsZero() {
			early = p.early(window, 0, o)
		}
		if early > tolerance+p.Clock.Bound && early <= share(tail, o.Result.Duration) {
			notes = append(notes, record.Note{Rule: "generator-ended", Hint: endHint(0),
				Text: fmt.Sprintf("%s ended %s early: meanwhile only the others drove the server", who(p.Name), inWords(early))})
		}
		if v, first := p.Outcome.Driver.Version, parts[0].Outcome.Driver.Version; v != first {
			notes = append(notes, record.Note{Rule: "generator-versions",
				Text: fmt.Sprintf("%s has %s %s, but %s has %s", who(p.Name), p.Outcome.Driver.Program, v, who(parts[0].Name), first),
				Hint: "install the same version on all machines"})
		}
	}
	if !sameStatements(parts) {
		notes = append(notes, record.Note{Rule: "generator-statements", Text: "the load generators printed different statements: their latencies are left out"})
	}
	return notes
}

// inWords prints a time with two digits, or to the millisecond: "1.3 s", "0.12 s".
func inWords(d time.Duration) string {
	seconds := d.Seconds()
	if seconds >= 10 {
		return strconv.FormatFloat(seconds, 'f', 1, 64) + " s"
	}
	return strconv.FormatFloat(seconds, 'g', 2, 64) + " s"
}
