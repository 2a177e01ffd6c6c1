// Package chart draws charts as SVG: for plinth's HTML page (where colours follow the page's
// theme), for print, and as separate files. It deals with axes, marks and intervals, and knows
// nothing about databases.
//
// Charts are drawn here and not in the browser, so that one implementation serves pages without
// JavaScript, print, and papers. With a library for the browser (Observable Plot was tried),
// each chart would need a second implementation.
package chart

// Basis is the origin of the numbers of a series or a row. Unmeasured ones are drawn hollow and
// dotted or dashed, and labelled, so that colour is never the only sign.
type Basis string

// The bases of a number; the zero value also means measured.
const (
	Measured  Basis = "measured"
	Emulated  Basis = "emulated"
	Imported  Basis = "imported"
	Predicted Basis = "predicted"
)

// A Forest shows effects with their intervals, one per row, around a line of no effect.
type Forest struct {
	Title  string  // for screen readers: "Effect on TPS, memory against disk"
	Unit   string  // of Effect, Low and High: "%" or "pp"; "x" draws ratios on a logarithmic axis (no effect is then 1)
	Margin float64 // differences within it do not matter, in Unit; for "x" a share (0.03: 1/1.03 to 1.03). Drawn as a band
	// The low and high ends of the axis in words, with an arrow each: "memory is slower", "memory is faster".
	Less, More string
	Rows       []ForestRow
	Width      int // in px; 720 if 0. Below 520, labels are above their rows
}

// A ForestRow is one effect.
type ForestRow struct {
	Group  string // a heading above the first row of a group: the other environment; "" for none
	Label  string // "tpcb-like"
	Detail string // smaller, beside or below it: "8 clients, 1 thread"
	Effect float64
	Low    float64 // of the interval; without an interval, Effect, Low and High are equal
	High   float64
	Text   string // the numbers in words: "+64 % (30 to 122 %)"
	Word   string // the verdict in words: "better"; "" for none
	Range  bool   // Low and High are a range of blocks, not an interval: drawn dotted, without end caps
	Whole  bool   // for a workload, not a cell: drawn as a diamond, and bolder
	Basis  Basis
	// Missing is the reason why there is no number. The row then shows it instead of a mark.
	Missing string
}

// Multiples are small charts of one kind side by side, one for each workload, with the same
// series in each.
type Multiples struct {
	Title  string // for screen readers
	XTitle string // "clients"
	YTitle string // "TPS", "p99, ms"
	XLog   bool   // logarithmic, with a tick at each X that occurs
	Free   bool   // the X were measured, not chosen: with XLog, ticks are round numbers
	YLog   bool
	Panels []Panel
}

// A Panel is one chart of Multiples.
type Panel struct {
	Title  string // "tpcb-like"
	Series []Series
	Front  []Point // connected by a dashed line behind the series; nil for none
}

// A Series is the results of one environment. Its Index selects colour, marker and dash, which
// are the same in all charts.
type Series struct {
	Name   string
	Index  int
	Basis  Basis
	Points []Point
}

// A Point is a value with its interval.
type Point struct {
	X, Y      float64
	Low, High float64 // drawn as a bar; equal to Y without an interval
	Text      string  // its tooltip: "memory, 8 clients: 3,635 TPS (2,900 to 4,100)"
}

// Percentiles are latency percentile curves in the style of HdrHistogram: the horizontal axis
// is 1/(1-q), logarithmic, labelled 0, 50, 90, 99, 99.9 ... %.
type Percentiles struct {
	Title  string
	YTitle string // "latency, ms"
	Unit   string // what the latencies are of: "transaction"
	YLog   bool
	Panels []CurvePanel
}

// A CurvePanel is one chart of Percentiles.
type CurvePanel struct {
	Title  string
	Curves []Curve
}

// A Curve is the percentiles of one environment.
type Curve struct {
	Name   string
	Index  int
	Basis  Basis
	Count  int64 // number of transactions: the curve ends where fewer than one of them remains
	Points []Quantile
}

// A Quantile is a value that is not exceeded by a Share (0 to 1) of all.
type Quantile struct {
	Share float64
	Value float64 // in the unit of YTitle
}

// Order shows the runs of an experiment in the order in which they were executed, which makes
// drift and outliers visible.
type Order struct {
	Title  string
	YTitle string
	YLog   bool
	Names  []string // of the series, by Index
	Panels []OrderPanel
}

// An OrderPanel is one workload of Order.
type OrderPanel struct {
	Title string
	Runs  []OrderRun
}

// An OrderRun is one run.
type OrderRun struct {
	X     float64 // its number
	Y     float64
	Index int    // of its environment
	Bad   string // "invalid" or "failed": drawn as a cross for any environment; "" for a valid run
	Text  string
	Href  string // "#run=..."; "" for none
}

// A Timeline is one run second by second: charts below one another on one time axis.
type Timeline struct {
	Title  string
	Start  float64 // the first second; seconds below zero are the warm-up, drawn grey
	Step   float64 // seconds from one value to the next
	Tracks []Track
	Marks  []Mark
}

// A Track is one chart of a Timeline.
type Track struct {
	Title string // "Latency"
	Unit  string // "ms"
	Stack bool
	Log   bool
	Lines []Line
}

// A Line is one line, or layer, of a Track. NaN is a gap, which is never bridged.
type Line struct {
	Name      string
	Values    []float64
	Low, High []float64 // a band around it; nil for none
}

// A Mark is an event at a moment of a Timeline.
type Mark struct {
	Second float64
	Letter string // above the axis: "C"
	Text   string // in the legend: "checkpoint begins"
}

// A Heat is a histogram over time: the number of values in each interval at each time.
type Heat struct {
	Title  string
	YTitle string
	Start  float64
	Step   float64
	Edges  []float64 // ascending, on a logarithmic axis; one more than there are intervals
	Counts [][]int   // [time][interval]
}
