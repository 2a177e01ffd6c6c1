package verdict

import (
	"cmp"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// measured is one block of one comparison: the baseline's value and the other's, as
// logarithms where ratios are compared.
type measured struct {
	record.Block
	number int // of one of its runs, for the order in time
	a, b   float64
	zeros  int // how many of the two are 0, where ratios are compared
}

// sample holds the units of one comparison, in order of time.
type sample struct {
	d, a, b []float64
	cells   int
}

// unusable counts units without a comparable number, with the reason for the first if it is
// known.
type unusable struct {
	units int
	why   string
}

func (u *unusable) add(environment, why string) {
	if u.units++; u.why == "" && why != "" {
		u.why = environment + ": " + why
	}
}

// blocksOf pairs the runs of each block. A block in which either has no comparable number
// is left out, and counted in without. If both are 0 in every block they are equal, and
// none is left out.
func (c *comparer) blocksOf(v values, s subject) (all []measured, without unusable) {
	pairs := map[record.Block]*measured{}
	missing := map[record.Block]bool{}
	for i := range c.counted {
		run := &c.counted[i]
		if run.Environment != s.other && run.Environment != s.baseline || !s.holds(run.Cell) {
			continue
		}
		b := record.Block{Cell: run.Cell, Repeat: run.Repeat}
		if pairs[b] == nil {
			pairs[b] = &measured{Block: b, number: run.Number}
		}
		r := v.of(run)
		if r.zero {
			pairs[b].zeros++
		}
		if !r.ok {
			if !missing[b] {
				without.add(run.Environment, r.why)
			}
			missing[b] = true
			continue
		}
		pairs[b].enter(r.value, run, s.baseline)
	}
	for _, m := range pairs {
		all = append(all, *m)
	}
	if bothZero(all) {
		without = unusable{}
	} else {
		all = slices.DeleteFunc(all, func(m measured) bool { return missing[m.Block] })
	}
	slices.SortFunc(all, func(x, y measured) int { return cmp.Compare(x.number, y.number) })
	return all, without
}

// bothZero reports whether there are blocks, and both sides are 0 in each.
func bothZero(blocks []measured) bool {
	return len(blocks) > 0 && !slices.ContainsFunc(blocks, func(m measured) bool { return m.zeros < 2 })
}

func (m *measured) enter(value float64, run *record.Run, baseline string) {
	if run.Environment == baseline {
		m.a = value
	} else {
		m.b = value
	}
}

// sampleOf turns blocks into units: each block is one, or each repeat, as the mean over
// its cells.
func sampleOf(blocks []measured, unit string) sample {
	var s sample
	groups := map[int][]measured{}
	var order []int
	cells := map[experiment.Cell]bool{}
	for i, m := range blocks {
		key := i
		if unit == unitRepeat {
			key = m.Repeat
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], m)
		cells[m.Cell] = true
	}
	for _, key := range order {
		a, b := mean(groups[key])
		s.a, s.b, s.d = append(s.a, a), append(s.b, b), append(s.d, b-a)
	}
	s.cells = len(cells)
	return s
}

func mean(blocks []measured) (a, b float64) {
	for _, m := range blocks {
		a, b = a+m.a, b+m.b
	}
	n := float64(len(blocks))
	return a / n, b / n
}
