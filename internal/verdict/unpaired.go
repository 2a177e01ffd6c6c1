package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// workloads returns those of the common cells.
func (c *betweener) workloads() []string {
	var names []string
	for _, cell := range c.cells {
		if !slices.Contains(names, cell.Workload) {
			names = append(names, cell.Workload)
		}
	}
	return names
}

// fewest returns how many repeats of each record a verdict needs, where family
// comparisons share the error. The smallest p of n and n values is 2 divided by the
// number of ways to choose n of 2n: an exchange and its mirror image are equally extreme.
func (c *betweener) fewest(family int) int {
	n, ways := 1, 2.0
	for n < fewestRepeats || 2/ways > unpairedAlpha/float64(family) {
		n++
		ways *= float64(2*(2*n-1)) / float64(n)
	}
	return n
}

// compareBy compares all workloads by one metric.
func (c *betweener) compareBy(m experiment.Metric, decided bool) []record.Verdict {
	verdicts := make([]record.Verdict, 0, len(c.workloads())*len(c.pairs)) // the family points into it
	f := family{metric: m, alpha: unpairedAlpha, margin: c.margin}
	v := [2]values{
		{c.sides[0].rec, m, map[record.RunID]reading{}},
		{c.sides[1].rec, m, map[record.RunID]reading{}},
	}
	for _, workload := range c.workloads() {
		for _, p := range c.pairs {
			verdict, test := c.measure(v, workload, p)
			verdicts = append(verdicts, verdict)
			f.add(&verdicts[len(verdicts)-1], test)
		}
	}
	decided = decided && !m.Plain
	if decided {
		f.ask()
	}
	switch {
	case !c.finished():
	case decided:
		f.decide(record.Inconclusive)
	default:
		f.show()
	}
	return verdicts
}

// found returns the repeats of both sides. If both are 0 in every repeat they are equal:
// their logarithms are undefined, so 0, the logarithm of 1, replaces their means.
func (c *betweener) found(of [2]values, workload string, p [2]string) (found [2]repeats, bothZero bool) {
	for i, s := range c.sides {
		found[i] = c.repeatsOf(s, p[i], workload, of[i])
	}
	bothZero = found[0].nothing() && found[1].nothing()
	for i := range found {
		if bothZero {
			found[i].means, found[i].without = make([]float64, found[i].zeros), unusable{}
		}
	}
	return found, bothZero
}

// measure returns the effect on one workload, as independent samples. The test is nil
// with fewer than fewestRepeats, where numbers are missing, or where a record was stopped
// early by its own results.
func (c *betweener) measure(of [2]values, workload string, p [2]string) (record.Verdict, *stats.Test) {
	m := of[0].metric
	v := record.Verdict{
		Workload: workload, Metric: m.Name, Difference: m.Share, P: 1,
		Baseline: c.label(0, p), Other: c.label(1, p), Cells: c.cellsOf(workload),
	}
	found, bothZero := c.found(of, workload, p)
	var means [2][]float64
	without, tooMany := 0, false
	for i, s := range c.sides {
		found := found[i]
		means[i] = found.means
		without += found.without.units
		v.Warnings = append(v.Warnings, found.notes(s.name, m)...)
		tooMany = tooMany || float64(found.lost) > mostLost*float64(found.driven)
	}
	v.N = min(len(means[0]), len(means[1]))
	c.repeats = max(c.repeats, v.N)
	if v.N == 0 {
		v.Outcome = record.Unfit
		return v, nil
	}
	test, err := stats.Independent(means[0], means[1], c.sides[0].rec.Summary.Seed)
	if err != nil {
		v.Outcome = record.Unfit
		return v, nil
	}
	describe(&v, test, m, means[0], means[1], unitRepeat)
	if bothZero {
		v.A, v.B = 0, 0 // their logarithms are unknown
	}
	if tooMany && c.finished() {
		v.Outcome = record.Unfit
	}
	if v.Outcome == record.Unfit || without > 0 || v.N < fewestRepeats || stopped(c.sides[0]) || stopped(c.sides[1]) {
		return v, nil
	}
	return v, test
}

func (c *betweener) cellsOf(workload string) int {
	n := 0
	for _, cell := range c.cells {
		if cell.Workload == workload {
			n++
		}
	}
	return n
}

// repeats holds the values of one side of a comparison.
type repeats struct {
	means   []float64 // over the common cells of the workload, one for each repeat that has all
	driven  int       // repeats
	lost    int       // of those run: without a valid run of each cell
	without unusable  // of those run: with a run that has no number
	zeros   int       // of those in without: 0 in each run, where ratios are compared
}

// nothing reports whether there are repeats, and all are 0.
func (r repeats) nothing() bool {
	return r.zeros > 0 && r.zeros == r.without.units && len(r.means) == 0
}

// repeatsOf returns the repeats of a workload in one environment. A run counts if its
// block does.
func (c *betweener) repeatsOf(s side, environment, workload string, of values) repeats {
	counted, _ := s.rec.Counted(environmentsOf(s.exp), s.rec.Runs)
	sums, runs, usable, zeros, why := map[int]float64{}, map[int]int{}, map[int]int{}, map[int]int{}, map[int]string{}
	for i := range counted {
		run := &counted[i]
		if run.Environment != environment || run.Workload != workload || !slices.Contains(c.cells, run.Cell) {
			continue
		}
		r := of.of(run)
		runs[run.Repeat]++
		if r.zero {
			zeros[run.Repeat]++
		}
		if r.ok {
			sums[run.Repeat] += r.value
			usable[run.Repeat]++
		} else {
			why[run.Repeat] = cmp.Or(why[run.Repeat], r.why)
		}
	}
	found := repeats{driven: record.NewLedger(environmentsOf(s.exp), s.rec.Runs).Finished(c.cells, s.exp.Repeats)}
	cells := c.cellsOf(workload)
	for repeat := 1; repeat <= s.exp.Repeats; repeat++ {
		switch {
		case runs[repeat] < cells && repeat <= found.driven:
			found.lost++
		case runs[repeat] < cells:
		case usable[repeat] < cells:
			found.without.add(s.name, why[repeat])
			if zeros[repeat] == cells {
				found.zeros++
			}
		default:
			found.means = append(found.means, sums[repeat]/float64(cells))
		}
	}
	return found
}

// notes describes the repeats that are left out of a record called name.
func (r repeats) notes(name string, m experiment.Metric) []record.Note {
	var notes []record.Note
	if r.lost > 0 {
		notes = append(notes, record.Note{Rule: ruleBlocksLost,
			Text: fmt.Sprintf("%d of %d repeats of %s %s left out: a cell has no valid run in them", r.lost, r.driven, name, is(r.lost))})
	}
	if r.without.units > 0 {
		notes = append(notes, withoutNumber(r.without, unitRepeat, m))
	}
	return notes
}
