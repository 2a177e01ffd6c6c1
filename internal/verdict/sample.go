package verdict

import (
	"cmp"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// measured is one block of one comparison: the baseline's value and the other's,
// as logarithms where ratios are compared.
type measured struct {
	record.Block
	number int // of one of its runs: when it happened
	a, b   float64
}

// sample is the units of one comparison, in the order in which they happened.
type sample struct {
	d, a, b []float64
	cells   int
}

// unusable is how many units have no number that can be compared, and why the first
// of them has none, where that is known.
type unusable struct {
	units int
	why   string
}

func (u *unusable) add(why string) {
	u.units++
	u.why = cmp.Or(u.why, why)
}

// blocksOf pairs the runs of each block. A block in which one of the two has no
// number that can be compared is left out, and the note says so.
func (c *comparer) blocksOf(v values, s subject) (all []measured, without unusable, err error) {
	pairs := map[record.Block]*measured{}
	missing := map[record.Block]bool{}
	for i := range c.counted {
		run := &c.counted[i]
		if run.Environment != s.other && run.Environment != c.baseline || !s.holds(run.Cell) {
			continue
		}
		b := record.Block{Cell: run.Cell, Repeat: run.Repeat}
		if pairs[b] == nil {
			pairs[b] = &measured{Block: b, number: run.Number}
		}
		r, err := v.of(run)
		if err != nil {
			return nil, unusable{}, err
		}
		if !r.ok {
			if !missing[b] {
				without.add(r.why)
			}
			missing[b] = true
			continue
		}
		pairs[b].enter(r.value, run, c.baseline)
	}
	for b, m := range pairs {
		if !missing[b] {
			all = append(all, *m)
		}
	}
	slices.SortFunc(all, func(x, y measured) int { return cmp.Compare(x.number, y.number) })
	return all, without, nil
}

func (m *measured) enter(value float64, run *record.Run, baseline string) {
	if run.Environment == baseline {
		m.a = value
	} else {
		m.b = value
	}
}

// sampleOf makes units of blocks: each block is one, or each repeat is, as the
// mean over its cells.
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
