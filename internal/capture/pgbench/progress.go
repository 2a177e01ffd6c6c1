package pgbench

import (
	"math"
	"regexp"
	"time"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// progressLine matches a line that -P prints every so many seconds (printProgressReport; 9.4 to 18):
//
//	progress: 5.0 s, 988.1 tps, lat 1.012 ms stddev 0.101, 0 failed, lag 0.100 ms, 3 skipped, 0 retried, 0 retries
//
// The time counts from the beginning of the run, or with --progress-timestamp from the epoch. All
// other values are of the time since the previous line; lag and what follows depend on the options,
// and "failed" on the version (15 and later).
var progressLine = regexp.MustCompile(`^progress: (\d+(?:[.,]\d{1,3})) s, (\d+[.,]\d) tps, lat (\d+[.,]\d{3}|-?nan) ms stddev (\d+[.,]\d{3}|-?nan)` +
	`(?:, (\d+) failed)?(?:, lag (\d+[.,]\d{3}|-?nan) ms)?(?:, (\d+) skipped)?(?:, (\d+) retried, (\d+) retries)?$`)

// The groups of progressLine after the time, and how many there are.
const (
	pTPS = iota
	pMean
	pStddev
	pFailed
	pLag
	pSkipped
	pRetried
	pRetries
	pColumns
)

// epochFrom is the least number that is a time since the epoch, not since the beginning: 31 years.
const epochFrom = 1e9

// maxRows is how many rows of a series are kept: more than a month of seconds would be no timeline.
const maxRows = 300_000

// progress holds the readings of -P.
type progress struct {
	times   []float64
	columns [pColumns][]float64
	has     [pColumns]bool
	cut     int // lines that were left out
}

func (p *progress) rows() int { return len(p.times) }

// parse reads a line. Columns that it lacks are NaN.
func (p *progress) parse(line string) (at float64, values, ok [pColumns]float64, fits bool) {
	m := progressLine.FindStringSubmatch(line)
	if m == nil {
		return 0, values, ok, false
	}
	at, fits = number(m[1])
	for i := range values {
		values[i] = math.NaN()
		if m[i+2] != "" {
			values[i], _ = number(m[i+2])
			ok[i] = 1
		}
		fits = fits && (p.rows() == 0 || p.has[i] == (ok[i] == 1))
	}
	if p.rows() > 0 {
		fits = fits && at > p.times[len(p.times)-1]
	}
	return at, values, ok, fits
}

// line takes a line that has the columns of those before, and a later time.
func (p *progress) line(line string) bool {
	at, values, has, ok := p.parse(line)
	if !ok {
		return false
	}
	if p.rows() == maxRows {
		p.cut++
		return true
	}
	p.times = append(p.times, at)
	for i, v := range values {
		p.columns[i] = append(p.columns[i], v)
		p.has[i] = has[i] == 1
	}
	return true
}

// continues reports whether a line is at most two intervals later than the last one. After a summary,
// another line may belong to another run.
func (p *progress) continues(line string) bool {
	at, _, _, ok := p.parse(line)
	n := p.rows()
	if !ok || n == 0 {
		return false
	}
	length := p.times[n-1]
	if n > 1 {
		length -= p.times[n-2]
	}
	return at-p.times[n-1] <= 2*length
}

func (p *progress) absolute() bool { return p.rows() > 0 && p.times[0] >= epochFrom }

// length returns how many seconds a row covers; NaN for the first one if times count from the epoch.
func (p *progress) length(row int) float64 {
	switch {
	case row > 0:
		return p.times[row] - p.times[row-1]
	case p.absolute():
		return math.NaN()
	case p.headless():
		return p.times[1] - p.times[0]
	}
	return p.times[0]
}

// headless reports whether the first line covers less time than there is before it.
func (p *progress) headless() bool {
	return p.rows() > 1 && !p.absolute() && p.times[0] > 1.5*(p.times[1]-p.times[0])
}

// interval returns the argument of -P, a number of seconds; 0 if the rows do not show it.
func (p *progress) interval() float64 {
	interval := 0.0
	for row := range p.times {
		length := p.length(row)
		if math.IsNaN(length) {
			continue
		}
		whole := math.Round(length)
		if interval == 0 {
			interval = whole
		}
		if whole != interval || math.Abs(length-whole) > 0.05*whole {
			return 0
		}
	}
	return interval
}

// series returns the readings. Counts become rates.
func (p *progress) series() capture.Series {
	s := capture.Series{Source: tool, Interval: p.interval()}
	if p.rows() == 0 {
		return capture.Series{}
	}
	for row, at := range p.times {
		s.Times = append(s.Times, p.moment(at))
		length := p.length(row)
		if math.IsNaN(length) && s.Interval > 0 {
			length = s.Interval
		}
		for _, i := range []int{pFailed, pSkipped, pRetries} {
			p.columns[i][row] /= length
		}
		for _, i := range []int{pMean, pLag} {
			p.columns[i][row] *= 1e6
		}
	}
	for i, name := range []string{"tps", "latency_mean_ns", "pgbench.progress.stddev", "failures", "schedule_lag_mean_ns", "skipped", "pgbench.progress.retried", "retries"} {
		if p.has[i] {
			s.Columns = append(s.Columns, record.Column{Name: name, Values: p.columns[i]})
		}
	}
	return s
}

// moment returns the time of a row.
func (p *progress) moment(at float64) capture.Moment {
	clock := capture.Relative
	if p.absolute() {
		clock = capture.UTC
	}
	return capture.Moment{Time: time.UnixMicro(int64(math.Round(at * 1e6))).UTC(), Clock: clock}
}

// began returns when the load began, if the times of the rows say so.
func (p *progress) began() capture.Moment {
	if interval := p.interval(); p.absolute() && interval > 0 {
		return p.moment(p.times[0] - interval)
	}
	return capture.Moment{}
}

// count returns how many transactions the rows have, and over how many seconds.
func (p *progress) count() (transactions, seconds float64) {
	for row := range p.times {
		length := p.length(row)
		if math.IsNaN(length) {
			length = p.interval()
		}
		transactions += p.columns[pTPS][row] * length
		seconds += length
	}
	return transactions, seconds
}
