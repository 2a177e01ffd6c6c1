package record

import "plinth/internal/experiment"

// Plan states how an experiment will be decided. It is written to the record before the first run
// and depends on the experiment alone.
type Plan struct {
	Metric  string   `json:"metric"`            // the declared primary metric: "tps"
	Margin  float64  `json:"margin"`            // differences within it do not matter: 0.03 is 3 %
	Unit    string   `json:"unit"`              // unit of the sign flips: "block" or "repeat"
	Compare []string `json:"compare,omitempty"` // comparisons that must be decided; each environment with the baseline if empty
	Stop    string   `json:"stop"`              // "end" or "decided"
	Family  int      `json:"family"`            // comparisons of workloads, which share the error rate
	Cells   int      `json:"cells"`             // comparisons of cells, a separate family
	Effects int      `json:"effects,omitempty"` // effects of the groups of a screening design, a family of its own
	Looks   []Look   `json:"looks"`             // when verdicts may be read
}

// Look is an interim analysis: a point at which verdicts may be read, after a complete repeat.
type Look struct {
	Repeat int     `json:"repeat"`
	Units  int     `json:"units"` // blocks (or repeats) of one workload so far
	Alpha  float64 `json:"alpha"` // the part of the total 5 % that is spent here
}

// Outcome is the outcome of a comparison.
type Outcome string

// The outcomes. An empty outcome means that none was requested, or that there are too few
// blocks.
const (
	Better       Outcome = "better"
	Worse        Outcome = "worse"
	Equivalent   Outcome = "equivalent"   // the interval lies inside the margin
	Inconclusive Outcome = "inconclusive" // none of the above is established
	Unfit        Outcome = "invalid"      // there is no number to compare
)

// Verdict compares one environment with another: an effect, its basis, and an outcome only if
// it is established.
type Verdict struct {
	Workload string           `json:"workload"`
	Cell     *experiment.Cell `json:"cell,omitempty"`    // nil: all cells of the workload
	Clients  int              `json:"clients,omitempty"` // with Cell nil: only cells with this many clients
	Rate     float64          `json:"rate,omitempty"`    // and with this rate
	Cells    int              `json:"cells"`             // number of cells it is based on
	Metric   string           `json:"metric"`
	Baseline string           `json:"baseline"`
	Other    string           `json:"other"`

	// A and B are the means of the baseline and the other environment over the units: geometric
	// for ratios, arithmetic for differences. TPS in 1/s, latency in ns, shares from 0 to 1.
	A float64 `json:"baseline_value"`
	B float64 `json:"other_value"`
	N int     `json:"n"` // units: blocks or repeats, as in the plan
	// Effect is B/A - 1, or B - A for a share ("difference").
	Effect     float64 `json:"effect"`
	Difference bool    `json:"difference,omitempty"`
	// Low and High are the interval at Level (0.975 is 97.5 %), or the range of the units if
	// Level is 0.
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Level   float64 `json:"level"`
	P       float64 `json:"p"` // two-sided, for the null hypothesis of no effect, uncorrected; 1 below six units
	Outcome Outcome `json:"verdict,omitempty"`
	// Asked says that an outcome is due: the comparison was declared, or a user requested it
	// afterwards.
	Asked bool `json:"asked,omitempty"`

	Warnings []Note `json:"warnings,omitempty"`
}

// Noise is the variation between identical environments, as measured by an experiment that
// compares such environments (plinth aa), and the load under which it was measured.
type Noise struct {
	Workload string  `json:"workload"`
	Metric   string  `json:"metric"`
	Blocks   int     `json:"blocks"`
	PairSD   float64 `json:"pair_sd"` // standard deviation of ln(B/A) over blocks
	// LoadSD is the part of PairSD that comes from the loading of the dataset, which all
	// blocks of a repeat share; 0 if it cannot be separated from the rest.
	LoadSD    float64 `json:"load_sd"`
	BlockTime float64 `json:"block_s"` // seconds per block

	Clients  []int     `json:"clients"`         // of its cells, in matrix order
	Rates    []float64 `json:"rates,omitempty"` // likewise, in 1/s; empty in a closed loop
	Duration float64   `json:"duration_s"`      // of a run; 0 if a number of transactions was measured
	Scale    int       `json:"scale"`           // of the dataset
}
