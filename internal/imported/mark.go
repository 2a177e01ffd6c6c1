package imported

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"plinth/internal/capture"
	"plinth/internal/pglog"
	"plinth/internal/prose"
	"plinth/internal/record"
)

// Limits of marks.
const (
	maxMarks    = 500 // of a run, as if plinth had measured it
	longestMark = 200 // characters
)

// mark puts events on the time axes of the runs in their environment into which they fall. Those that
// fall into none become statements. Times without a zone are not used unless the user gives their zone:
// a log covers so many hours that it would overlap a run in any zone.
func (c *collection) mark(e events) {
	zoneless := 0
	runs := c.marked(e.origin)
	for _, event := range e.all {
		at := event.At.Time
		placed := false
		switch {
		case event.At.Clock == capture.UTC:
			placed = markRuns(runs, event, at)
		case event.At.Clock == capture.Local && c.known.zone != nil:
			placed = markRuns(runs, event, inZone(at, at, c.known.zone))
		default:
			zoneless++
		}
		if !placed {
			c.state(e.origin, event.Facts)
		}
	}
	for _, r := range runs {
		r.finishMarks()
	}
	if zoneless > 0 && len(runs) > 0 {
		c.notes = append(c.notes, located{record.Note{
			Rule: capture.Unclear, Text: "the times of its events have no zone that plinth knows: none is used as an event of a run",
			Hint: "add it: --facts timezone=Europe/Berlin",
		}, e.file})
	}
}

// marked is a run that can have marks.
type marked struct {
	*Run
	window window
}

// marked returns the runs to which events may belong, if their times are known.
func (c *collection) marked(from origin) []marked {
	var runs []marked
	for _, r := range c.runs {
		if w, known := windowOf(r); known && from.belongs(r) {
			runs = append(runs, marked{r, w})
		}
	}
	return runs
}

// markRuns adds a mark to each run in which an event happened, and reports whether there is one.
func markRuns(runs []marked, event capture.Event, at time.Time) bool {
	if event.Kind == "" {
		return false
	}
	found := false
	for _, r := range runs {
		second := at.Sub(r.window.start).Seconds()
		if second < 0 || second >= float64(r.window.seconds) {
			continue
		}
		found = true
		text := prose.Cut(capture.Redact(event.Text), longestMark)
		r.Marks = append(r.Marks, record.Mark{Second: second, Kind: event.Kind, Text: text})
	}
	return found
}

// finishMarks puts the marks of a run in order. Messages of one second with the same text become one.
func (r *Run) finishMarks() {
	slices.SortStableFunc(r.Marks, func(a, b record.Mark) int { return cmp.Compare(a.Second, b.Second) })
	all := r.Marks
	r.Marks = nil
	times := map[record.Mark]int{}
	for _, m := range all {
		alike := record.Mark{Second: math.Floor(m.Second), Kind: m.Kind, Text: m.Text}
		if times[alike]++; times[alike] > 1 && m.Kind == pglog.Logged {
			continue
		}
		if len(r.Marks) == maxMarks {
			r.unmarked++
			continue
		}
		r.Marks = append(r.Marks, m)
	}
	for i, m := range r.Marks {
		if n := times[record.Mark{Second: math.Floor(m.Second), Kind: m.Kind, Text: m.Text}]; n > 1 && m.Kind == pglog.Logged {
			r.Marks[i].Text += fmt.Sprintf(" (%d times)", n)
		}
	}
	if len(r.Marks) > 0 && len(r.Points.Columns) == 0 {
		w, _ := windowOf(r)
		r.Points = empty(w.seconds)
	}
}
