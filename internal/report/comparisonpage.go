package report

import (
	"strings"

	"plinth/internal/record"
)

// document is the whole of plinth compare.
func (c *comparison) document(shows []*Show) document {
	var d document
	d.add(paragraph(strings.TrimSuffix(strings.Join(c.Records, " and ")+": "+c.Question, ": ")))
	c.add(&d, shows, false)
	return d
}

// add adds a comparison: what to quote, the numbers, what weakens them or is
// missing from them, each once, and how it was decided; in brief only when. Shows
// are the records that it was made of.
func (c *comparison) add(d *document, shows []*Show, brief bool) {
	c.addNumbers(d)
	if len(shows) == 1 {
		d.add(paragraph(shows[0].missingNote()))
	}
	c.addWarnings(d, shows)
	for _, s := range shows {
		s.addWarnings(d)
	}
	if brief {
		d.add(list(c.look()))
		return
	}
	c.addDecided(d)
}

// addWarnings adds footnotes, then what holds for all. A footnote is not said
// twice.
func (c *comparison) addWarnings(d *document, shows []*Show) {
	var lines []string
	for _, note := range c.notes.without(c.warnings(shows)) {
		lines = append(lines, "warning: "+of(note)+noteLine(note))
	}
	d.add(c.notes.lines(), list(lines))
}

// warnings are those of environments and their runs, of the experiment and of the
// comparison. The blocks that were left out have a list of their own where a
// record is at hand.
func (c *comparison) warnings(shows []*Show) []record.Note {
	var all []record.Note
	for _, s := range shows {
		for _, e := range s.Environments {
			for _, note := range e.Warnings {
				note.Environment = e.Name
				if len(shows) > 1 {
					note.Environment = s.Record.Name + "/" + e.Name
				}
				all = append(all, note)
			}
		}
		all = append(all, s.Warnings...)
	}
	for _, note := range c.Warnings {
		if len(shows) == 0 || note.Rule != record.RuleBlockInvalid && note.Rule != record.RuleBlockIncomplete {
			all = append(all, note)
		}
	}
	return all
}

// of says which environment a note is of; parity is of two, and its text names
// them.
func of(note record.Note) string {
	if note.Environment == "" || strings.HasPrefix(note.Rule, "parity") {
		return ""
	}
	return note.Environment + ": "
}
