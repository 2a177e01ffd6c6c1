package record

import (
	"slices"

	"plinth/internal/experiment"
)

// Block is the runs of one cell in every environment within one repeat.
type Block struct {
	experiment.Cell
	Repeat int
}

// Ledger knows which runs there are, and so which blocks are finished.
type Ledger struct {
	environments []string
	blocks       map[Block][]Run
}

// NewLedger is the ledger of the runs of these environments; others are passed over.
func NewLedger(environments []string, runs []Run) *Ledger {
	l := &Ledger{environments, map[Block][]Run{}}
	for _, run := range runs {
		l.Add(run)
	}
	return l
}

// Add enters a run.
func (l *Ledger) Add(run Run) {
	if slices.Contains(l.environments, run.Environment) {
		b := Block{run.Cell, run.Repeat}
		l.blocks[b] = append(l.blocks[b], run)
	}
}

// Due is the attempt that block b is to be driven as, or 0 when it is finished:
// it was completed with valid runs, or completed twice. An attempt that was cut
// off does not count, and its runs are never joined with later ones: they do not
// share the machine's mood.
//
// A block whose runs are valid each, but not fit to be compared, is not driven
// again: what makes it so grows with the difference between the environments, and
// to draw until it is small enough would be to choose the effect.
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

// Begun says whether a complete attempt at b exists: what is due then is a
// second try, which waits for the end of its repeat.
func (l *Ledger) Begun(b Block) bool {
	return slices.ContainsFunc(attempts(l.blocks[b]), func(attempt int) bool {
		return len(l.Attempt(b, attempt)) == len(l.environments)
	})
}

// Attempt is the runs of one attempt at b, in the order in which they happened.
func (l *Ledger) Attempt(b Block, attempt int) []Run {
	return slices.DeleteFunc(slices.Clone(l.blocks[b]), func(r Run) bool { return r.Attempt != attempt })
}

// Finished is how many repeats, from the first on, have no block that is due.
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
