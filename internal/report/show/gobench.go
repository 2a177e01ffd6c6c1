package show

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// Gobench returns one line per counted run in Go's benchmark format
// (https://go.dev/design/14313-benchmark-format), for benchstat.
func (s *Numbers) Gobench() string {
	var b strings.Builder
	for _, config := range [][2]string{
		{"plinth", s.Method.Plinth}, {"engine", s.Record.Engine},
		{"experiment", s.Record.Experiment}, {"record", s.Record.Name}, {"basis", s.imported()},
	} {
		if value := prose.Clean(config[1]); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", config[0], value)
		}
	}
	b.WriteString("Unit tx/s better=higher assume=nothing\n")
	for _, unit := range []string{"ns/tx", "p50-ns/tx", "p99-ns/tx"} {
		fmt.Fprintf(&b, "Unit %s better=lower assume=nothing\n", unit)
	}
	for _, run := range s.Counted {
		r := run.Result
		fmt.Fprintf(&b, "%s 1 %s tx/s", benchmark(run.RunID), phrase.Exact(r.TPS))
		for _, latency := range []struct {
			ns   float64
			unit string
		}{{r.Latency.Mean, "ns/tx"}, {float64(r.Latency.P50), "p50-ns/tx"}, {float64(r.Latency.P99), "p99-ns/tx"}} {
			if latency.ns > 0 { // what an imported text does not state is zero
				fmt.Fprintf(&b, " %s %s", phrase.Exact(latency.ns), latency.unit)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// imported returns the basis of a record that was imported; "" for others.
func (s *Numbers) imported() string {
	if s.Method.Imported == "" {
		return ""
	}
	return record.BasisImported
}

// benchmark returns the name of a cell in an environment. The environment comes first, so that
// `benchstat -col /env` compares environments.
func benchmark(id record.RunID) string {
	name := fmt.Sprintf("Benchmark%s/env=%s/clients=%d", camel(id.Workload), id.Environment, id.Clients)
	if id.Rate > 0 {
		name += "/rate=" + phrase.Exact(id.Rate)
	}
	return name + fmt.Sprintf("/threads=%d", id.Threads)
}

// camel converts select-only to SelectOnly.
func camel(name string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		first, size := utf8.DecodeRuneInString(word)
		b.WriteString(string(unicode.ToUpper(first)) + word[size:])
	}
	return b.String()
}
