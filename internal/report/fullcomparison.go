package report

import (
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// NewComparison is the report of two records compared with each other: what
// plinth compare says of them, and the effects as pictures.
func NewComparison(c *verdict.Comparison, records ...*record.Record) (*Full, error) {
	shows, err := comparedShows(c, Options{Records: records})
	if err != nil {
		return nil, err
	}
	f := &Full{Record: c.Records[0], Question: prose.Clean(c.Question), rec: records[0], show: shows[0], shows: shows, comparison: newComparison(c, records...)}
	f.Answer = f.answerText()
	answer := document{f.beside(nil)}
	var body document
	body.Add(f.forests()...)
	f.comparison.addTables(&body)
	body.Add(f.comparison.notes.lines())
	for i, s := range shows {
		s.addLost(&body, f.comparison.nameOf(i))
	}
	f.comparison.addDecided(&body)
	f.Parts = []Part{{"answer", "Answer", answer}, {"verdicts", "Verdicts", body}}
	return f, nil
}
