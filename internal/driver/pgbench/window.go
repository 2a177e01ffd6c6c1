package pgbench

import (
	"time"

	"plinth/internal/record"
)

// window is the part of a run that is measured, in microseconds. It begins
// warmup after the first transaction began (was due, when there is a rate).
type window struct {
	warmup int64
	length int64 // 0: until the last transaction ends
}

// start is when the window begins, in microseconds since the epoch.
func (l *ledger) start() int64 { return l.origin + l.window.warmup }

// covers says whether the load went on until the window's end: a transaction
// ended after it, or pgbench still ran when it was told that the window is over
// (with a rate, clients may have been waiting for their next transaction).
func (l *ledger) covers(alarmed bool) bool {
	return l.window.length == 0 || alarmed || l.latest >= l.start()+l.window.length
}

// bounds are when the window began and ended by the wall clock of the machine
// that pgbench runs on; seconds is how long it was. Since version 14 pgbench looks
// at that clock only when it starts, and counts on by one that can't be set.
func (l *ledger) bounds(seconds float64) (begin, end time.Time) {
	if seconds <= 0 {
		return time.Time{}, time.Time{}
	}
	begin = time.UnixMicro(l.start())
	return begin, begin.Add(time.Duration(seconds * float64(time.Second)).Round(time.Microsecond))
}

// hung says what was not measured because the window ended first.
func (l *ledger) hung() []record.Note {
	return l.unfinished.problem(l.window.least(l.page.cols.rate), l.page.totals.longest)
}

// closeWindow closes what is open, the last, partial second too, and returns how
// long the window was in seconds. Seconds of it in which nothing ended are
// observed ones, without a transaction. All streams have ended before.
func (l *ledger) closeWindow(covered bool) (seconds float64, err error) {
	defer l.attic.close()
	if !l.begun {
		return 0, nil
	}
	end, until := l.latest, l.latest+1 // the last transaction is part of it
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
		if _, err := l.second(last); err != nil { // with all before it in which nothing ended
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
