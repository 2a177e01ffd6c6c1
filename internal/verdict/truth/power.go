package truth

import (
	"fmt"
	"math"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

// power asks how often a true difference of 10 % is found. The noise is chosen so that
// this is the detectable effect, found in half of the trials; a tolerance of two points
// allows for noise in whole per cent.
func power() Table {
	t := Table{Title: "A true difference of 10 % that is found", Columns: []string{"share"}}
	family := plan(6, threeWorkloads, two, thirteenCells)
	add := func(name string, repeat int, e *experiment.Experiment, sd float64) {
		trial := Trial{Experiment: e, Machine: Machine{Noise: perRun(sd)}, Effect: firstOnly(e, 0.1)}
		t.Lines = append(t.Lines, Line{Name: name, Claim: atLeast(0.48), Trials: 2000, Ask: func(_ int, seed uint64) (Answer, error) {
			own := trial
			return own.after(repeat, record.Better, seed)
		}})
	}
	add("8 blocks (first look of 20), pairs vary by 7 %", 8, plan(20, oneWorkload, two), 0.07)
	add("13 blocks (first look of 78), pairs vary by 11 %", 1, plan(6, oneWorkload, two, thirteenCells), 0.11)
	add("13 blocks, Holm for 3 workloads, pairs vary by 9 %", 1, family, 0.09)
	return t
}

// promised is a plan at one of its looks.
type promised struct {
	name          string
	units, repeat int
	alpha         float64
	experiment    *experiment.Experiment
}

// promises tests the effects that stats.Detectable returns: they must be found in as many
// trials as it says. A tolerance of three points allows for its approximations.
func promises() Table {
	const sd, tolerance = 0.05, 0.03
	twenty, matrix := withoutMargin(20, oneWorkload, two), withoutMargin(6, oneWorkload, two, thirteenCells)
	plans := []promised{
		{"6 blocks", 6, 6, 0.05, withoutMargin(6, oneWorkload, two)}, {"8 of 20", 8, 8, 0.01, twenty},
		{"12", 12, 12, 0.05, withoutMargin(12, oneWorkload, two)}, {"13 of 78", 13, 1, 0.01, matrix},
		{"20", 20, 20, 0.025, twenty}, {"78", 78, 6, 0.025, matrix},
	}
	t := Table{Title: "Effects called detectable that are found"}
	for _, p := range plans {
		t.Columns = append(t.Columns, p.name)
	}
	for _, power := range []float64{0.5, 0.8} {
		t.Lines = append(t.Lines, Line{
			Name: "detectable in " + percent(power) + " of trials", Claim: Claim{power - tolerance, power + tolerance}, Trials: 1000,
			Ask: func(column int, seed uint64) (Answer, error) {
				p := plans[column]
				effect := math.Expm1(stats.Detectable(sd, p.units, p.alpha, power))
				trial := Trial{Experiment: p.experiment, Machine: Machine{Noise: perRun(sd)}, Effect: everywhere(effect)}
				return trial.after(p.repeat, record.Better, seed)
			},
		})
	}
	return t
}

// withoutMargin returns a plan with a margin of zero, in which any difference matters.
func withoutMargin(repeats int, parts ...string) *experiment.Experiment {
	return plan(repeats, append(parts, "margin: 0%\n")...)
}

// equivalence asks how often environments are called equivalent at a margin of 3 %, by
// how far pairs vary.
func equivalence() Table {
	noises := []float64{0.01, 0.02, 0.03, 0.05, 0.07, 0.10}
	t := Table{Title: "Called equivalent (margin 3 %), where pairs vary by"}
	for _, sd := range noises {
		t.Columns = append(t.Columns, fmt.Sprintf("%.0f %%", 100*sd))
	}
	add := func(name string, claim Claim, trials int, effect float64, e *experiment.Experiment) {
		t.Lines = append(t.Lines, Line{Name: name, Claim: claim, Trials: trials, Ask: func(column int, seed uint64) (Answer, error) {
			trial := Trial{Experiment: e, Machine: Machine{Noise: perRun(noises[column])}, Effect: everywhere(effect)}
			return trial.after(e.Repeats, record.Equivalent, seed)
		}})
	}
	six, twelve := plan(6, oneWorkload, two), plan(12, oneWorkload, two)
	matrix := plan(6, oneWorkload, two, thirteenCells)
	add("equals, 6 blocks", nothing, 800, 0, six)
	add("equals, 12 blocks", nothing, 800, 0, twelve)
	add("equals, 78 blocks", nothing, dear, 0, matrix)
	add("3 % apart, 6 blocks", atMost(0.05), 800, 0.03, six)
	add("3 % apart, 12 blocks", atMost(0.05), 800, 0.03, twelve)
	add("4 % apart, 6 blocks", atMost(0.05), 800, 0.04, six)
	add("4 % apart, 12 blocks", atMost(0.05), 800, 0.04, twelve)
	add("4 % apart, 78 blocks", atMost(0.05), dear, 0.04, matrix)
	t.Lines = append(t.Lines,
		anyEquivalent("3 comparisons of 12 blocks", 1000, noises, plan(12, threeWorkloads, two), declared),
		anyEquivalent("13 comparisons of 12 blocks", dear, noises, plan(12, oneWorkload, two, thirteenCells), cells))
	return t
}

// anyEquivalent asks whether any comparison of a family is called equivalent, wrongly, where
// all differ by exactly the margin. With little noise all are found to differ, and Holm's later
// steps have more alpha than their share.
func anyEquivalent(name string, trials int, noises []float64, e *experiment.Experiment, of func(*verdict.Comparison) []record.Verdict) Line {
	return Line{Name: name + ", all 3 % apart: any called equivalent", Claim: atMost(0.05), Trials: trials, Ask: func(column int, seed uint64) (Answer, error) {
		trial := Trial{Experiment: e, Machine: Machine{Noise: perRun(noises[column])}, Effect: everywhere(0.03), Tamper: onlyAtTheEnd}
		c, err := trial.compare(e.Repeats, seed)
		if err != nil {
			return Answer{}, err
		}
		is := func(v record.Verdict) bool { return v.Outcome == record.Equivalent }
		return Answer{slices.ContainsFunc(of(c), is), numbers(c)}, nil
	}}
}

// cells returns the verdicts on single cells by the declared metric.
func cells(c *verdict.Comparison) []record.Verdict {
	return slices.DeleteFunc(slices.Clone(c.Cells), func(v record.Verdict) bool { return v.Metric != c.Plan.Metric })
}
