package pgbench

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// The columns of an aggregated log (--aggregate-interval; microseconds), from left to right:
//
//	9.3 to 14: interval_start num_transactions sum_latency sum_latency_2 min_latency max_latency
//	           [ sum_lag sum_lag_2 min_lag max_lag [ skipped ] ]
//	15 to 18:  the same, all of them, then retried retries serialization_failures deadlock_failures
//	later:     and other_sql_failures
//
// The optional ones of 14 and before exist with -R, and with -L beside it. From 15 on, a column whose
// option is not set is 0: that of the failures is --failures-detailed. From 9.5 to 14, num_transactions has
// the skipped ones, too (accumStats). The last interval, which is not complete, is not logged.
const (
	aStart = iota
	aCount
	aLatency
	aSquares
	aMin
	aMax
	aLag
	aLagSquares
	aLagMin
	aLagMax
	aSkipped
	aRetried
	aRetries
	aSerialization
	aDeadlock
	aOther
	aColumns
)

// limits are the largest values that a column can have: a thousand million transactions in an interval, and
// times of 31 years.
var limits = [aColumns]float64{
	latest / micro, 1e9, 1e24, 1e39, 1e15, 1e15, 1e24, 1e39, 1e15, 1e15, 1e9, 1e9, 1e12, 1e9, 1e9, 1e9,
}

// interval is one line. Columns that it lacks are 0.
type interval [aColumns]float64

// parseAggregate parses a line, and returns how many columns it has; 0 if it is not one of an
// aggregated log.
func parseAggregate(line []byte) (v interval, columns int) {
	for field := range bytes.SplitSeq(line, []byte(" ")) {
		if columns == aColumns || len(bytes.Trim(field, "0123456789-")) > 0 {
			return v, 0
		}
		n, err := strconv.ParseFloat(string(field), 64)
		if err != nil || n > limits[columns] || n < 0 && columns < aLagMin {
			return v, 0
		}
		v[columns] = n
		columns++
	}
	switch columns {
	case aLag, aSkipped, aRetried, aOther, aColumns:
	default:
		return v, 0
	}
	if v[aStart] < earliest/micro || v[aStart] >= latest/micro || !v.possible(columns) {
		return v, 0
	}
	return v, columns
}

// ended returns how many transactions ended successfully.
func (v *interval) ended(columns int) float64 {
	if columns == aRetried {
		return v[aCount] - v[aSkipped]
	}
	return v[aCount]
}

// possible reports whether the latencies can be those of so many transactions: this distinguishes an
// aggregated log from other columns of numbers.
func (v *interval) possible(columns int) bool {
	n := v.ended(columns)
	if n <= 0 {
		return n == 0 && v[aLatency] == 0 && v[aSquares] == 0 && v[aMin] == 0 && v[aMax] == 0
	}
	rounding := 1e-9*v[aSquares] + n + 1 // sums lose digits beyond 2^53
	mean := v[aLatency] / n
	return v[aMin] <= mean+1 && mean <= v[aMax]+1 && v[aSquares]+rounding >= mean*mean*n && v[aSquares] <= n*v[aMax]*v[aMax]+rounding
}

func aggregateBegins(lines []string) bool {
	v, columns := parseAggregate([]byte(lines[0]))
	if columns == 0 {
		return false
	}
	for i, line := range lines[1:] {
		next, more := parseAggregate([]byte(line))
		switch {
		case line == "":
			return v[aCount] > 0
		case more != columns:
			return v[aCount] > 0 && (countFields(line) != columns || i == len(lines)-2)
		case v[aCount] > 0 || next[aCount] > 0:
			return next[aStart] != v[aStart] || v[aCount] > 0
		}
	}
	return v[aCount] > 0
}

// aggregate reads an aggregated log of one thread, or of several one after the other.
type aggregate struct {
	columns int
	lines   int64
	rows    []interval
	whole   []interval // of several threads together; see merged
	total   interval
	first   float64 // start of the first interval
	last    float64 // start of the last one
	length  float64 // of an interval; 0 as long as there is only one
	uneven  bool    // intervals have different lengths
	cut     int64   // lines that were left out of the timeline
	torn    bool
	passes  int // how often the time went back: to another thread's log
}

// Line implements capture.Reader.
func (a *aggregate) Line(line []byte) bool {
	if a.torn {
		return false
	}
	v, columns := parseAggregate(line)
	if columns == 0 || a.lines > 0 && columns != a.columns {
		return false
	}
	if a.lines == 0 {
		a.columns, a.first, a.last = columns, v[aStart], v[aStart]
		a.total[aMin], a.total[aLagMin] = math.Inf(1), math.Inf(1)
	} else if !a.follows(v[aStart]) {
		return false
	}
	a.lines++
	a.add(&v)
	return true
}

// follows notes the length of the interval. A line at the time of the first one, or before, is of another
// thread; a later one is not, if time is missing before it, because pgbench logs intervals without a
// transaction, too: it is of another run.
func (a *aggregate) follows(start float64) bool {
	step := start - a.last
	switch {
	case step <= 0:
		if math.Abs(start-a.first) > max(a.length, 1) {
			return false
		}
		a.passes++
	case a.length == 0:
		a.length = step
	case step > 2*a.length:
		return false
	case step != a.length:
		a.uneven = true
	}
	a.last = start
	return true
}

func (a *aggregate) add(v *interval) {
	if len(a.rows) < maxRows {
		a.rows = append(a.rows, *v)
	} else {
		a.cut++
	}
	ended := v.ended(a.columns)
	for i := aCount; i < aColumns; i++ {
		switch i {
		case aMin, aLagMin:
			if ended > 0 {
				a.total[i] = min(a.total[i], v[i])
			}
		case aMax, aLagMax:
			a.total[i] = max(a.total[i], v[i])
		default:
			a.total[i] += v[i]
		}
	}
}

// Unended implements capture.Cutter: the number at the end of a line has no fixed width.
func (a *aggregate) Unended() { a.torn = true }

// End implements capture.Reader.
func (a *aggregate) End() (capture.Found, error) {
	if a.lines == 0 {
		return capture.Found{}, errors.New("the aggregated log has no complete line")
	}
	var notes []record.Note
	add := func(rule, format string, args ...any) {
		notes = append(notes, record.Note{Rule: rule, Text: fmt.Sprintf(format, args...)})
	}
	if a.cut > 0 {
		add(capture.LeftOut, "%d intervals after the first %d are in the totals, but not over time", a.cut, maxRows)
	}
	if a.torn {
		add(capture.Cut, "the last line is incomplete")
	}
	if a.length == 0 {
		add(capture.Unclear, "the length of the only interval is not known, and therefore the TPS")
	}
	if a.passes > 0 {
		add(capture.Unclear, "the log has the intervals of %d threads one after the other", a.passes+1)
	}
	if lag := a.total[aLag]; lag > a.total[aLatency] {
		add(capture.Contradiction, "the schedule lags of %s us are a part of the latencies, but these are %s us", grouped(lag, 0), grouped(a.total[aLatency], 0))
	}
	return capture.Found{Runs: []capture.Run{a.run()}, Notes: notes}, nil
}
