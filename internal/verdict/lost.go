package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plinth/internal/record"
)

// mostLost is the share of blocks above which the remaining ones are not a representative
// sample: the cause of invalid runs may depend on the environment.
const mostLost = 1.0 / 3

// lost counts the blocks of one subject that were run and are left out.
type lost struct {
	blocks, driven int
	invalid        map[string]int // number of blocks in which this environment has no valid run
	heldBack       int            // each run is valid, but the load generator held one side back more
	apart          int            // not comparable for another reason
}

// lostOf finds the blocks of a subject that were run up to the look but do not count.
// A block is left out as a whole, so any environment may be the reason.
func (c *comparer) lostOf(s subject) lost {
	found := lost{invalid: map[string]int{}}
	for b, runs := range c.driven {
		if !s.holds(b.Cell) {
			continue
		}
		found.driven++
		if !c.fit[b] {
			found.blocks++
			found.enter(c.environments(), runs)
		}
	}
	return found
}

// drivenBlocks returns the blocks that were run completely at least once, valid or
// not.
func (c *comparer) drivenBlocks() map[record.Block][]record.Run {
	blocks := map[record.Block][]record.Run{}
	for _, run := range c.runs {
		b := record.Block{Cell: run.Cell, Repeat: run.Repeat}
		blocks[b] = append(blocks[b], run)
	}
	ledger := record.NewLedger(c.environments(), c.runs)
	maps.DeleteFunc(blocks, func(b record.Block, _ []record.Run) bool { return !ledger.Begun(b) })
	return blocks
}

// enter counts one block that is left out under its reason.
func (l *lost) enter(environments []string, runs []record.Run) {
	invalid := 0
	for _, environment := range environments {
		if !slices.ContainsFunc(runs, func(r record.Run) bool { return r.Environment == environment && r.Status == record.Valid }) {
			l.invalid[environment]++
			invalid++
		}
	}
	heldBack := func(n record.Note) bool { return n.Rule == "gap-differs" }
	switch {
	case invalid > 0:
	case slices.ContainsFunc(runs, func(r record.Run) bool { return r.Beside != nil && slices.ContainsFunc(r.Beside.Reasons, heldBack) }):
		l.heldBack++
	default:
		l.apart++
	}
}

// tooMany reports whether too few blocks remain for a comparison.
func (l lost) tooMany() bool { return float64(l.blocks) > mostLost*float64(l.driven) }

// notes returns the note for the verdict.
func (l lost) notes(environments []string) []record.Note {
	if l.blocks == 0 {
		return nil
	}
	var why []string
	add := func(blocks int, reason string) {
		if blocks > 0 {
			why = append(why, fmt.Sprintf("in %d of them %s", blocks, reason))
		}
	}
	for _, environment := range environments {
		add(l.invalid[environment], environment+" has no valid run")
	}
	add(l.heldBack, "the load generator held one side back more than the other, so the effect is likely underestimated")
	add(l.apart, "the runs are not comparable")
	text := fmt.Sprintf("%d of %d blocks %s left out: %s", l.blocks, l.driven, is(l.blocks), strings.Join(why, ", "))
	return []record.Note{{Rule: ruleBlocksLost, Text: text}}
}

const ruleBlocksLost = "blocks-lost"

func is(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
