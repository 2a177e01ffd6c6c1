package verdict

import (
	"math"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// Wanted are the effects of which Power says what they take.
var Wanted = []float64{0.01, 0.02, 0.03, 0.05, 0.10, 0.20}

// half is the share of trials in which an effect that is called detectable is
// found: the median trial. It is the effect at which a coin is tossed for the
// verdict; one that is half as large again is nearly always found.
const half = 0.5

// Power is what the blocks of an experiment can see, on a machine whose noise is
// known.
type Power struct {
	Workload string  `json:"workload"`
	PairSD   float64 `json:"pair_sd"`
	Units    int     `json:"units"` // planned
	// Possible says that they can see an effect at all: too few see none, however
	// great. Where the noise is none they see any, and Effect is 0.
	Possible bool    `json:"possible"`
	Effect   float64 `json:"detectable"` // by them, as a share of the baseline
	// Difference says that effects are of a share: 0.03 is three points.
	Difference bool   `json:"difference,omitempty"`
	Needs      []Need `json:"needs"`
	// Unlike says in what the load under which the noise was measured was another.
	Unlike string `json:"unlike,omitempty"`
}

// Need is how many units and how much time an effect takes.
type Need struct {
	Effect  float64 `json:"effect"`
	Units   int     `json:"units"`   // 0: more than a million
	Repeats int     `json:"repeats"` // that hold so many
	Seconds float64 `json:"seconds"` // of all workloads' runs
}

// PowerOf is what an experiment can see by its plan, by workload, where the noise
// of one is known. BlockTime is how long a block will take, in seconds; 0 takes
// what blocks took when the noise was measured.
func PowerOf(e *experiment.Experiment, plan *record.Plan, noise []record.Noise, blockTime float64) []Power {
	if plan == nil {
		return nil
	}
	var all []Power
	for _, w := range e.Workloads {
		for _, n := range noise {
			if n.Workload == w.Name && n.Metric == plan.Metric {
				all = append(all, powerOf(e, plan, n, blockTime))
			}
		}
	}
	return all
}

func powerOf(e *experiment.Experiment, plan *record.Plan, n record.Noise, blockTime float64) Power {
	m, _ := experiment.ParseMetric(plan.Metric) // it was checked with the experiment
	last := plan.Looks[len(plan.Looks)-1]
	perRepeat := unitsEach(plan.Unit, e)
	if blockTime == 0 {
		blockTime = n.BlockTime
	}
	p := Power{Workload: n.Workload, PairSD: unitSD(n, plan.Unit, cellsEach(e)), Units: last.Units, Difference: m.Share, Unlike: unlike(e, n)}
	seen := effect(stats.Detectable(p.PairSD, last.Units, last.Alpha/float64(plan.Family), half), m)
	if p.Possible = !math.IsInf(seen, 1); p.Possible {
		p.Effect = seen
	}
	for _, wanted := range Wanted {
		need := Need{Effect: wanted}
		if need.Repeats = repeatsFor(p.PairSD, scaled(wanted, m), perRepeat, plan.Family); need.Repeats > 0 {
			need.Units = need.Repeats * perRepeat
			need.Seconds = float64(need.Repeats*len(e.Cells())) * blockTime
		}
		p.Needs = append(p.Needs, need)
	}
	return p
}

// mostUnits is how many nobody will wait for.
const mostUnits = 1_000_000

// repeatsFor is how many repeats an effect takes, read where their plan ends; 0 for
// too many. A longer plan leaves less alpha for its end, because it looks before.
func repeatsFor(sd, effect float64, perRepeat, family int) int {
	for alpha := 0.05; ; {
		units, ok := stats.Needed(sd, effect, alpha/float64(family), half, mostUnits)
		if !ok {
			return 0
		}
		repeats := (units + perRepeat - 1) / perRepeat
		looks := stats.Looks(perRepeat, repeats, family)
		end := looks[len(looks)-1].Alpha
		if end >= alpha {
			return repeats
		}
		alpha = end
	}
}

// unitSD is the deviation of what is flipped: of a block, or of a repeat's mean,
// in which the luck of the loads does not average out over its cells.
func unitSD(n record.Noise, unit string, cells int) float64 {
	if unit != unitRepeat {
		return n.PairSD
	}
	within := max(0, n.PairSD*n.PairSD-n.LoadSD*n.LoadSD)
	return math.Sqrt(n.LoadSD*n.LoadSD + within/float64(cells))
}
