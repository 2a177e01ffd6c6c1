package figure

import "plinth/internal/record"

// Checklist is what somebody calls good, a warning and critical. Its thresholds are
// those of its source, not a law.
type Checklist struct {
	Source string // author or title of what it was published in
	checks []check
}

// check is one item of a checklist.
type check struct {
	title, figure string
	unit          measure
	bounds        []graded // in the order in which they are tried
}

type graded struct {
	grade Grade
	bound
}

// Grade is what a checklist calls a value.
type Grade string

// The grades. A value that is not known has none.
const (
	Good     Grade = "good"
	Warning  Grade = "warning"
	Critical Grade = "critical"
	Unknown  Grade = "unknown"
)

// Item is how a run stands on one item of a checklist.
type Item struct {
	Title  string
	Figure string  // what decided: a figure, or a metric of the run's result ("p99")
	Value  float64 // of it, in its own unit
	Known  bool    // whether it has a value
	Text   string  // the value in the unit of the thresholds: "412 MB"; "" where it is not known
	Grade  Grade
	Bounds string // of the grade: "below 10 %"; where there is no grade, those of good
	Why    string // there is no grade
}

// Check holds a run against the checklist, item by item.
func (c Checklist) Check(run *record.Run) []Item {
	var items []Item
	for _, check := range c.checks {
		items = append(items, check.of(run))
	}
	return items
}

func (c check) of(run *record.Run) Item {
	n := valueOf(run, c.figure)
	for _, b := range c.bounds {
		decides, value := c.figure, n
		if b.none != "" {
			decides, value = b.none, valueOf(run, b.none)
		}
		if value.why == "" && b.holds(value.value) {
			return Item{Title: c.title, Figure: decides, Value: value.value, Known: true, Text: c.text(b, value), Grade: b.grade, Bounds: b.text}
		}
	}
	item := Item{Title: c.title, Figure: c.figure, Grade: Unknown, Bounds: c.bounds[0].text, Why: n.why}
	if n.why == "" {
		item.Value, item.Known, item.Text, item.Why = n.value, true, c.unit.text(n.value), "the checklist has no bounds for it"
	}
	return item
}

// text is a value in the unit of the thresholds. One that is 0 needs none, and may be
// of another figure.
func (c check) text(b graded, n number) string {
	if b.none != "" {
		return "0"
	}
	return c.unit.text(n.value)
}
