package report

import (
	"strings"

	"plinth/internal/prose"
)

// document is the whole of plinth compare.
func (c *comparison) document(shows []*Summary) prose.Document {
	var d prose.Document
	d.Add(prose.Paragraph(strings.TrimSuffix(strings.Join(c.Records, " and ")+": "+c.Question, ": ")))
	d.Add(struckLines(c.Durability))
	for _, s := range shows {
		s.addTuningParts(&d)
	}
	c.add(&d, showsOf(shows), false)
	return d
}

// add adds a comparison: what to quote, the numbers, what weakens them or is
// missing from them, each once, and how it was decided; in brief only when. Shows
// are the records that it was made of.
func (c *comparison) add(d *prose.Document, shows []*Show, brief bool) {
	c.addNumbers(d)
	if len(shows) == 1 {
		d.Add(prose.Paragraph(shows[0].missingNote()))
	}
	c.addWarnings(d, shows)
	for i, s := range shows {
		s.addLost(d, c.nameOf(i))
	}
	if brief {
		d.Add(prose.List(c.look()))
		return
	}
	c.addDecided(d)
}
