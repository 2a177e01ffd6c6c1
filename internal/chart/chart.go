// Package chart draws figures as SVG: the same picture in the page (where its
// colours follow the page's), on paper, and in a file of its own. It knows axes,
// marks and intervals, nothing of databases.
//
// Figures are drawn here and not in the browser, so that they are there without
// JavaScript, in print, and in a paper from one and the same code. A library for
// the browser (Observable Plot was tried) would have been a second drawing of each.
package chart

// Basis is where the numbers of a series or a row come from. What is not measured
// is drawn hollow and hatched or dashed, and named, never told by colour alone.
type Basis string

// What a number can rest on; the zero value is measured, too.
const (
	Measured  Basis = "measured"
	Emulated  Basis = "emulated"
	Predicted Basis = "predicted"
)

// Forest is effects with their intervals, one row each, around no effect at all.
type Forest struct {
	Title  string  // for screen readers: "Effect on TPS, memory against disk"
	Unit   string  // of Effect, Low and High: "%" or "pp"; "x" draws ratios on a logarithmic axis (then no effect is 1)
	Margin float64 // differences within it do not matter, in Unit; for "x" a share (0.03: 0.97 to 1.03). Drawn as a band
	// Low and High ends of the axis in words, with an arrow each: "memory is slower", "memory is faster".
	Less, More string
	Rows       []ForestRow
	Width      int // in px; 720 when 0. Below 520 labels stand above their rows
}

// ForestRow is one effect.
type ForestRow struct {
	Group  string // a heading above the first row of a group: the other environment; "" for none
	Label  string // "tpcb-like"
	Detail string // smaller, beside or below it: "8 clients, 1 thread"
	Effect float64
	Low    float64 // of the interval; Effect, Low and High are equal where there is none
	High   float64
	Text   string // the numbers in words: "+64 % (30 to 122 %)"
	Word   string // the verdict in words: "better"; "" for none
	Range  bool   // Low and High are a range of blocks and no interval: drawn dotted, without ends
	Whole  bool   // of a workload, not of a cell: a diamond, and bolder
	Basis  Basis
	// Missing says why there is no number: the row is drawn with it, and without a
	// mark.
	Missing string
}

// Multiples are small charts of one kind beside each other, one for each workload,
// with the same series in each.
type Multiples struct {
	Title  string // for screen readers
	XTitle string // "clients"
	YTitle string // "TPS", "p99, ms"
	XLog   bool   // base 2 with a tick on each X that occurs
	YLog   bool
	Panels []Panel
}

// Panel is one of Multiples.
type Panel struct {
	Title  string // "tpcb-like"
	Series []Series
}

// Series is what one environment did. Its Index chooses colour, marker and dash,
// the same everywhere.
type Series struct {
	Name   string
	Index  int
	Basis  Basis
	Points []Point
}

// Point is a value with its interval.
type Point struct {
	X, Y      float64
	Low, High float64 // drawn as a bar; equal to Y where there is none
	Text      string  // what a pointer over it shows: "memory, 8 clients: 3,635 TPS (2,900 to 4,100)"
}

// Percentiles are latency percentile curves, in the manner of HdrHistogram: the
// horizontal axis is 1/(1-q), logarithmic, labelled 0, 50, 90, 99, 99.9 ... %.
type Percentiles struct {
	Title  string
	YTitle string // "latency, ms"
	Unit   string // what has latencies: "transaction"
	YLog   bool
	Panels []CurvePanel
}

// CurvePanel is one of Percentiles.
type CurvePanel struct {
	Title  string
	Curves []Curve
}

// Curve is the percentiles of one environment.
type Curve struct {
	Name   string
	Index  int
	Basis  Basis
	Count  int64 // transactions behind it: the curve ends where fewer than one of them is left
	Points []Quantile
}

// Quantile is how much Share (0 to 1) of all did not exceed.
type Quantile struct {
	Share float64
	Value float64 // in the unit of YTitle
}

// Order is the runs of an experiment in the order in which they happened: drift
// and outliers are seen here.
type Order struct {
	Title  string
	YTitle string
	YLog   bool
	Names  []string // of the series, by Index
	Panels []OrderPanel
}

// OrderPanel is one workload of Order.
type OrderPanel struct {
	Title string
	Runs  []OrderRun
}

// OrderRun is one run.
type OrderRun struct {
	X     float64 // its number
	Y     float64
	Index int    // of its environment
	Bad   string // "invalid" or "failed": drawn as a cross, whatever the environment; "" for a valid run
	Text  string
	Href  string // "#run=..."; "" for none
}

// Timeline is one run second by second, charts below each other on one time axis.
type Timeline struct {
	Title  string
	Start  float64 // the first second; below zero is the warm-up, drawn grey
	Step   float64 // seconds from one value to the next
	Tracks []Track
	Marks  []Mark
}

// Track is one chart of a Timeline.
type Track struct {
	Title string // "Latency"
	Unit  string // "ms"
	Stack bool
	Log   bool
	Lines []Line
}

// Line is one line, or layer, of a Track. NaN is a gap, and never bridged.
type Line struct {
	Name      string
	Values    []float64
	Low, High []float64 // a band around it; nil for none
}

// Mark is a moment at which something happened.
type Mark struct {
	Second float64
	Letter string // above the axis: "C"
	Text   string // in the legend: "checkpoint begins"
}

// Heat is a histogram over time: how many, of which height, when.
type Heat struct {
	Title  string
	YTitle string
	Start  float64
	Step   float64
	Edges  []float64 // ascending, one more than there are intervals; a logarithmic axis
	Counts [][]int   // [time][interval]
}
