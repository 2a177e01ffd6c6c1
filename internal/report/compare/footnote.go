package compare

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// Footnotes are the warnings of single verdicts: a mark beside the word, and the
// text below the tables, once however many verdicts it weakens.
type Footnotes []record.Note

// Mark numbers the warnings of a verdict: "[1]" or "[1,3]"; nothing without any.
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

// Lines are the footnotes, each with its mark.
func (f Footnotes) Lines() prose.List {
	var lines prose.List
	for i, line := range phrase.Notes("", f) {
		lines = append(lines, fmt.Sprintf("[%d] %s", i+1, line))
	}
	return lines
}

// has says whether a note is a footnote. Who found it first may have said which
// environment it is of, and who found it again not.
func (f Footnotes) has(note record.Note) bool { return slices.ContainsFunc(f, alike(note)) }

func alike(note record.Note) func(record.Note) bool {
	return func(other record.Note) bool { return note.Rule == other.Rule && note.Text == other.Text }
}
