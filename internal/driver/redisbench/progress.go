package redisbench

import (
	"math"
	"regexp"
	"sort"
	"strconv"

	"plinth/internal/metric"
	"plinth/internal/record"
)

// tick is the content of a line of progress:
//
//	SET: rps=70972.1 (overall: 70690.5) avg_msec=0.164 (overall: 0.164)
//	SET: 70690.55
//
// The second form is that of versions before 6.2. A number that is missing is NaN.
type tick struct {
	overall float64 // requests a second since the load began
	mean    float64 // latency of those since the previous line, seconds
	idle    bool    // none was answered since then
}

var (
	fullTick  = regexp.MustCompile(`^[A-Z0-9_]+(?: \([^)]*\))?: rps=(\S+) \(overall: (\S+)\) avg_msec=(\S+) \(overall: \S+\)$`)
	shortTick = regexp.MustCompile(`^[A-Z0-9_]+(?: \([^)]*\))?: (\d+\.\d+|-?nan|inf)$`)
)

func parseTick(line string) (tick, bool) {
	if m := fullTick.FindStringSubmatch(line); m != nil {
		mean := finite(m[3])
		return tick{finite(m[2]), mean / 1e3, m[1] == "0.0" && math.IsNaN(mean)}, true
	}
	if m := shortTick.FindStringSubmatch(line); m != nil {
		return tick{overall: finite(m[1]), mean: math.NaN()}, true
	}
	return tick{}, false
}

// finite returns a non-negative number; NaN for "nan", "-nan", "inf", or no number.
func finite(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || f < 0 {
		return math.NaN()
	}
	return f
}

// progress is the number of completed requests over time, and the sum of their latencies,
// from the lines of progress.
type progress struct {
	at    []float64 // seconds since the load began, ascending
	count []float64 // never decreases
	sum   []float64 // seconds; NaN from where it becomes unknown
}

// add takes a line that came at a time. A line before the first request has no content.
func (p *progress) add(at float64, t tick) {
	n := len(p.at)
	if n == 0 {
		p.at, p.count, p.sum = append(p.at, 0), append(p.count, 0), append(p.sum, 0)
		n = 1
	}
	if at <= p.at[n-1] || math.IsNaN(t.overall) {
		return
	}
	count := t.overall * at
	if t.idle { // times are inexact: the product would differ from the previous one
		count = p.count[n-1]
	}
	p.append(at, count, t.mean)
}

// append adds that count requests had completed at a time; mean is the latency of the new
// ones.
func (p *progress) append(at, count, mean float64) {
	n := len(p.at)
	count = max(count, p.count[n-1])
	sum := p.sum[n-1]
	if more := count - p.count[n-1]; more > 0 {
		sum += more * mean
	}
	p.at, p.count, p.sum = append(p.at, at), append(p.count, count), append(p.sum, sum)
}

// covers reports whether that many first seconds are known.
func (p *progress) covers(seconds int) bool {
	n := len(p.at)
	return n > 0 && p.at[n-1] >= float64(seconds)
}

// second returns the requests completed in a second, counted from 0, and their mean latency
// in seconds; NaN where unknown.
func (p *progress) second(i int) (tps, mean float64) {
	from, until := float64(i), float64(i+1)
	tps = along(p.at, p.count, until) - along(p.at, p.count, from)
	if tps <= 0 {
		return 0, math.NaN()
	}
	return tps, (along(p.at, p.sum, until) - along(p.at, p.sum, from)) / tps
}

// along returns y at a time, by linear interpolation between the lines of progress around
// it.
func along(at, y []float64, t float64) float64 {
	i := sort.SearchFloat64s(at, t)
	switch {
	case i == len(at):
		return y[i-1]
	case i == 0 || at[i] == t:
		return y[i]
	}
	share := (t - at[i-1]) / (at[i] - at[i-1])
	return y[i-1] + share*(y[i]-y[i-1])
}

// points returns the whole seconds of a run; the report has its end.
func (p *progress) points(length float64, rep *report) record.Points {
	if len(p.at) == 0 {
		p.add(0, tick{})
	}
	p.end(length, rep)
	seconds := int(length)
	columns := make([][]float64, 3)
	for i := range seconds {
		tps, mean := p.second(i)
		columns[0] = append(columns[0], float64(i))
		columns[1] = append(columns[1], tps)
		columns[2] = append(columns[2], mean*1e9)
	}
	points := record.Points{Columns: []record.Column{{Name: "second", Values: columns[0]}}}
	for i, m := range Metrics() {
		if rep.detailed || m.Name == "tps" {
			points.Columns = append(points.Columns, record.Column{Name: m.Name, Values: columns[i+1]})
		}
	}
	return points
}

// end adds the end of the load. Late lines with more than the report are dropped.
func (p *progress) end(length float64, rep *report) {
	requests := float64(rep.requests)
	for n := len(p.at); n > 1 && (p.at[n-1] >= length || p.count[n-1] > requests); n-- {
		p.at, p.count, p.sum = p.at[:n-1], p.count[:n-1], p.sum[:n-1]
	}
	n := len(p.at)
	p.append(length, requests, max(0, requests*rep.mean-p.sum[n-1])/(requests-p.count[n-1]))
}

// Metrics returns the columns of points for redis-benchmark's lines of progress, in order.
// Versions before 6.2 have only the first.
func Metrics() []metric.Metric {
	return []metric.Metric{
		{Name: "tps", Kind: metric.Rate, Unit: "1/s", Help: "requests that were answered in that second"},
		{Name: "latency_mean_ns", Kind: metric.Ratio, Unit: "ns", Help: "mean latency of these requests"},
	}
}
