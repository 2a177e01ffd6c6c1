package record

import (
	"slices"

	"plinth/internal/experiment"
)

// Block identifies the runs of one cell in every environment within one repeat.
type Block struct {
	experiment.Cell
	Repeat int
}

// Ledger tracks which runs exist, and so which blocks are finished.
type Ledger struct {
	environments []string
	blocks       map[Block][]Run
}

// NewLedger returns a ledger of the runs of these environments; it ignores other runs.
func NewLedger(environments []string, runs []Run) *Ledger {
	l := &Ledger{environments, map[Block][]Run{}}
	for _, run := range runs {
		l.Add(run)
	}
	return l
}

// Add adds a run.
func (l *Ledger) Add(run Run) {
	if slices.Contains(l.environments, run.Environment) {
		b := Block{run.Cell, run.Repeat}
		l.blocks[b] = append(l.blocks[b], run)
	}
}

// Due returns the number of the next attempt at block b, or 0 if the block is finished: one
// attempt has only valid runs, or two attempts are complete. An incomplete attempt does not
// count, and its runs are never combined with later ones, because the machine's condition may
// have changed in between.
//
// A block of valid runs that are not comparable is not repeated: what makes them incomparable
// grows with the difference between the environments, and repeating until it is small enough
// would bias the effect.
func (l *Ledger) Due(b Block) int {
	last, complete := 0, 0
	for _, attempt := range attempts(l.blocks[b]) {
		last = max(last, attempt)
		runs := l.Attempt(b, attempt)
		if len(runs) < len(l.environments) {
			continue
		}
		complete++
		if !slices.ContainsFunc(runs, func(r Run) bool { return r.Status != Valid }) {
			return 0
		}
	}
	if complete >= 2 {
		return 0
	}
	return last + 1
}

// Begun reports whether a complete attempt at b exists. The next attempt is then a second try,
// which waits for the end of its repeat.
func (l *Ledger) Begun(b Block) bool {
	return slices.ContainsFunc(attempts(l.blocks[b]), func(attempt int) bool {
		return len(l.Attempt(b, attempt)) == len(l.environments)
	})
}

// Attempt returns the runs of one attempt at b, in order of time.
func (l *Ledger) Attempt(b Block, attempt int) []Run {
	return slices.DeleteFunc(slices.Clone(l.blocks[b]), func(r Run) bool { return r.Attempt != attempt })
}

// Finished returns the number of leading repeats in which no block is due.
func (l *Ledger) Finished(cells []experiment.Cell, repeats int) int {
	for repeat := 1; repeat <= repeats; repeat++ {
		for _, cell := range cells {
			if l.Due(Block{cell, repeat}) > 0 {
				return repeat - 1
			}
		}
	}
	return repeats
}
