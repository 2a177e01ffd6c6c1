package runner

import (
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// block is the runs of one cell in every environment within one repeat.
type block struct {
	cell   experiment.Cell
	repeat int
}

// ledger knows which runs there are, and so which blocks are still to be done.
// It is filled from a record when an experiment is resumed.
type ledger struct {
	environments []string
	attempts     map[block]map[int]map[string]record.Status // by attempt, by environment
}

func newLedger(environments []string, runs []record.Run) *ledger {
	l := &ledger{environments, map[block]map[int]map[string]record.Status{}}
	for i := range runs {
		l.add(&runs[i])
	}
	return l
}

func (l *ledger) add(run *record.Run) {
	b := block{run.Cell, run.Repeat}
	if l.attempts[b] == nil {
		l.attempts[b] = map[int]map[string]record.Status{}
	}
	if l.attempts[b][run.Attempt] == nil {
		l.attempts[b][run.Attempt] = map[string]record.Status{}
	}
	l.attempts[b][run.Attempt][run.Environment] = run.Status
}

// due is the attempt that block b is to be driven as, or 0 when it is finished:
// it was completed with valid runs, or completed twice. An attempt that was cut
// off does not count, and its runs are never joined with later ones: they do not
// share the machine's mood.
func (l *ledger) due(b block) int {
	last, complete := 0, 0
	for number, runs := range l.attempts[b] {
		last = max(last, number)
		if len(runs) < len(l.environments) {
			continue
		}
		complete++
		if allValid(runs) {
			return 0
		}
	}
	if complete >= 2 {
		return 0
	}
	return last + 1
}

// begun says whether a complete attempt at b exists: what is due then is a
// second try, which waits for the end of its repeat.
func (l *ledger) begun(b block) bool {
	for _, runs := range l.attempts[b] {
		if len(runs) == len(l.environments) {
			return true
		}
	}
	return false
}

func allValid(runs map[string]record.Status) bool {
	for _, status := range runs {
		if status != record.Valid {
			return false
		}
	}
	return true
}
