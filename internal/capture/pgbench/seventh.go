package pgbench

import "plinth/internal/driver/pgbench/txlog"

// seventh collects what the seventh field of seven can be.
type seventh struct {
	lines, zeros int64 // of successful transactions
	largest      int64
	isLag        bool // a value or line that exists only with a rate
	notLag       bool // longer than the latency, which has the lag; or of a failed transaction
}

type meaning int

const (
	unclear meaning = iota
	lag
	retries
)

// manyRetries is more than the retries of a transaction: a lag of a millisecond is usual.
const manyRetries = 1000

func (s *seventh) add(e *txlog.Entry) {
	switch {
	case e.Outcome == txlog.Skipped, e.Lag < 0:
		s.isLag = true
	case e.Outcome == txlog.Failed:
		s.notLag = s.notLag || e.Lag > 0
	default:
		s.notLag = s.notLag || e.Lag > e.Micros && e.Micros >= 0
		s.lines++
		if e.Lag == 0 {
			s.zeros++
		}
		s.largest = max(s.largest, e.Lag)
	}
}

// kind returns what the field is. Only -R skips transactions, a lag is a part of the latency, and failed
// transactions have none (processXactStats). A lag is hardly ever 0 microseconds, because a sleeping thread wakes up late; retries mostly are 0, or few.
func (s *seventh) kind() meaning {
	mostlyZero := 2*s.zeros >= s.lines
	switch {
	case s.isLag && !s.notLag:
		return lag
	case s.isLag:
		return unclear
	case s.notLag, mostlyZero && s.largest < manyRetries:
		return retries
	case !mostlyZero && s.largest >= manyRetries:
		return lag
	}
	return unclear
}
