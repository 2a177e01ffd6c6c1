package verdict

import (
	"fmt"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// unbalanced returns a note when the cells of a subject have unequal weight because
// blocks of some are left out: each unit has the same weight, so the weight of a cell is
// its number of blocks. Where repeats are the units, their means then cover different cells, and
// differ by more than chance. Before the first look it returns nothing: a repeat may
// still be running.
func (c *comparer) unbalanced(s subject, blocks []measured) []record.Note {
	if c.look == nil || len(blocks) == 0 {
		return nil
	}
	count := map[experiment.Cell]int{}
	for _, m := range blocks {
		count[m.Cell]++
	}
	var cells []experiment.Cell
	var gone []string
	fewest, most := len(blocks), 0
	for _, cell := range c.exp.Cells() {
		if !s.holds(cell) {
			continue
		}
		cells = append(cells, cell)
		if n := count[cell]; n == 0 {
			gone = append(gone, cell.String())
		} else {
			fewest, most = min(fewest, n), max(most, n)
		}
	}
	if gone == nil && fewest == most {
		return nil
	}
	var text []string
	if fewest < most {
		text = append(text, c.unequal(blocks, len(cells)-len(gone), fewest, most))
	}
	if gone != nil {
		text = append(text, "no block is left of "+strings.Join(gone, "; ")+": the effect covers the other cells only")
	}
	return []record.Note{{Rule: "unbalanced", Text: strings.Join(text, "; ")}}
}

// unequal describes cells that have from fewest to most blocks.
func (c *comparer) unequal(blocks []measured, cells, fewest, most int) string {
	if c.plan.Unit != unitRepeat {
		return fmt.Sprintf("cells have unequal weight: they have %d to %d blocks, and each block has the same weight", fewest, most)
	}
	byRepeat := map[int]int{}
	for _, m := range blocks {
		byRepeat[m.Repeat]++
	}
	short := 0
	for _, n := range byRepeat {
		if n < cells {
			short++
		}
	}
	return fmt.Sprintf("%d of %d repeats lack a cell: their means cover the other cells only", short, len(byRepeat))
}
