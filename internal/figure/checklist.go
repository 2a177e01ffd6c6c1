package figure

import (
	"math"
	"strconv"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

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
		item.Value, item.Known, item.Text, item.Why = n.value, true, c.unit.print(n.value), "the checklist has no bounds for it"
	}
	return item
}

// text is a value in the unit of the thresholds. One that is 0 needs none, and may be
// of another figure.
func (c check) text(b graded, n number) string {
	if b.none != "" {
		return "0"
	}
	return c.unit.print(n.value)
}

// valueOf is a figure of a run, or a metric of its result.
func valueOf(run *record.Run, name string) number {
	if m, err := experiment.ParseMetric(name); err == nil && !m.Figure {
		return ofResult(run.Result, name)
	}
	if value, known := run.Figures[name]; known && !math.IsNaN(value) {
		return number{value: value}
	}
	for _, gap := range run.FigureGaps {
		if gap.What == name {
			return number{why: gap.Why}
		}
	}
	return number{why: "its record does not have that figure"}
}

// ofResult is a metric of the run as a whole, TPS in 1/s and latencies in ns.
func ofResult(r record.Result, name string) number {
	if r.Transactions <= 0 {
		return number{why: "no transaction ended in the window"}
	}
	switch name {
	case "tps":
		return number{value: r.TPS}
	case "latency":
		return number{value: r.Latency.Mean}
	case "p50":
		return number{value: float64(r.Latency.P50)}
	case "p95":
		return number{value: float64(r.Latency.P95)}
	case "p99":
		return number{value: float64(r.Latency.P99)}
	case "p99.9":
		return number{value: float64(r.Latency.P999)}
	}
	return number{value: float64(r.Failures) / (float64(r.Transactions) + float64(r.Failures))}
}

// measure is a unit of thresholds.
type measure struct {
	name string
	of   string  // the unit of the figures that it is for
	size float64 // in that unit
}

// measures are those there are; a share is written in per cent.
var measures = []measure{
	{"%", "share", 0.01},
	{"kB", "bytes", 1e3}, {"MB", "bytes", 1e6}, {"GB", "bytes", 1e9},
	{"KiB", "bytes", 1 << 10}, {"MiB", "bytes", 1 << 20}, {"GiB", "bytes", 1 << 30},
	{"MB/s", "bytes/s", 1e6}, {"MiB/s", "bytes/s", 1 << 20},
	{"us", "ns", 1e3}, {"ms", "ns", 1e6}, {"s", "ns", 1e9},
	{"1/s", "1/s", 1}, {"1", "1", 1},
}

// print prints a value with three digits: "412 MB", "9.97 %".
func (u measure) print(value float64) string {
	value /= u.size
	text := strconv.FormatFloat(value, 'g', 3, 64)
	if math.Abs(value) >= 1000 {
		text = strconv.FormatFloat(value, 'f', 0, 64)
	}
	return u.with(text)
}

// with puts the unit behind a number.
func (u measure) with(text string) string {
	if u.name == "1" {
		return text
	}
	return text + " " + u.name
}
