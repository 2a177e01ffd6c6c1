package report

import "plinth/internal/record"

// addVerdicts is what a run ends with: the comparison, and what else weakens its
// numbers or is missing from them, each once.
func (s *Show) addVerdicts(d *document, c *comparison) {
	c.addNumbers(d)
	d.add(paragraph(s.missingNote()))
	c.addWarnings(d, s.allWarnings(c))
	s.addWarnings(d)
	c.addDecided(d)
}

// allWarnings are those of environments, of the experiment and of the comparison.
// Blocks that were left out have a list of their own.
func (s *Show) allWarnings(c *comparison) []record.Note {
	var all []record.Note
	for _, e := range s.Environments {
		for _, note := range e.Warnings {
			note.Environment = e.Name
			all = append(all, note)
		}
	}
	all = append(all, s.Warnings...)
	for _, note := range c.Warnings {
		if !isOfBlock(note) {
			all = append(all, note)
		}
	}
	return all
}

func isOfBlock(note record.Note) bool {
	return note.Rule == record.RuleBlockInvalid || note.Rule == record.RuleBlockIncomplete
}
