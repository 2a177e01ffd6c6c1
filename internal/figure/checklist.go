package figure

import (
	"math"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/figure/window"
	"plinth/internal/record"
)

// Checklist holds thresholds of the levels good, warning and critical. They are those of its source,
// not fixed rules.
type Checklist struct {
	Source  string   // author or title of what it was published in
	Servers []string // it is about, as records name them; none where it may be any
	checks  []check
}

// about reports whether the list is about a server; "" is an unknown one.
func (c Checklist) about(server string) bool {
	return server == "" || len(c.Servers) == 0 || slices.Contains(c.Servers, server)
}

// Empty reports whether the list has no items.
func (c Checklist) Empty() bool { return len(c.checks) == 0 }

// check is one item of a checklist.
type check struct {
	title, figure string
	unit          measure
	bounds        []graded // in the order in which they are tried
	unless        []condition
}

type graded struct {
	grade Grade
	bound
}

// condition is a figure within bounds: where it holds an item says nothing.
type condition struct {
	figure string
	bound
}

// Grade holds what a checklist calls a value.
type Grade string

// The grades. A value that is not known has none, and neither has one that no bound
// of the list fits, or that means nothing in this run.
const (
	Good          Grade = "good"
	Warning       Grade = "warning"
	Critical      Grade = "critical"
	Unknown       Grade = "unknown"
	NoBound       Grade = "no bound fits"
	NotApplicable Grade = "not applicable"
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

// Check holds a run of a server against the checklist, item by item. A list that is
// about other servers has no items for it: what is a long time in one may be a short
// one in another.
func (c Checklist) Check(run *record.Run, server string) []Item {
	if !c.about(server) {
		return nil
	}
	var items []Item
	for _, check := range c.checks {
		items = append(items, check.item(run, server))
	}
	return items
}

func (c check) item(run *record.Run, server string) Item {
	item := c.of(run)
	if m, err := experiment.ParseMetric(c.figure); err == nil && m.Figure && !Fits(c.figure, server) {
		item.Grade, item.Why = NotApplicable, server+" has no such figure"
	}
	return item
}

func (c check) of(run *record.Run) Item {
	n := valueOf(run, c.figure)
	item := Item{Title: c.title, Figure: c.figure, Grade: Unknown, Bounds: c.bounds[0].text, Why: n.Why}
	if n.Why == "" {
		item.Value, item.Known, item.Text = n.Value, true, c.unit.text(n.Value, everything)
	}
	if i := slices.IndexFunc(c.unless, func(u condition) bool { return u.of(run) }); i >= 0 {
		item.Grade, item.Why = NotApplicable, c.unless[i].text
		return item
	}
	for _, b := range c.bounds {
		decides, value := c.figure, n
		if b.none != "" {
			decides, value = b.none, valueOf(run, b.none)
		}
		if value.Why == "" && b.holds(value.Value) {
			return Item{Title: c.title, Figure: decides, Value: value.Value, Known: true, Text: c.text(b, value), Grade: b.grade, Bounds: b.text}
		}
	}
	if item.Known {
		item.Grade, item.Why = NoBound, "the checklist has no bounds for it"
	}
	return item
}

// of says whether a condition holds in a run. What is not known does not.
func (c condition) of(run *record.Run) bool {
	n := valueOf(run, c.figure)
	return n.Why == "" && c.holds(n.Value)
}

// everything is bounds that hold each value.
var everything = bound{low: math.Inf(-1), high: math.Inf(1)}

// text is a value in the unit of the thresholds. One that is 0 needs none, and may be
// of another figure.
func (c check) text(b graded, n window.Number) string {
	if b.none != "" {
		return "0"
	}
	return c.unit.text(n.Value, b.bound)
}
