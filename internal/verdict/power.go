package verdict

import (
	"math"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// Wanted holds the effects, as shares, for which Power lists the needed units and time.
var Wanted = []float64{0.01, 0.02, 0.03, 0.05, 0.10, 0.20}

// half is the share of trials in which a detectable effect is found. An effect half as large
// again is nearly always found.
const half = 0.5

// Power describes what an experiment can detect on a machine of known noise.
type Power struct {
	Workload string  `json:"workload"`
	PairSD   float64 `json:"pair_sd"`
	Units    int     `json:"units"` // planned
	// Possible reports whether any effect can be detected. With too few units, no effect can be
	// detected, however large. Without noise, any effect can, and Effect is 0.
	Possible bool    `json:"possible"`
	Effect   float64 `json:"detectable"` // smallest detectable, as a share of the baseline
	// Difference is set for a metric that is itself a share: an effect of 0.03 is three
	// points.
	Difference bool   `json:"difference,omitempty"`
	Needs      []Need `json:"needs"`
	// Unlike describes how the load under which the noise was measured differs from the
	// experiment's.
	Unlike string `json:"unlike,omitempty"`
}

// Need is the number of units and the time that detecting an effect takes.
type Need struct {
	Effect  float64 `json:"effect"`
	Units   int     `json:"units"`   // 0: more than a million
	Repeats int     `json:"repeats"` // enough for Units
	Seconds float64 `json:"seconds"` // for the runs of all workloads
}

// PowerOf returns the power of an experiment by its plan, for each workload whose noise is
// known. BlockTime is the expected time of a block in seconds; 0 stands for the time that
// blocks took when the noise was measured.
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
	m, _ := experiment.ParseMetric(plan.Metric) // checked with the experiment
	last := plan.Looks[len(plan.Looks)-1]
	perRepeat := unitsEach(plan.Unit, e)
	if blockTime == 0 {
		blockTime = n.BlockTime
	}
	p := Power{Workload: n.Workload, PairSD: unitSD(n, plan.Unit, cellsEach(e)), Units: last.Units, Difference: m.Share, Unlike: unlike(e, n)}
	sd, family := p.PairSD, plan.Family
	if plan.Effects > 0 { // the means of the two halves of a screening design
		sd, family = p.PairSD*math.Sqrt(2/float64(len(e.Environments))), plan.Effects
	}
	seen := effect(stats.Detectable(sd, last.Units, last.Alpha/float64(family), half), m)
	if p.Possible = !math.IsInf(seen, 1); p.Possible {
		p.Effect = seen
	}
	for _, wanted := range Wanted {
		need := Need{Effect: wanted}
		if need.Repeats = repeatsFor(sd, scaled(wanted, m), perRepeat, family); need.Repeats > 0 {
			need.Units = need.Repeats * perRepeat
			need.Seconds = float64(need.Repeats*len(e.Cells())) * blockTime
		}
		p.Needs = append(p.Needs, need)
	}
	return p
}

// mostUnits limits the search to feasible experiments.
const mostUnits = 1_000_000

// repeatsFor returns how many repeats are needed to detect an effect at the end of their
// plan; 0 if too many. A longer plan has less alpha left for its end, because of its
// earlier looks.
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

// unitSD returns the deviation of a unit: of a block, or of a repeat's mean, in which the
// variation between loads does not average out over its cells.
func unitSD(n record.Noise, unit string, cells int) float64 {
	if unit != unitRepeat {
		return n.PairSD
	}
	within := max(0, n.PairSD*n.PairSD-n.LoadSD*n.LoadSD)
	return math.Sqrt(n.LoadSD*n.LoadSD + within/float64(cells))
}
