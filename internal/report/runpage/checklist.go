package runpage

import (
	"math"
	"slices"
	"strings"

	"plinth/internal/figure"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// Checklist is the result of checking a run against a published checklist.
type Checklist struct {
	Source string         `json:"source"`
	Items  []CheckedValue `json:"items"`
}

// CheckedValue is one item of a checklist.
type CheckedValue struct {
	Title  string       `json:"title"`
	Figure string       `json:"figure"` // the figure, or metric of the result, that was checked
	Value  number       `json:"value"`  // in the figure's unit; null if unknown
	Text   string       `json:"text"`   // the value in the unit of the bounds
	Grade  figure.Grade `json:"grade"`
	Bounds string       `json:"bounds"` // of the grade
	Why    string       `json:"why,omitempty"`
}

// check checks the run against a checklist; an empty one stands for that of the run's environment.
func (p *Page) check(c figure.Checklist) {
	if c.Empty() {
		c = figure.ChecklistFor(p.env)
	}
	found := &Checklist{Source: c.Source}
	for _, item := range c.Check(&p.Run, p.env.Server) {
		value := number(math.NaN())
		if item.Known {
			value = number(item.Value)
		}
		found.Items = append(found.Items, CheckedValue{
			item.Title, item.Figure, value, item.Text, item.Grade, item.Bounds, item.Why,
		})
	}
	if len(found.Items) > 0 && len(p.window.seconds) > 0 {
		p.Checklist = found
	}
}

// addChecklist shows the grades with their values. Without telemetry it has only the items that
// the load generator measures.
func (p *Page) addChecklist(d *prose.Document) {
	if p.Checklist == nil {
		return
	}
	t := prose.Table{Keys: 1, Columns: []prose.Column{{Title: "Item"}, {Title: "Value", Right: true}, {Title: "Grade"}, {Title: "Bounds"}}}
	without := map[figure.Grade]*causes{figure.Unknown: {}, figure.NotApplicable: {}}
	graded := 0
	for _, item := range p.Checklist.Items {
		if lines := without[item.Grade]; lines != nil {
			lines.note(item.Title, item.Why)
		}
		if item.Grade != figure.Unknown {
			graded++
		}
		if item.Grade != figure.Unknown || p.Observed {
			t.Rows = append(t.Rows, []string{prose.Cut(item.Title, 40), prose.Cut(item.value(), 24), string(item.Grade), prose.Cut(item.bounds(), 60)})
		}
	}
	d.Add(prose.Heading("Checklist"))
	if graded > 0 { // no empty table
		d.Add(prose.WordTable(t))
	}
	d.Add(prose.List(phrase.AtMost(append(prefixed("not applicable: ", without[figure.NotApplicable].lines()),
		prefixed("unknown: ", without[figure.Unknown].lines())...))))
	d.Add(prose.Paragraph("Source of the thresholds: " + prose.Cut(p.Checklist.Source, 300) +
		". They are not fixed rules; use --checklist FILE for another list (docs/checklist.md)."))
}

// value returns the value as text. If the source's thresholds are in decimal units, it adds the
// value in the binary units of the rest of the page.
func (v CheckedValue) value() string {
	switch {
	case v.Text == "":
		return phrase.None
	case slices.ContainsFunc([]string{" kB", " MB", " GB"}, func(unit string) bool { return strings.HasSuffix(v.Text, unit) }):
		return v.Text + " (" + phrase.Bytes(int64(v.Value)) + ")"
	}
	return v.Text
}

// bounds returns the bounds of the grade, or what to show instead.
func (v CheckedValue) bounds() string {
	switch v.Grade {
	case figure.Unknown, figure.NoBound:
		return "good: " + v.Bounds
	case figure.NotApplicable:
		return phrase.None
	}
	return v.Bounds
}

func prefixed(prefix string, lines []string) []string {
	var all []string
	for _, line := range lines {
		all = append(all, prefix+line)
	}
	return all
}
