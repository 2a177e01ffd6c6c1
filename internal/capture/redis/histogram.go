package redis

import (
	"fmt"
	"math"
	"strconv"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// stepShares are the percentiles that a histogram is searched for.
var stepShares = [4]float64{50, 95, 99, 99.9}

// steps is the step of a histogram in which a percentile lies: the text of its upper end.
type steps struct{ upper string }

// histogram reads a line "99.33% <= 3 milliseconds". Releases before 6.2 print one for each step of
// 1 ms (6.0: 0.1 ms below 2 ms), later ones two tables with counts.
func (r *benchmarkReader) histogram(match []string) bool {
	t := r.current
	if t == nil || t.whole && match[3] == "" {
		return false
	}
	share, value := number(match[1]), number(match[2])
	if t.disorder == "" && (share < t.share || value < t.value) {
		t.disorder = fmt.Sprintf("%s%% <= %s ms follows %v%% <= %v ms", match[1], match[2], t.share, t.value)
	}
	t.share, t.value = share, value
	if match[3] != "" {
		n, err := strconv.ParseInt(match[3], 10, 64)
		if err != nil {
			return false
		}
		t.count = n
		return true
	}
	for i, wanted := range stepShares {
		// The last line states the maximum, without its fraction.
		if share < 100 && share >= wanted && t.steps[i].upper == "" {
			t.steps[i].upper = match[2]
		}
	}
	return true
}

// distribution begins a table of a histogram.
func (r *benchmarkReader) distribution([]string) bool {
	if r.current == nil {
		return false
	}
	r.current.share, r.current.value = 0, 0
	return true
}

func (r *benchmarkReader) summaryBegins(match []string) bool {
	if r.current == nil {
		return false
	}
	r.current.summary = latencySummary
	if match[1][0] == 'R' {
		r.current.summary = rateSummary
	}
	return true
}

// summaryLine reads the row of avg, min, p50, p95, p99, max.
func (r *benchmarkReader) summaryLine(match []string) bool {
	if r.current == nil || r.current.summary == noSummary {
		return false
	}
	values := make([]float64, 6)
	for i := range values {
		values[i] = number(match[i+1])
	}
	if r.current.summary == latencySummary {
		r.current.setSummary(values)
	}
	r.current.summary = noSummary
	return true
}

// setSummary takes avg, min, p50, p95, p99 and max, in milliseconds.
func (t *test) setSummary(values []float64) {
	t.times = capture.Times{
		Mean: float64(nanoseconds(values[0])), Min: nanoseconds(values[1]), Max: nanoseconds(values[5]),
		Percentiles: []capture.Percentile{{Share: 50, Value: nanoseconds(values[2])}, {Share: 95, Value: nanoseconds(values[3])}, {Share: 99, Value: nanoseconds(values[4])}},
	}
}

// finish fills in the result, and reports whether its percentiles are only known as upper limits.
func (t *test) finish() (coarse bool) {
	setLatency(&t.Result.Latency, t.times)
	for i, s := range t.steps {
		if s.upper != "" {
			t.Options[fmt.Sprintf("p%v", stepShares[i])] = "at most " + s.upper + " ms"
			coarse = true
		}
	}
	return coarse
}

// precision is that of latencies with three decimals of a millisecond, from an HdrHistogram with three
// digits.
var precision = capture.Precision{Step: 0.001, Round: 500}

// check returns what contradicts itself in a test.
func (t *test) check() []record.Note {
	var notes []record.Note
	add := func(format string, args ...any) {
		notes = append(notes, capture.Contradicts("test "+t.Workload+": "+format, args...))
	}
	result := t.Result
	if t.disorder != "" {
		add("in its histogram, %s", t.disorder)
	}
	if text := t.times.Disorder(precision); text != "" {
		add("%s", text)
	}
	if t.count > 0 && result.Transactions > 0 && math.Abs(float64(t.count-result.Transactions)) > 0.01*float64(result.Transactions) {
		add("%d requests were completed, but the histogram has %d", result.Transactions, t.count)
	}
	if result.Transactions > 0 && result.Duration > 0 {
		rate := float64(result.Transactions) / result.Duration
		// The duration is rounded to 0.01 s.
		if math.Abs(rate-result.TPS) > (0.01+0.005/result.Duration)*rate+0.01 {
			add("%d requests / %g s = %s/s, but it reports %s/s", result.Transactions, result.Duration, digits(rate), digits(result.TPS))
		}
	}
	return append(notes, t.occupation()...)
}

// occupation compares the clients with the requests under way at a time, which are the rate times the
// mean latency. The output does not state -P.
func (t *test) occupation() []record.Note {
	if t.Clients == 0 || t.times.Mean == 0 || t.Result.TPS == 0 || t.Rate > 0 {
		return nil
	}
	cycle := float64(t.Clients) / t.Result.TPS * 1e9
	begin := fmt.Sprintf("test %s: %d clients / %s requests/s = %s, but the mean latency is %s",
		t.Workload, t.Clients, digits(t.Result.TPS), capture.Milliseconds(cycle), capture.Milliseconds(t.times.Mean))
	switch {
	case t.times.Mean > cycle*1.05:
		return []record.Note{{Rule: capture.Unclear, Text: begin + ": that is possible only with pipelining (-P), which the output does not state"}}
	case t.times.Mean < cycle/2 && !t.Reconnect:
		return []record.Note{{Rule: capture.Unclear, Text: begin + ": for most of the time, the clients did not wait for an answer, so the load generator may have been the limit"}}
	}
	return nil
}

func digits(x float64) string {
	return strconv.FormatFloat(capture.Digits(x, 6), 'f', -1, 64)
}
