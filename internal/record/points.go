package record

// Points is what was observed second by second in one run: a table with one row
// a second. The first column is always "second": 0 is the first second of the
// measured window, warm-up seconds are negative.
type Points struct {
	Columns []Column
}

// Column is one observed quantity. NaN is a gap: not observed, never zero.
type Column struct {
	Name   string // "tps", "latency_p99_ns"; "script.NAME.tps" for one script of a mix
	Values []float64
}

// Point is what can be said of a second while the run still goes on.
type Point struct {
	Second    float64 `json:"second"` // since the load began, warm-up included
	TPS       float64 `json:"tps"`
	LatencyMS float64 `json:"latency_ms"`
	Failures  int64   `json:"failures"`
}
