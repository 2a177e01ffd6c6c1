package sadf

import (
	"errors"
	"slices"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/table"
	"plinth/internal/record"
)

// found returns what was read.
func found(t *table.Moments, facts []capture.Fact, cut bool, left map[string]int) (capture.Found, error) {
	if t.Rows() == 0 && len(facts) == 0 {
		return capture.Found{}, errors.New("it has no complete line of values")
	}
	f := capture.Found{Facts: facts, Notes: t.Notes()}
	if t.Rows() > 0 {
		f.Series = t.Series(true, t.Interval())
	}
	if cut {
		f.Notes = append(f.Notes, table.Note(capture.Cut, "the last line may end in the middle of a value, and was left out"))
	}
	var notes []record.Note
	for format, count := range left {
		if count > 0 {
			notes = append(notes, table.Note(capture.LeftOut, format, table.Count(count, "line")))
		}
	}
	slices.SortFunc(notes, func(a, b record.Note) int { return strings.Compare(a.Text, b.Text) })
	f.Notes = append(f.Notes, notes...)
	return f, nil
}
