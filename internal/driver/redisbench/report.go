package redisbench

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// report holds what redis-benchmark prints at its end. Latencies are in seconds.
type report struct {
	title    string // "SET", "MSET (10 keys)"
	requests int64
	took     float64 // seconds, to 10 ms
	rps      float64

	// detailed is set for the form of 6.2 and later, which has a summary.
	detailed                         bool
	mean, least, p50, p95, p99, most float64

	steps     []step
	histogram *hdrhistogram.Histogram
}

var (
	titleLine   = regexp.MustCompile(`^====== (.+) ======$`)
	takenLine   = regexp.MustCompile(`^(\d+) requests completed in (\d+(?:\.\d+)?) seconds$`)
	rateLine    = regexp.MustCompile(`^(?:throughput summary: )?(\d+(?:\.\d+)?) requests per second$`)
	stepLine    = regexp.MustCompile(`^(\d+\.\d+)% <= (\d+(\.\d+)?) milliseconds(?: \(cumulative count (\d+)\))?$`)
	summaryHead = regexp.MustCompile(`^avg\s+min\s+p50\s+p95\s+p99\s+max$`)
)

var errNoReport = errors.New("it ended without a report")

// parseReport reads the lines of a report; asked is the number of requests to be sent, on
// which the shares of 6.0 are based.
func parseReport(text []string, asked int64) (*report, error) {
	r := &report{}
	titles, summary := 0, false
	for _, line := range text {
		if m := titleLine.FindStringSubmatch(line); m != nil {
			r.title, titles = m[1], titles+1
			continue
		}
		if summary {
			r.summary(line)
			summary = false
			continue
		}
		summary = summaryHead.MatchString(line)
		r.line(line)
	}
	switch {
	case titles == 0 || r.requests == 0 || r.rps == 0:
		return nil, errNoReport
	case titles > 1:
		return nil, fmt.Errorf("it printed %d reports for one test", titles)
	case r.steps == nil:
		return nil, errors.New("its report has no latencies")
	}
	if err := r.distribution(asked); err != nil {
		return nil, err
	}
	return r, nil
}

// line reads a line of the report that does not depend on others.
func (r *report) line(line string) {
	if m := takenLine.FindStringSubmatch(line); m != nil {
		r.requests, _ = strconv.ParseInt(m[1], 10, 64)
		r.took = finite(m[2])
	}
	if m := rateLine.FindStringSubmatch(line); m != nil {
		r.rps = finite(m[1])
	}
	if m := stepLine.FindStringSubmatch(line); m != nil {
		s := step{share: finite(m[1]) / 100, value: finite(m[2]) / 1e3, whole: m[3] == "", count: -1}
		if m[4] != "" {
			s.count, _ = strconv.ParseInt(m[4], 10, 64)
		}
		r.steps = append(r.steps, s)
	}
}

// summary reads the line of numbers below "avg min p50 p95 p99 max".
func (r *report) summary(line string) {
	fields := strings.Fields(line)
	into := []*float64{&r.mean, &r.least, &r.p50, &r.p95, &r.p99, &r.most}
	if len(fields) != len(into) {
		return
	}
	for i, f := range fields {
		*into[i] = finite(f) / 1e3
	}
	r.detailed = !slices.ContainsFunc(into, func(f *float64) bool { return math.IsNaN(*f) })
}

// seconds returns how long the load took: the rate is printed with more digits than the
// time.
func (r *report) seconds() float64 { return float64(r.requests) / r.rps }
