package telemetry

import (
	"fmt"
	"math"
	"slices"
	"time"

	"plinth/internal/metric"
	"plinth/internal/record"
)

const (
	// covered is the share of a second that must be known to compute its rate: readings
	// near its bounds may be slightly off, and a process may exit just before.
	covered = 0.75

	// apart is the maximum time between two readings, in seconds, for which growth is
	// spread over the seconds between them: if one is missing, the distribution is unknown.
	apart = 1.6

	// near is how close to the end of a second a gauge must have been read, in seconds.
	near = 0.6
)

// cutter cuts the readings of one board into seconds.
type cutter struct {
	board   *Board
	at      []float64 // of the readings, in seconds from begin
	seconds []float64
	next    []int // for each second, the first reading after its start
}

// Columns returns the columns of a board, one value for each second, and the gaps.
func (b *Board) Columns(begin time.Time, seconds []float64) ([]record.Column, []record.TelemetryGap) {
	c := newCutter(b, begin, seconds)
	var columns []record.Column
	var gaps gaps
	for _, s := range b.series {
		if !s.isColumn() {
			continue
		}
		values, why := c.cut(s)
		columns = append(columns, record.Column{Name: s.name, Values: values})
		gaps.note(s.name, seconds, why)
	}
	if len(columns) == 0 {
		gaps.note(b.source+".*", seconds, c.nothing())
	}
	return columns, gaps.merged(b.source, len(columns))
}

func newCutter(b *Board, begin time.Time, seconds []float64) *cutter {
	c := &cutter{board: b, seconds: seconds, next: make([]int, len(seconds))}
	for _, r := range b.readings {
		c.at = append(c.at, r.at.Sub(begin).Seconds())
	}
	i := 0
	for n, second := range seconds {
		for i < len(c.at) && c.at[i] <= second {
			i++
		}
		c.next[n] = i
	}
	return c
}

// cut returns the value of each second, and why it is missing ("" where it is not, or where
// no value can exist).
func (c *cutter) cut(s *series) (values []float64, why []string) {
	if s.kind == metric.Max && s.absent == "" {
		return c.largest(s)
	}
	values, why = make([]float64, len(c.seconds)), make([]string, len(c.seconds))
	for n := range c.seconds {
		switch {
		case s.absent != "":
			values[n], why[n] = math.NaN(), s.absent
		case s.kind == metric.Gauge:
			values[n], why[n] = c.gauge(s, n)
		case s.kind == metric.Ratio:
			values[n], why[n] = c.ratio(s, n)
		default:
			values[n], why[n] = c.rate(s, n)
		}
	}
	return values, why
}

// gauge returns the value of the reading nearest to the end of the second.
func (c *cutter) gauge(s *series, n int) (float64, string) {
	end, best := c.seconds[n]+1, -1
	for i := max(0, c.next[n]-1); i < len(c.at) && c.at[i] <= end+near; i++ {
		if best < 0 || math.Abs(c.at[i]-end) < math.Abs(c.at[best]-end) {
			best = i
		}
	}
	if best < 0 || math.Abs(c.at[best]-end) > near {
		return math.NaN(), notRead
	}
	if v := s.at(best); !math.IsNaN(v) {
		return v, ""
	}
	return math.NaN(), c.unknown(s, best)
}

// ratio returns a gap where either part has one, and no value where the divisor did not
// grow.
func (c *cutter) ratio(s *series, n int) (float64, string) {
	of, why := c.rate(c.board.series[s.of], n)
	if why != "" {
		return of, why
	}
	per, why := c.rate(c.board.series[s.per], n)
	if why != "" || per == 0 {
		return math.NaN(), why
	}
	return of / per, ""
}

// rate returns the growth per second over the part of the second that is known.
func (c *cutter) rate(s *series, n int) (float64, string) {
	begin, end := c.seconds[n], c.seconds[n]+1
	growth, known, why := 0.0, 0.0, notRead
	for i := c.next[n]; i > 0 && i < len(c.at) && c.at[i-1] < end; i++ {
		length := c.at[i] - c.at[i-1]
		part := min(end, c.at[i]) - max(begin, c.at[i-1])
		grown, bad := c.growth(s, i, length)
		switch {
		case bad != "":
			why = bad
		case length > 0:
			growth += grown * part / length
			known += part
		}
	}
	if known < covered {
		return math.NaN(), why
	}
	return growth / known, ""
}

// Reasons for a missing value.
const (
	notRead     = "not read at this time"
	notReported = "the source did not report it"
)

// growth returns the growth of a counter up to the i-th reading, or why it is unknown.
func (c *cutter) growth(s *series, i int, length float64) (float64, string) {
	a, b, r := s.at(i-1), s.at(i), c.board.readings[i]
	switch {
	case math.IsNaN(a):
		return 0, c.unknown(s, i-1)
	case math.IsNaN(b):
		return 0, c.unknown(s, i)
	case r.anew != "":
		return 0, r.anew
	case b < a:
		return 0, "the counter went back, from " + number(a) + " to " + number(b) + ": it was reset or wrapped around"
	case length > apart:
		return 0, fmt.Sprintf("not read for %.1f s", length)
	}
	return b - a, ""
}

func number(v float64) string { return fmt.Sprintf("%.15g", v) }

// unknown returns why the i-th reading has no value.
func (c *cutter) unknown(s *series, i int) string {
	if err := c.board.readings[i].err; err != "" {
		return err
	}
	if why := s.unknown[i]; why != "" {
		return why
	}
	return notReported
}

// nothing returns, for each second, why a board never got a column.
func (c *cutter) nothing() []string {
	why := make([]string, len(c.seconds))
	for i := range why {
		why[i] = notRead
		if len(c.board.readings) > 0 {
			why[i] = c.unknown(&series{}, len(c.board.readings)-1)
		}
	}
	return why
}

// gaps lists what is unknown of one board.
type gaps []record.TelemetryGap

// note adds the gaps of one column: why it has no value, for each second.
func (g *gaps) note(column string, seconds []float64, why []string) {
	for i := 0; i < len(why); {
		j := i + 1
		for j < len(why) && why[j] == why[i] {
			j++
		}
		if why[i] != "" {
			g.add(record.TelemetryGap{Columns: []string{column}, From: seconds[i], To: seconds[j-1], Why: why[i]})
		}
		i = j
	}
}

// add merges a gap with one of the same seconds and cause.
func (g *gaps) add(gap record.TelemetryGap) {
	same := func(o record.TelemetryGap) bool { return o.From == gap.From && o.To == gap.To && o.Why == gap.Why }
	if i := slices.IndexFunc(*g, same); i >= 0 {
		(*g)[i].Columns = append((*g)[i].Columns, gap.Columns...)
		return
	}
	if n := len(*g); n == mostGaps { // a source that flaps for hours must not fill the record
		rest := &(*g)[n-1]
		rest.From, rest.To = min(rest.From, gap.From), max(rest.To, gap.To)
		rest.Why = "the value was often unknown in this interval: too many reasons to list them separately"
		for _, column := range gap.Columns {
			if !slices.Contains(rest.Columns, column) {
				rest.Columns = append(rest.Columns, column)
			}
		}
		return
	}
	*g = append(*g, gap)
}

// mostGaps limits the number of separate gaps of a source.
const mostGaps = 200

// merged replaces a list of all columns with "source.*".
func (g gaps) merged(source string, columns int) []record.TelemetryGap {
	for i := range g {
		if len(g[i].Columns) == columns && columns > 1 {
			g[i].Columns = []string{source + ".*"}
		}
	}
	return g
}
