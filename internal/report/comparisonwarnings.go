package report

import (
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// warning is a note, and whose it is: an environment's, or where there are two
// records, one of those. Nobody's is of the whole.
type warning struct {
	record.Note
	of []string
}

func (w warning) line() string {
	if slices.Contains(w.of, "") {
		return "warning: " + phrase.Note(w.Note)
	}
	return "warning: " + strings.Join(w.of, " and ") + ": " + phrase.Note(w.Note)
}

// addWarnings adds footnotes, then what holds for all. A footnote is not said
// twice.
func (c *comparison) addWarnings(d *prose.Document, shows []*Show) {
	var lines []string
	for _, w := range c.warnings(shows) {
		lines = append(lines, w.line())
	}
	d.Add(c.notes.lines(), prose.List(lines))
}

// warnings are those of environments and their runs, of the experiment and of the
// comparison, each once. The blocks that were left out have a list of their own
// where a record is at hand.
func (c *comparison) warnings(shows []*Show) []warning {
	var all []warning
	add := func(note record.Note, of string) {
		at := slices.IndexFunc(all, func(w warning) bool { return alike(note)(w.Note) })
		switch {
		case c.notes.has(note):
		case at < 0:
			all = append(all, warning{note, []string{of}})
		case !slices.Contains(all[at].of, of):
			all[at].of = append(all[at].of, of)
		}
	}
	for i, s := range shows {
		s.eachWarning(c.nameOf(i), add)
	}
	for _, note := range c.Warnings {
		if len(shows) == 0 || note.Rule != record.RuleBlockInvalid && note.Rule != record.RuleBlockIncomplete {
			add(note, owner(note))
		}
	}
	return all
}

// eachWarning calls add for the warnings of a record, which has a name where there
// are several.
func (s *Show) eachWarning(name string, add func(note record.Note, of string)) {
	for _, e := range s.Environments {
		for _, note := range e.Warnings {
			add(note, strings.TrimPrefix(name+"/"+e.Name, "/"))
		}
	}
	for _, note := range s.Warnings {
		of := owner(note)
		if name != "" {
			of = name
		}
		add(note, of)
	}
}

// nameOf is the name of a record where there are several.
func (c *comparison) nameOf(i int) string {
	if len(c.Records) < 2 {
		return ""
	}
	return c.Records[i]
}

// owner is the environment that a note is of; parity is of two, and its text names
// them.
func owner(note record.Note) string {
	if strings.HasPrefix(note.Rule, "parity") {
		return ""
	}
	return note.Environment
}
