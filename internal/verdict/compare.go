package verdict

import (
	"slices"

	"cmp"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// compare evaluates the record at the last look that it reached.
func (c *comparer) compare() (*Comparison, error) {
	result := &Comparison{
		Schema: Schema, Records: []string{name(c.rec)}, Question: c.rec.Summary.Question, Engine: c.rec.Summary.Engine, Plan: c.plan,
		Verdicts: []record.Verdict{}, Cells: []record.Verdict{},
	}
	finished := record.NewLedger(c.environments(), c.rec.Runs).Finished(c.exp.Cells(), c.exp.Repeats)
	c.look, result.Next = c.at(finished)
	result.Look, result.Repeats = c.look, finished
	if c.look != nil {
		result.Repeats = c.look.Repeat
	}
	leftOut := c.count()
	result.Families = c.families()
	result.Fewest = c.fewest(result.Families)
	for _, m := range c.metrics {
		c.addVerdicts(result, m)
	}
	c.show(result)
	result.Ranking = c.ranking(slices.Concat(result.Verdicts, result.OtherPairs))
	for _, name := range append([]string{c.baseline}, c.shown...) {
		if c.rec.Environments[name].Basis() == record.BasisImported {
			result.Imported = append(result.Imported, name)
		}
	}
	result.Sentences = sentences(result)
	result.Durability = c.survivals()
	result.Warnings = c.warnings(result, leftOut)
	if Equals(c.exp) {
		noise, err := NoiseOf(c.rec)
		result.Noise = noise
		return result, err
	}
	return result, nil
}

// environments returns all environments of the experiment, even if only two are shown: a block
// is left out as a whole, and a repeat is complete, for all together.
func (c *comparer) environments() []string {
	return append([]string{c.exp.Baseline}, others(c.exp)...)
}

// count selects the runs that are used: those of the matrix, up to the look. It returns
// notes on the blocks that are left out.
func (c *comparer) count() []record.Note {
	cells := c.exp.Cells()
	until := c.exp.Repeats
	if c.look != nil {
		until = c.look.Repeat
	}
	c.runs = slices.DeleteFunc(slices.Clone(c.rec.Runs), func(r record.Run) bool {
		return r.Repeat > until || !slices.Contains(cells, r.Cell)
	})
	var notes []record.Note
	c.counted, notes = record.Counted(c.environments(), c.runs)
	c.driven, c.fit = c.drivenBlocks(), map[record.Block]bool{}
	for _, run := range c.counted {
		c.fit[record.Block{Cell: run.Cell, Repeat: run.Repeat}] = true
	}
	return notes
}

// at returns the last look reached after that many finished repeats, and the next one.
func (c *comparer) at(finished int) (look, next *record.Look) {
	if c.rec.Import != nil && c.rec.Import.Order != record.OrderAlternate {
		return nil, nil // drift of the machine would show as a difference
	}
	for i := range c.plan.Looks {
		if c.plan.Looks[i].Repeat > finished {
			return look, &c.plan.Looks[i]
		}
		look = &c.plan.Looks[i]
	}
	return look, nil
}

// families returns how many comparisons by the first metric share the error: the declared ones
// or, if none is shown, the requested ones.
func (c *comparer) families() Families {
	declared, asked, parts := 0, 0, 0
	for _, p := range c.pairs() {
		parts = len(c.parts(p)) // the same for each pair
		if c.isDeclared(p, c.metrics[0]) {
			declared++
		} else if c.isAsked(p, c.metrics[0]) {
			asked++
		}
	}
	if declared == 0 {
		declared = asked
	}
	return Families{Workload: declared, Cell: declared * parts}
}

// fewest returns the minimum number of units for a verdict at the current look or, before
// the first, at the last one planned.
func (c *comparer) fewest(of Families) Fewest {
	alpha := c.plan.Looks[len(c.plan.Looks)-1].Alpha
	if c.look != nil {
		alpha = c.look.Alpha
	}
	return Fewest{stats.Fewest(alpha, of.Workload), stats.Fewest(alpha, of.Cell)}
}

// show drops unrequested verdicts, sorts the rest in the order of the experiment, and separates those
// against the baseline from those of other pairs.
func (c *comparer) show(result *Comparison) {
	result.Verdicts, result.OtherPairs = c.divide(result.Verdicts)
	result.Cells, result.OtherCells = c.divide(result.Cells)
}

// divide returns the requested verdicts: those against the baseline, and those of other pairs. A declared
// comparison in which the baseline is the other environment is turned.
func (c *comparer) divide(verdicts []record.Verdict) (against, pairs []record.Verdict) {
	c.order(verdicts)
	against = []record.Verdict{}
	for _, v := range verdicts {
		switch {
		case !c.isShown(v.Baseline) || !c.isShown(v.Other):
		case v.Baseline == c.baseline:
			against = append(against, v)
		case v.Other == c.baseline:
			against = append(against, Turned(v))
		default:
			pairs = append(pairs, v)
		}
	}
	return against, pairs
}

// order sorts verdicts in the order of the experiment: by workload, pair and cell.
// Metrics keep the order in which they were requested.
func (c *comparer) order(verdicts []record.Verdict) {
	cells := c.exp.Cells()
	compared := func(v record.Verdict) int { return slices.Index(c.compared, Pair{v.Baseline, v.Other}) }
	slices.SortStableFunc(verdicts, func(a, b record.Verdict) int {
		return cmp.Or(
			cmp.Compare(c.workload(a.Workload), c.workload(b.Workload)),
			cmp.Compare(compared(a), compared(b)),
			cmp.Compare(place(cells, a), place(cells, b)),
		)
	})
}

func (c *comparer) workload(name string) int {
	return slices.IndexFunc(c.exp.Workloads, func(w experiment.Workload) bool { return w.Name == name })
}

// place returns the index of a verdict's first cell in the matrix.
func place(cells []experiment.Cell, v record.Verdict) int {
	return slices.IndexFunc(cells, func(cell experiment.Cell) bool {
		if v.Cell != nil {
			return cell == *v.Cell
		}
		return cell.Workload == v.Workload && (v.Clients == 0 || cell.Clients == v.Clients && cell.Rate == v.Rate)
	})
}

// survivals returns the durability results of the environments that are shown.
func (c *comparer) survivals() []record.Survival {
	return c.rec.Summary.Survivals(c.baseline, c.covered())
}
