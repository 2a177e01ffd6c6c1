package pgbench

import (
	"fmt"

	"plinth/internal/record"
)

// unfinished is the transaction that had been under way for longest when the
// window ended. It counts for the second in which it ended, so the window's
// latencies lack it: were a backend stopped until the window is over, no number
// would show it.
type unfinished struct {
	client int64
	micros int64 // inside the window
}

// note takes a transaction that ended after the window; micros is how much of
// it lies before that end, negative for one that had not begun.
func (u *unfinished) note(client, micros int64) {
	if micros > u.micros {
		u.client, u.micros = client, micros
	}
}

// Each client has a transaction under way when the window ends, and by chance
// any of them may be the slowest of all: it is out of the ordinary only if it
// had taken much longer than all that are measured.
const unfinishedFactor = 2

// least is how many microseconds a transaction must have been under way to
// matter. With a closed loop the window lacks one a client, and what is shorter
// than a second is lost among the others. With a rate it lacks all that were due
// meanwhile: in a hundredth of the window that is one of a hundred, and p99 would
// be wrong. A short window may have seen hardly any, so there is a lower bound.
func (w window) least(rate bool) int64 {
	if !rate {
		return micro
	}
	return min(max(w.length/100, micro/4), micro)
}

// problem says that something hung when the window ended; longest is the slowest
// transaction that is measured, in microseconds.
func (u *unfinished) problem(least, longest int64) []record.Note {
	if u.micros < least || u.micros < unfinishedFactor*longest {
		return nil
	}
	return []record.Note{{Rule: "unfinished",
		Text: fmt.Sprintf("when the window ended, client %d had been waiting for %.3g s for a transaction to end; the slowest that is measured took %.3g s",
			u.client, inSeconds(u.micros), inSeconds(longest)),
		Hint: "look for what blocked or stopped a backend; measure for longer if such transactions belong to the load"}}
}

func inSeconds(micros int64) float64 { return float64(micros) / float64(micro) }
