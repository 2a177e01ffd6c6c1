// Package results reads tables of results, as articles and spreadsheets have them: CSV with a line of names, and a line for each
// run or for the mean of several. The columns are those of plinth show --format csv, or some of them:
//
//	environment,workload,clients,threads,tps,latency_mean_ms,latency_p99_ms
//	gp3,tpcb-like,16,4,4200,3.81,7.2
//
// Workload, clients and tps (or rps) are required. The name of a latency ends with its unit: _ns, _us, _ms or _s.
package results

import (
	"encoding/csv"
	"math"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Kinds returns tables of results.
func Kinds() []capture.Kind {
	return []capture.Kind{{
		Name:   "results",
		Title:  "a table of results (CSV)",
		Begins: func(lines []string) bool { return namesOf(lines[0]) != nil },
		New:    func() capture.Reader { return &reader{} },
	}}
}

// reader reads one table.
type reader struct {
	names   []string // of the columns; nil before the first line
	found   capture.Found
	bases   []string        // of plinth's own tables: "emulated"
	asked   map[string]bool // the columns that are used
	unended bool
	cut     bool
}

// required are the columns without which a table has no results. One name of each line is enough.
var required = [][]string{{"workload"}, {"clients"}, {"tps", "rps", "tps_mean"}}

// namesOf returns the names of the columns if a line is the head of a table, else nil.
func namesOf(line string) []string {
	names, ok := fieldsOf(strings.ToLower(line))
	if !ok {
		return nil
	}
	for _, spellings := range required {
		if !slices.ContainsFunc(spellings, func(name string) bool { return slices.Contains(names, name) }) {
			return nil
		}
	}
	for i, name := range names {
		if name != "" && slices.Contains(names[:i], name) {
			return nil // two columns of one name
		}
	}
	return names
}

// fieldsOf returns the fields of a line, without spaces around them.
func fieldsOf(line string) ([]string, bool) {
	r := csv.NewReader(strings.NewReader(strings.TrimRight(line, "\r\n")))
	r.TrimLeadingSpace = true
	fields, err := r.Read()
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields, err == nil
}

// Unended announces a line without an end: see capture.Cutter.
func (r *reader) Unended() { r.unended = true }

// Line takes one line.
func (r *reader) Line(line []byte) bool {
	if r.names == nil {
		r.names, r.asked = namesOf(string(line)), map[string]bool{}
		return r.names != nil
	}
	fields, ok := fieldsOf(string(line))
	if !ok || len(fields) != len(r.names) || namesOf(string(line)) != nil {
		return false
	}
	if r.unended { // the last value may lack its end
		fields[len(fields)-1], r.cut = "", true
	}
	row := row{values: map[string]string{}, asked: r.asked}
	for i, name := range r.names {
		row.values[name] = fields[i]
	}
	run, ok := row.run()
	if !ok {
		return false
	}
	run.Notes = contradictions(run)
	r.found.Runs = append(r.found.Runs, run)
	if basis := row.text("basis"); basis != "" && !slices.Contains(r.bases, basis) {
		r.bases = append(r.bases, basis)
	}
	return true
}

// row is a line by the names of the columns.
type row struct {
	values map[string]string
	asked  map[string]bool
	bad    bool // a value is no number
}

// text returns a value; "" if the table or the row does not have it.
func (r *row) text(name string) string {
	r.asked[name] = true
	return r.values[name]
}

// run returns the run of a row; false if a value cannot be read.
func (r *row) run() (capture.Run, bool) {
	run := capture.Run{
		Environment: r.text("environment"), Tool: r.text("tool"), Version: r.text("version"), Workload: r.text("workload"),
		Clients: int(r.whole("clients")), Threads: int(r.whole("threads")), Rate: r.number("rate"),
	}
	run.Result = record.Result{TPS: r.one("tps", "rps", "tps_mean"), Duration: r.number("duration_s"), Loop: "closed"}
	if run.Rate > 0 {
		run.Result.Loop = "open"
	}
	l := &run.Result.Latency
	l.Mean = r.duration("latency_mean")
	for name, to := range map[string]*int64{"latency_min": &l.Min, "latency_p50": &l.P50, "latency_p95": &l.P95, "latency_p99": &l.P99, "latency_p99_9": &l.P999, "latency_max": &l.Max} {
		*to = int64(r.duration(name))
	}
	return run, !r.bad && run.Workload != ""
}

// one returns the value of the only column of several that has one.
func (r *row) one(names ...string) (value float64) {
	for _, name := range names {
		if v := r.number(name); v != 0 {
			r.bad = r.bad || value != 0
			value = v
		}
	}
	return value
}

// thousands is a number whose thousands are separated by commas. Any other comma may be a decimal one.
var thousands = regexp.MustCompile(`^\d{1,3}(?:,\d{3})+(?:\.\d+)?$`)

// number returns a value; 0 if the table or the row does not have it.
func (r *row) number(name string) float64 {
	text := r.text(name)
	if text == "" || text == "-" {
		return 0
	}
	if thousands.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	const most = 1e15
	v, ok := capture.Number([]byte(text))
	if !ok || v >= most {
		r.bad = true
		return 0
	}
	return v
}

// whole returns a whole number.
func (r *row) whole(name string) float64 {
	v := r.number(name)
	r.bad = r.bad || v != math.Trunc(v) || v > math.MaxInt32
	return v
}

// units are those in which the name of a latency can end, in nanoseconds.
var units = map[string]float64{"_ns": 1, "_us": 1e3, "_ms": 1e6, "_s": 1e9}

// duration returns a latency in nanoseconds, whichever unit its column has. It may have only one.
func (r *row) duration(name string) (value float64) {
	for unit, factor := range units {
		if v := r.number(name + unit); v != 0 {
			r.bad = r.bad || value != 0 || v*factor >= math.MaxInt64/2
			value = math.Round(v * factor)
		}
	}
	if r.bad {
		return 0
	}
	return value
}

// contradictions returns what contradicts itself in a row.
func contradictions(run capture.Run) (notes []record.Note) {
	l := run.Result.Latency
	times := capture.Times{Mean: l.Mean, Min: l.Min, Max: l.Max}
	for _, p := range []capture.Percentile{{Share: 50, Value: l.P50}, {Share: 95, Value: l.P95}, {Share: 99, Value: l.P99}, {Share: 99.9, Value: l.P999}} {
		if p.Value > 0 {
			times.Percentiles = append(times.Percentiles, p)
		}
	}
	const rounding = 0.02 // of figures with two or three digits
	if text := times.Disorder(capture.Precision{Step: rounding}); text != "" {
		notes = append(notes, capture.Contradicts("of the latency, %s", text))
	}
	return append(notes, capture.Occupation(run, l.Mean, 0)...)
}

// End returns the runs.
func (r *reader) End() (capture.Found, error) {
	var unused []string
	for _, name := range r.names {
		if name != "" && !r.asked[name] && len(r.found.Runs) > 0 {
			unused = append(unused, name)
		}
	}
	if len(unused) > 0 {
		r.found.Notes = append(r.found.Notes, record.Note{Rule: capture.LeftOut, Text: "these columns are not used: " + strings.Join(unused, ", ")})
	}
	if others := slices.DeleteFunc(r.bases, func(basis string) bool { return basis == "measured" }); len(others) > 0 {
		r.found.Notes = append(r.found.Notes, record.Note{Rule: capture.Unclear, Text: "the table says of its figures: " + strings.Join(others, ", ")})
	}
	if r.cut {
		r.found.Notes = append(r.found.Notes, record.Note{Rule: capture.Cut, Text: "the last line does not end with a line break, so that its last value may be cut, and is left out"})
	}
	return r.found, nil
}
