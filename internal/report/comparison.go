package report

import (
	"net/url"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/summary"
	"plinth/internal/verdict"
)

// NewComparison returns the report on a comparison of two records: the output of plinth
// compare, with charts of the effects.
func NewComparison(c *verdict.Comparison, records ...*record.Record) (*Full, error) {
	shows, err := summary.Compared(c, summary.Options{Records: records})
	if err != nil {
		return nil, err
	}
	f := &Full{Record: c.Records[0], Question: prose.Clean(c.Question), rec: records[0], show: shows[0], shows: shows, comparison: compare.New(c, records...)}
	f.Answer = f.answerText()
	answer := prose.Document{f.beside(nil, "")} // both records compare the same environments
	var body prose.Document
	body.Add(f.forests()...)
	f.comparison.AddTables(&body)
	body.Add(f.comparison.Notes.Lines())
	for i, s := range shows {
		s.AddLost(&body, f.comparison.NameOf(i))
	}
	f.comparison.AddDecided(&body)
	f.Record = strings.Join(c.Records, ", ")
	f.Parts = []Part{{"answer", "Answer", answer}, {"verdicts", "Verdicts", body}, {"records", "Records", prose.Document{recordLinks(c.Records)}}}
	return f, nil
}

// recordLinks links to the pages of the compared records, as plinth serve provides them.
type recordLinks []string

func (l recordLinks) Text(width int) string { return prose.List(l).Text(width) }

// Markdown has no links, since it is read without a server.
func (l recordLinks) Markdown() string { return prose.List(l).Markdown() }

func (l recordLinks) HTML() string {
	var b strings.Builder
	b.WriteString("<ul>\n")
	for _, name := range l {
		b.WriteString(`<li><a href="/record/` + prose.EscapeHTML(url.PathEscape(name)) + `">` + prose.EscapeHTML(name) + "</a></li>\n")
	}
	return b.String() + "</ul>\n"
}
