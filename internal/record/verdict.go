package record

import "plinth/internal/experiment"

// Plan is how an experiment will be decided. It stands in the record before the
// first run and follows from the experiment alone.
type Plan struct {
	Metric  string   `json:"metric"`            // the declared primary metric: "tps"
	Margin  float64  `json:"margin"`            // differences within it do not matter: 0.03 is 3 %
	Unit    string   `json:"unit"`              // what is flipped: "block" or "repeat"
	Compare []string `json:"compare,omitempty"` // what has to be decided; all unless said
	Stop    string   `json:"stop"`              // "end" or "decided"
	Family  int      `json:"family"`            // comparisons of workloads that share the error
	Cells   int      `json:"cells"`             // comparisons of cells, a family of their own
	Looks   []Look   `json:"looks"`             // when the numbers may be looked at
}

// Look is a point at which verdicts may be read: after a complete repeat.
type Look struct {
	Repeat int     `json:"repeat"`
	Units  int     `json:"units"` // blocks (or repeats) of one workload by then
	Alpha  float64 `json:"alpha"` // what is spent here of the 5 % in all
}

// Word is what can be said of a comparison.
type Word string

// The words. No word at all says that none was asked for, or that there are too
// few blocks for any.
const (
	Better       Word = "better"
	Worse        Word = "worse"
	Equivalent   Word = "equivalent"   // the interval lies inside the margin
	Inconclusive Word = "inconclusive" // neither is known
	Unfit        Word = "invalid"      // there is no number to be compared
)

// Verdict is one environment compared with another: an effect, what it rests on,
// and a word only when it is known.
type Verdict struct {
	Workload string           `json:"workload"`
	Cell     *experiment.Cell `json:"cell,omitempty"`    // nil: all cells of the workload
	Clients  int              `json:"clients,omitempty"` // with Cell nil: only the cells with so many clients
	Rate     float64          `json:"rate,omitempty"`    // and this rate
	Cells    int              `json:"cells"`             // how many cells it rests on
	Metric   string           `json:"metric"`
	Baseline string           `json:"baseline"`
	Other    string           `json:"other"`

	// A and B are the means of the baseline and the other over the units: geometric
	// for ratios, arithmetic for differences. TPS in 1/s, latency in ns, shares 0 to 1.
	A float64 `json:"baseline_value"`
	B float64 `json:"other_value"`
	N int     `json:"n"` // units: blocks or repeats, as the plan says
	// Effect is B/A - 1, or B - A for a share ("difference").
	Effect     float64 `json:"effect"`
	Difference bool    `json:"difference,omitempty"`
	// Low and High are the interval at Level (0.975 is 97.5 %), or the range of the
	// units where Level is 0.
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"`
	P     float64 `json:"p"` // two-sided, of no effect, not corrected; 1 below six units
	Word  Word    `json:"verdict,omitempty"`
	// Asked says that a word is due: the comparison was declared, or somebody asked
	// for it afterwards.
	Asked bool `json:"asked,omitempty"`

	Warnings []Note `json:"warnings,omitempty"`
}

// Noise is how far an environment is from itself: what an experiment that
// compares equals with equals (plinth aa) has found, and under which load.
type Noise struct {
	Workload string  `json:"workload"`
	Metric   string  `json:"metric"`
	Blocks   int     `json:"blocks"`
	PairSD   float64 `json:"pair_sd"` // standard deviation of ln(B/A) over blocks
	// LoadSD is the part of it that two loads of the dataset share over all blocks
	// of a repeat; 0 where it cannot be told from the rest.
	LoadSD    float64 `json:"load_sd"`
	BlockTime float64 `json:"block_s"` // seconds that a block took

	Clients  []int     `json:"clients"`         // of its cells, in the order of the matrix
	Rates    []float64 `json:"rates,omitempty"` // the same, in 1/s; none in a closed loop
	Duration float64   `json:"duration_s"`      // of a run; 0 where a number of transactions was measured
	Scale    int       `json:"scale"`           // of the dataset
}
