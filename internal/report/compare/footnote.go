package compare

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// Footnotes holds the warnings of single verdicts. Each has a mark beside the verdicts and its
// text, once, below the tables.
type Footnotes []record.Note

// Mark returns the numbers of a verdict's warnings: "[1]" or "[1,3]"; "" without any.
func (f *Footnotes) Mark(notes []record.Note) string {
	var numbers []int
	for _, note := range notes {
		at := slices.IndexFunc(*f, alike(note))
		if at < 0 {
			at = len(*f)
			*f = append(*f, note)
		}
		numbers = append(numbers, at+1)
	}
	if len(numbers) == 0 {
		return ""
	}
	slices.Sort(numbers)
	return "[" + strings.ReplaceAll(phrase.Ints(slices.Compact(numbers)), " ", "") + "]"
}

// Lines returns the footnotes, each with its mark.
func (f Footnotes) Lines() prose.List {
	var lines prose.List
	for i, line := range phrase.Notes("", f) {
		lines = append(lines, fmt.Sprintf("[%d] %s", i+1, line))
	}
	return lines
}

// has reports whether a note is a footnote. It ignores the environment, which not every source
// of the same note sets.
func (f Footnotes) has(note record.Note) bool { return slices.ContainsFunc(f, alike(note)) }

func alike(note record.Note) func(record.Note) bool {
	return func(other record.Note) bool { return note.Rule == other.Rule && note.Text == other.Text }
}
