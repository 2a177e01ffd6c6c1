package sysbench

import (
	"fmt"
	"math"
	"time"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// progress gathers the reports during the run (--report-interval). Each covers the time since the
// previous one.
type progress struct {
	interval float64 // seconds, as the head states it
	share    float64 // of the percentile
	seconds  []float64
	tps      []float64
	latency  []float64 // nanoseconds
	errors   []float64 // per second
	dropped  int
}

// maxReports is a week of one report a second.
const maxReports = 7 * 24 * 3600

func (p *progress) rows() int { return len(p.seconds) }

func (r *reader) interval(match []string) bool {
	return r.report(match[1], match[3], match[4], match[5], match[6])
}

func (r *reader) oldInterval(match []string) bool {
	return r.report(match[1], match[3], match[5], match[4], match[6])
}

// report takes one report. A report of a time before the previous one belongs to another run.
func (r *reader) report(second, tps, share, milliseconds, errors string) bool {
	p := &r.progress
	n := p.rows()
	if r.started || n > 0 && (number(second) <= p.seconds[n-1] || number(share) != p.share) {
		return false
	}
	if n == maxReports {
		p.dropped++
		return true
	}
	p.share = number(share)
	p.seconds, p.tps = append(p.seconds, number(second)), append(p.tps, number(tps))
	p.latency, p.errors = append(p.latency, math.Round(number(milliseconds)*1e6)), append(p.errors, number(errors))
	if errors == "" {
		p.errors[n] = math.NaN()
	}
	return true
}

// series returns the reports as plinth's columns. The percentile has plinth's name if there is one.
func (p *progress) series() capture.Series {
	s := capture.Series{Source: "sysbench", Interval: p.interval, Columns: []record.Column{{Name: "tps", Values: p.tps}}}
	names := map[float64]string{50: "latency_p50_ns", 95: "latency_p95_ns", 99: "latency_p99_ns"}
	switch name, ok := names[p.share]; {
	case ok:
		s.Columns = append(s.Columns, record.Column{Name: name, Values: p.latency})
	case p.share > 0:
		milliseconds := make([]float64, len(p.latency))
		for i, x := range p.latency {
			milliseconds[i] = x / 1e6
		}
		s.Columns = append(s.Columns, record.Column{Name: fmt.Sprintf("sysbench.lat (ms,%v%%)", p.share), Values: milliseconds})
	}
	s.Columns = append(s.Columns, record.Column{Name: "retries", Values: p.errors})
	for _, second := range p.seconds {
		s.Times = append(s.Times, capture.Moment{Time: time.Unix(int64(second), 0).UTC(), Clock: capture.Relative})
	}
	return s
}

func (p *progress) notes() []record.Note {
	if p.dropped == 0 {
		return nil
	}
	return []record.Note{{Rule: capture.LeftOut, Text: fmt.Sprintf("%d reports during the run were left out: there are more than plinth keeps", p.dropped)}}
}
