package pgbench

import (
	"fmt"
	"time"

	"plinth/internal/record"
)

// window is the part of a run that is measured, in microseconds. It begins warmup after the
// first transaction began (was due, with a rate), unless it was agreed on.
type window struct {
	warmup int64
	length int64 // 0: until the last transaction ends
	// agreed is when the window begins, in microseconds since the epoch, if it was agreed on before
	// the run; else 0.
	agreed int64
}

// start returns when the window begins, in microseconds since the epoch.
func (l *ledger) start() int64 { return l.origin + l.window.warmup }

// covers reports whether the load continued until the window's end: a transaction ended
// after it, or pgbench was still running when it got SIGALRM at the end of the window
// (with a rate, clients may have been waiting for their next transaction).
func (l *ledger) covers(alarmed bool) bool {
	return l.window.length == 0 || alarmed || l.latest >= l.start()+l.window.length
}

// late reports a load that began after its agreed window. With a rate, the first transaction may be
// due later.
func (l *ledger) late(rate float64) []record.Note {
	late := time.Duration(l.load-l.window.agreed) * time.Microsecond
	allowed := time.Duration(0)
	if rate > 0 {
		allowed = time.Duration(firstDue / rate * float64(time.Second))
	}
	if l.window.agreed == 0 || !l.begun || late <= allowed {
		return nil
	}
	return []record.Note{{Rule: "generator-late", Text: fmt.Sprintf("pgbench drove the first transaction %.2g s after the window had begun", late.Seconds()),
		Hint: "use a longer warm-up: connecting takes long"}}
}

// shortened reports an agreed window with a shorter warm-up than requested.
func (l *ledger) shortened() []record.Note {
	lost := time.Duration(l.load-l.origin) * time.Microsecond
	if l.window.agreed == 0 || !l.begun || l.load >= l.window.agreed || lost <= tolerated {
		return nil
	}
	return []record.Note{{Rule: "generator-late", Text: fmt.Sprintf("the warm-up was %.2g s shorter than requested: connecting took long", lost.Seconds())}}
}

// tolerated is by how much the warm-up before an agreed window may be shorter.
const tolerated = 200 * time.Millisecond

// bounds returns when the window began and ended by the wall clock of the machine that
// pgbench runs on; seconds is its length. Since version 14 pgbench reads that clock only at
// its start, and then counts by a monotonic one.
func (l *ledger) bounds(seconds float64) (begin, end time.Time) {
	if seconds <= 0 {
		return time.Time{}, time.Time{}
	}
	begin = time.UnixMicro(l.start())
	return begin, begin.Add(time.Duration(seconds * float64(time.Second)).Round(time.Microsecond))
}

// closeWindow closes all open seconds, including the last, partial one, and returns the
// length of the window in seconds. Seconds in which nothing ended count as observed,
// without a transaction. All streams must have ended.
func (l *ledger) closeWindow(covered bool) (seconds float64, err error) {
	defer l.attic.close()
	if !l.begun {
		return 0, nil
	}
	end, until := l.latest, l.latest+1 // includes the last transaction
	if whole := l.start() + l.window.length; l.window.length > 0 && (covered || end >= whole) {
		end, until = whole, whole
	}
	if err := l.closeAll(until); err != nil {
		return 0, err
	}
	return inSeconds(max(end-l.start(), 0)), nil
}

func (l *ledger) closeAll(until int64) error {
	if last := secondOf(until - 1 - l.start()); last >= l.first {
		if _, err := l.second(last); err != nil { // opens all seconds before it in which nothing ended, too
			return err
		}
	}
	if err := l.closeUntil(until); err != nil {
		return err
	}
	if length := until - l.start() - l.first*micro; len(l.open) > 0 && length > 0 {
		return l.closeFirst(length)
	}
	return nil
}

// unfinished is the transaction that had been in progress the longest when the window
// ended. It counts for the second in which it ended, so the window's latencies lack it: if
// a backend were stopped until the window is over, no number would show it.
type unfinished struct {
	client int64
	micros int64 // inside the window
}

// note takes a transaction that ended after the window; micros is how much of it lies
// before that end, negative if it had not begun.
func (u *unfinished) note(client, micros int64) {
	if micros > u.micros {
		u.client, u.micros = client, micros
	}
}

// unfinishedFactor is the minimum ratio of the unfinished transaction to the slowest
// measured one. Each client has one in progress when the window ends, and any of them may
// happen to be the slowest of all: only an outlier matters.
const unfinishedFactor = 2

// least returns how many microseconds a transaction must have been in progress to matter.
// In a closed loop the window lacks one per client, and less than a second is insignificant
// among the others. With a rate it lacks all that were due meanwhile: a hundredth of the
// window is one of a hundred transactions, and p99 would be wrong. A short window may have
// seen hardly any, so there is a lower bound.
func (w window) least(rate bool) int64 {
	if !rate {
		return micro
	}
	return min(max(w.length/100, micro/4), micro)
}

// hung returns what was not measured because the window ended first.
func (l *ledger) hung() []record.Note {
	u, longest := &l.unfinished, l.page.totals.longest
	if u.micros < l.window.least(l.page.cols.rate) || u.micros < unfinishedFactor*longest {
		return nil
	}
	return []record.Note{{Rule: "unfinished",
		Text: fmt.Sprintf("when the window ended, client %d had been waiting for %.3g s for a transaction to end; the slowest measured one took %.3g s",
			u.client, inSeconds(u.micros), inSeconds(longest)),
		Hint: "look for what blocked or stopped a backend; measure longer if such transactions belong to the load"}}
}

func inSeconds(micros int64) float64 { return float64(micros) / float64(micro) }
