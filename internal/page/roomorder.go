package page

import (
	"cmp"
	"math"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// byInterest returns all runs of rec, in the order of RoomRule.
func byInterest(rec *record.Record, counted []record.Run) []*record.Run {
	var order []*record.Run
	taken := map[string]bool{}
	take := func(run *record.Run) {
		if path := run.Path(); !taken[path] {
			taken[path] = true
			order = append(order, run)
		}
	}
	for _, block := range typicalBlocks(rec.Summary.Baseline, counted) {
		for i := range block {
			take(&block[i])
		}
	}
	seen := map[string]bool{}
	for i := range rec.Runs {
		for _, reason := range rec.Runs[i].Reasons {
			if !seen[reason.Rule] {
				seen[reason.Rule] = true
				take(&rec.Runs[i])
			}
		}
	}
	for i := range rec.Runs {
		take(&rec.Runs[i])
	}
	return order
}

// typicalBlocks returns, for each workload at its highest number of clients, the runs of the
// block whose effect is nearest the median. It chooses a block rather than a run per
// environment because the runs of a block had similar conditions and can be compared.
func typicalBlocks(baseline string, counted []record.Run) [][]record.Run {
	blocks := map[experiment.Cell]map[int][]record.Run{}
	busiest := map[string]experiment.Cell{}
	for _, run := range counted {
		if blocks[run.Cell] == nil {
			blocks[run.Cell] = map[int][]record.Run{}
		}
		blocks[run.Cell][run.Repeat] = append(blocks[run.Cell][run.Repeat], run)
		if most, found := busiest[run.Workload]; !found || record.CompareCells(most, run.Cell) < 0 {
			busiest[run.Workload] = run.Cell
		}
	}
	var chosen [][]record.Run
	for _, cell := range busiest {
		chosen = append(chosen, typical(baseline, blocks[cell]))
	}
	slices.SortFunc(chosen, func(a, b []record.Run) int { return record.CompareCells(a[0].Cell, b[0].Cell) })
	return chosen
}

// typical returns the block with the least distance from the medians, summed over all
// environments.
func typical(baseline string, blocks map[int][]record.Run) []record.Run {
	effects := map[string][]float64{}
	for _, block := range blocks {
		for env, effect := range effectsOf(baseline, block) {
			effects[env] = append(effects[env], effect)
		}
	}
	medians := map[string]float64{}
	for env, all := range effects {
		medians[env] = median(all)
	}
	away := func(block []record.Run) (sum float64) {
		for env, effect := range effectsOf(baseline, block) {
			sum += math.Abs(effect - medians[env])
		}
		return sum
	}
	var all [][]record.Run
	for _, block := range blocks {
		all = append(all, block)
	}
	return slices.MinFunc(all, func(a, b []record.Run) int {
		return cmp.Or(cmp.Compare(away(a), away(b)), cmp.Compare(a[0].Repeat, b[0].Repeat))
	})
}

// effectsOf returns ln(B/A) of the TPS for each environment of a block; for a single environment,
// ln of its TPS.
func effectsOf(baseline string, block []record.Run) map[string]float64 {
	effects := map[string]float64{}
	base := 0.0
	for _, run := range block {
		effects[run.Environment] = math.Log(max(run.Result.TPS, tiny))
		if run.Environment == baseline {
			base = effects[baseline]
		}
	}
	if len(effects) == 1 {
		return effects
	}
	for env := range effects {
		effects[env] -= base
	}
	return effects
}

// tiny replaces a TPS of 0, which has no logarithm.
const tiny = 1e-9

// median returns, for an even number of values, the lower of the two in the middle, so that it
// is the effect of an existing block.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
