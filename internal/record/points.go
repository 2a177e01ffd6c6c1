package record

// Points is the time series of one run: a table with one row per second. The first column is
// always "second": 0 is the first second of the measured window, warm-up seconds are negative.
type Points struct {
	Columns []Column
}

// Column is one observed quantity. NaN marks a gap: not observed, as opposed to zero.
type Column struct {
	Name   string // "tps", "latency_p99_ns"; "script.NAME.tps" for one script of a mix
	Values []float64
}

// Point is the live reading of one second while the run is in progress.
type Point struct {
	Second    float64 `json:"second"` // since the load began, warm-up included
	TPS       float64 `json:"tps"`
	LatencyMS float64 `json:"latency_ms"`
	Failures  int64   `json:"failures"`
}
