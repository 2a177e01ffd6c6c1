package redis

import (
	"encoding/csv"
	"strconv"
	"strings"

	"plinth/internal/capture"
)

func (r *benchmarkReader) begin(match []string) bool {
	if r.seen[match[1]] {
		return false
	}
	r.current = r.add(match[1])
	return true
}

func (r *benchmarkReader) completed(match []string) bool {
	n, err := strconv.ParseInt(match[1], 10, 64)
	if err != nil {
		return false
	}
	if r.current == nil && len(r.tests) == 0 {
		r.current = r.add("")
		r.current.withoutHead = true
	}
	if r.current == nil || r.current.Result.Transactions > 0 {
		return false
	}
	r.current.Result.Transactions, r.current.Result.Duration = n, number(match[2])
	return true
}

func (r *benchmarkReader) inTest([]string) bool { return r.current != nil }

// count sets a whole number of the test that is being read.
func (r *benchmarkReader) count(text string, set func(t *test, n int)) bool {
	n, err := strconv.Atoi(text)
	if r.current == nil || err != nil {
		return false
	}
	set(r.current, n)
	return true
}

func (r *benchmarkReader) clients(match []string) bool {
	return r.count(match[1], func(t *test, n int) { t.Clients = n })
}

func (r *benchmarkReader) threads(match []string) bool {
	return r.count(match[1], func(t *test, n int) { t.Threads = n })
}

func (r *benchmarkReader) multiThread(match []string) bool {
	return r.current != nil && (match[2] == "yes" || r.count("1", func(t *test, n int) { t.Threads = n }))
}

func (r *benchmarkReader) payload(match []string) bool {
	return r.count(match[1], func(t *test, _ int) { t.Options[match[2]] = match[1] })
}

func (r *benchmarkReader) keepAlive(match []string) bool {
	return r.count(match[2], func(t *test, n int) { t.Options[match[1]], t.Reconnect = match[2], n == 0 })
}

func (r *benchmarkReader) option(match []string) bool {
	if r.current == nil {
		return false
	}
	if !r.unended {
		r.current.Options[match[1]] = match[2]
	}
	return true
}

func (r *benchmarkReader) rate(match []string) bool {
	if r.current == nil || r.current.whole {
		return false
	}
	r.current.Result.TPS, r.current.whole = number(match[1]), true
	return true
}

func (r *benchmarkReader) target(match []string) bool {
	if r.current == nil {
		return false
	}
	r.current.Rate, r.current.Result.Loop = number(match[1]), "open"
	return true
}

func (r *benchmarkReader) quiet(match []string) bool {
	if r.seen[match[1]] {
		return false
	}
	t := r.add(match[1])
	t.Result.TPS, t.whole = number(match[2]), true
	if match[3] != "" {
		t.times.Percentiles = []capture.Percentile{{Share: 50, Value: nanoseconds(number(match[3]))}}
	}
	return true
}

// row reads a line of --csv: test and requests per second, and from release 6.2 on latencies.
func (r *benchmarkReader) row(match []string) bool {
	fields, err := csv.NewReader(strings.NewReader(match[0])).Read()
	if match[0] == csvHead && len(r.tests) == 0 {
		return true
	}
	if err != nil || len(fields) != 2 && len(fields) != 8 || r.seen[fields[0]] {
		return false
	}
	values := make([]float64, len(fields)-1)
	for i, text := range fields[1:] {
		value, ok := capture.Number([]byte(text))
		if !ok {
			return false
		}
		values[i] = value
	}
	t := r.add(fields[0])
	t.Result.TPS, t.whole = values[0], true
	if len(values) == 7 {
		t.setSummary(values[1:])
	}
	return true
}

func (r *benchmarkReader) report([]string) bool {
	r.reports++
	return true
}

func (r *benchmarkReader) failure(match []string) bool {
	if r.message == "" {
		r.message = match[1]
	}
	return true
}
