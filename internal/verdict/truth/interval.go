package truth

import (
	"math"

	"plinth/internal/experiment"
)

// intervals asks whether the interval of a workload contains the truth, at the level
// printed with it, less one point: d may be slightly asymmetric.
func intervals() Table {
	t := Table{Title: "Intervals that hold the truth", Columns: machineNames(), Together: true}
	add := func(name string, level float64, trials, repeat, which int, trial Trial) {
		ask := onMachines(trial, func(t *Trial, seed uint64) (Answer, error) { return t.covers(repeat, which, seed) })
		t.Lines = append(t.Lines, Line{Name: name, Claim: atLeast(level - 0.01), Trials: trials, Ask: ask})
	}
	alone := plan(6, oneWorkload, two)
	matrix := plan(6, oneWorkload, two, thirteenCells)
	family := plan(12, threeWorkloads, two)
	add("95 %: 6 blocks, equals", 0.95, 1000, 6, 0, Trial{Experiment: alone})
	add("95 %: 6 blocks, 10 % apart", 0.95, 1000, 6, 0, Trial{Experiment: alone, Effect: everywhere(0.1)})
	add("95 %: 12 blocks of 4 unequal cells", 0.95, 1000, 3, 0, Trial{Experiment: plan(3, oneWorkload, two, fourCells), Effect: unequal})
	add("98.3 %: 12 blocks, 1 of 3 workloads apart", 1-0.05/3, 1000, 12, 0, Trial{Experiment: family, Effect: firstOnly(family, 0.1)})
	add("97.5 % or more: 12 blocks, another of the 3", 0.975, 1000, 12, 1, Trial{Experiment: family, Effect: firstOnly(family, 0.1)})
	add("97.5 %: 20 blocks, 10 % apart, last look", 0.975, dear, 20, 0, Trial{Experiment: plan(20, oneWorkload, two), Effect: everywhere(0.1)})
	add("99 %: 13 unequal cells, first look", 0.99, 1000, 1, 0, Trial{Experiment: matrix, Effect: unequal})
	add("97.5 %: 78 blocks of 13 unequal cells, last look", 0.975, dear, 6, 0, Trial{Experiment: matrix, Effect: unequal})
	add("95 %: 6 repeats of 13 unequal cells, interleave: repeat", 0.95, dear, 6, 0,
		Trial{Experiment: plan(6, oneWorkload, two, thirteenCells, byRepeat), Effect: unequal})
	add("95 %: 6 repeats of 13 unequal cells, reload, loads differ by 5 %", 0.95, dear, 6, 0,
		Trial{Experiment: plan(6, oneWorkload, two, thirteenCells, reload), Effect: unequal, Luck: 0.05})
	add("95 %: latency with a long tail, 6 blocks, 10 % apart", 0.95, 1000, 6, 0,
		Trial{Experiment: plan(6, oneWorkload, two, latency), Effect: everywhere(0.1), Skew: longTail})
	add("95 %: latency with a long tail, 12 blocks of 4 unequal cells", 0.95, 1000, 3, 0,
		Trial{Experiment: plan(3, oneWorkload, two, fourCells, latency), Effect: unequal, Skew: longTail})
	return t
}

// longTail makes one run in a hundred show twice the usual latency.
const longTail = 0.1

// lopsided measures where intervals fall short: flips assume d to be symmetric around the
// effect, and stalls on only one side break that.
func lopsided() Table {
	t := Table{Title: "95 % intervals that hold the truth where only one side has a long tail", Columns: []string{"6 blocks", "12 blocks", "78 blocks"}}
	plans := []*experiment.Experiment{
		plan(6, oneWorkload, two, latency), plan(12, oneWorkload, two, latency), plan(6, oneWorkload, two, thirteenCells, latency),
	}
	for _, scale := range []float64{0.05, 0.20} {
		t.Lines = append(t.Lines, Line{
			Name: "stalls on one side alone, standard deviation " + percent(scale), Claim: nothing, Trials: 1000,
			Ask: func(column int, seed uint64) (Answer, error) {
				trial := Trial{Experiment: plans[column], Machine: machines[0], Lopsided: scale, Tamper: onlyAtTheEnd}
				return trial.covers(plans[column].Repeats, 0, seed)
			},
		})
	}
	return t
}

// unequal gives cells effects within about 10 % of +5 %, by their clients and threads.
func unequal(cell experiment.Cell) float64 {
	return math.Log(1.05) + 0.1*math.Sin(float64(cell.Clients)+3*float64(cell.Threads))
}

// firstOnly returns an effect on the first workload only.
func firstOnly(e *experiment.Experiment, effect float64) func(experiment.Cell) float64 {
	return func(cell experiment.Cell) float64 {
		if e != nil && cell.Workload == e.Workloads[0].Name {
			return math.Log1p(effect)
		}
		return 0
	}
}
