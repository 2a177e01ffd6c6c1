package report

import "plinth/internal/figure"

// RunChecklist is a run held against a published checklist.
type RunChecklist struct {
	Source string         `json:"source"`
	Items  []CheckedValue `json:"items"`
}

// CheckedValue is one item of a checklist.
type CheckedValue struct {
	Title  string       `json:"title"`
	Figure string       `json:"figure"` // what decided: a figure, or a metric of the result
	Value  number       `json:"value"`  // in the figure's unit; null where it is not known
	Text   string       `json:"text"`   // the same in the unit of the bounds
	Grade  figure.Grade `json:"grade"`
	Bounds string       `json:"bounds"` // of the grade
	Why    string       `json:"why,omitempty"`
}

// check holds the run against a checklist.
func (p *RunPage) check(c figure.Checklist) {
	found := &RunChecklist{Source: c.Source}
	for _, item := range c.Check(&p.Run) {
		found.Items = append(found.Items, CheckedValue{
			item.Title, item.Figure, number(gapUnless(item.Known, item.Value)), item.Text, item.Grade, item.Bounds, item.Why,
		})
	}
	if len(found.Items) > 0 && len(p.window.seconds) > 0 {
		p.Checklist = found
	}
}

// addChecklist shows the grades, with the values beside them.
func (p *RunPage) addChecklist(d *document) {
	if p.Checklist == nil {
		return
	}
	t := Table{Keys: 1, Columns: []Column{{"Item", false}, {"Value", true}, {"Grade", false}, {"Bounds", false}}}
	for _, item := range p.Checklist.Items {
		value := item.Text
		if value == "" {
			value = none
		}
		t.Rows = append(t.Rows, []string{cut(item.Title, 40), cut(value, 20), string(item.Grade), cut(item.Bounds, 60)})
	}
	d.add(heading("Checklist"), wordTable(t))
	d.add(paragraph("The thresholds are their source's, not a law: " + cut(p.Checklist.Source, 300) + ". Another list can take its place with --checklist FILE."))
}
