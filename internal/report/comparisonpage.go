package report

import "strings"

// document is the whole of plinth compare.
func (c *comparison) document(shows []*Show) document {
	var d document
	d.Add(paragraph(strings.TrimSuffix(strings.Join(c.Records, " and ")+": "+c.Question, ": ")))
	d.Add(struckLines(c.Durability))
	for _, s := range shows {
		s.addSteps(&d, true)
		s.addAblation(&d, true)
	}
	c.add(&d, shows, false)
	return d
}

// add adds a comparison: what to quote, the numbers, what weakens them or is
// missing from them, each once, and how it was decided; in brief only when. Shows
// are the records that it was made of.
func (c *comparison) add(d *document, shows []*Show, brief bool) {
	c.addNumbers(d)
	if len(shows) == 1 {
		d.Add(paragraph(shows[0].missingNote()))
	}
	c.addWarnings(d, shows)
	for i, s := range shows {
		s.addLost(d, c.nameOf(i))
	}
	if brief {
		d.Add(list(c.look()))
		return
	}
	c.addDecided(d)
}
