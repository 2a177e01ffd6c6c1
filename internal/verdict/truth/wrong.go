package truth

import (
	"math"
	"math/rand/v2"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// wrongWays compares equals in ways that plinth avoids: in an order that was not
// randomised, or flipping units that were not. The error depends on the machine.
func wrongWays() Table {
	t := Table{Title: "Equals called different by other methods", Columns: machineNames()}
	add := func(name string, trials int, ask func(int, uint64) (Answer, error)) {
		t.Lines = append(t.Lines, Line{Name: name, Claim: nothing, Trials: trials, Ask: ask})
	}
	add("one after the other: 6 runs of A, then 6 of B", 1000, oneAfterTheOther)
	add("12 pairs, A always first", 1000, alwaysFirst)
	byBlock := func(p *record.Plan) { p.Unit, p.Looks = "block", []record.Look{{Repeat: 6, Units: 78, Alpha: 0.05}} }
	add("interleave: repeat, but blocks are flipped (78)", dear,
		onMachines(Trial{Experiment: plan(6, oneWorkload, two, thirteenCells, byRepeat), Tamper: byBlock}, (*Trial).differs))
	add("78 blocks on one load each, loads differ by 1 %, no margin", dear,
		onMachines(Trial{Experiment: withoutMargin(6, oneWorkload, two, thirteenCells), Tamper: onlyAtTheEnd}, oneLoad))
	return t
}

func onlyAtTheEnd(p *record.Plan) {
	p.Looks = p.Looks[len(p.Looks)-1:]
	p.Looks[0].Alpha = 0.05
}

func oneAfterTheOther(column int, seed uint64) (Answer, error) {
	values := machines[column].values(12, rand.New(rand.NewPCG(seed, 0)))
	return different(stats.Independent(values[:6], values[6:], seed))
}

func alwaysFirst(column int, seed uint64) (Answer, error) {
	values := machines[column].values(24, rand.New(rand.NewPCG(seed, 0)))
	var d []float64
	for i := 0; i < len(values); i += 2 {
		d = append(d, values[i+1]-values[i])
	}
	return different(stats.Paired(d, seed))
}

func different(test *stats.Test, err error) (Answer, error) {
	if err != nil {
		return Answer{}, err
	}
	p := test.P(0)
	return Answer{p <= 0.05, []float64{p}}, nil
}

// loadsApart is how much loads differ in the tables: the standard deviation of the
// difference between two.
const loadsApart = 0.01

// oneLoad gives each environment the same load for the whole experiment.
func oneLoad(t *Trial, seed uint64) (Answer, error) {
	luck := loadsApart * rand.New(rand.NewPCG(seed, 1)).NormFloat64()
	t.Effect = func(experiment.Cell) float64 { return luck }
	return t.differs(seed)
}

// wrongHabits shows errors that occur on any machine.
func wrongHabits() Table {
	t := Table{Title: "Equals called different by habit", Columns: []string{"share"}}
	add := func(name string, claim Claim, trial Trial, ask func(*Trial, uint64) (Answer, error)) {
		trial.Machine = Machine{Name: "pairs vary by 7 %", Noise: perRun(0.07)}
		t.Lines = append(t.Lines, Line{Name: name, Claim: claim, Trials: 1000, Ask: func(_ int, seed uint64) (Answer, error) {
			own := trial
			return ask(&own, seed)
		}})
	}
	add("12 blocks, as declared", atMost(0.05), Trial{Experiment: plan(12, oneWorkload, two)}, (*Trial).differs)
	add("a look after every block from 6 to 18", nothing, Trial{}, peeked)
	add("3 workloads, each at 5 %", nothing, Trial{Experiment: plan(12, threeWorkloads, two)}, uncorrected)
	add("78 blocks, one load each, exactly 1 % apart", nothing,
		Trial{Experiment: plan(6, oneWorkload, two, thirteenCells), Tamper: onlyAtTheEnd, Effect: everywhere(0.01)}, (*Trial).differs)
	return t
}

// peeked tests at the full 5 % after each pair from the sixth on, and stops at the first
// difference. Package verdict refuses such a plan.
func peeked(t *Trial, seed uint64) (Answer, error) {
	random := rand.New(rand.NewPCG(seed, 0))
	var d []float64
	for len(d) < 18 {
		pair := t.Machine.values(2, random)
		if d = append(d, pair[1]-pair[0]); len(d) < 6 {
			continue
		}
		if a, err := different(stats.Paired(d, seed)); err != nil || a.Yes {
			return a, err
		}
	}
	return Answer{}, nil
}

// uncorrected asks whether any single comparison has p at most 5 %.
func uncorrected(t *Trial, seed uint64) (Answer, error) {
	c, err := t.compare(t.Experiment.Repeats, seed)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Numbers: numbers(c)}
	for _, v := range declared(c) {
		a.Yes = a.Yes || v.P <= 0.05
	}
	return a, nil
}

// perRun returns the noise of runs whose pairs vary by sd.
func perRun(sd float64) float64 { return sd / math.Sqrt2 }

// everywhere returns the same relative effect in each cell.
func everywhere(effect float64) func(experiment.Cell) float64 {
	return func(experiment.Cell) float64 { return math.Log1p(effect) }
}
