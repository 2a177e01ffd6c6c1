package merge

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plinth/internal/driver/latency"
	"plinth/internal/record"
)

// rule says how the values that several load generators have for one second become one.
type rule int

const (
	sum  rule = iota + 1 // counts are added
	mean                 // weighted by the transactions of that second
	most                 // the largest is taken
	p50                  // percentiles come from the merged histogram of that second
	p95
	p99
	p999
)

// rules has the columns of all load generators. Those of a script have a prefix.
var rules = map[string]rule{
	"tps":                  sum, // transactions that ended in that second
	"latency_mean_ns":      mean,
	"latency_p50_ns":       p50,
	"latency_p95_ns":       p95,
	"latency_p99_ns":       p99,
	"latency_p99_9_ns":     p999,
	"latency_max_ns":       most,
	"failures":             sum,
	"retries":              sum,
	"skipped":              sum,
	"late":                 sum,
	"schedule_lag_mean_ns": mean,
	"schedule_lag_max_ns":  most,
}

// farthest is the limit of plausible seconds.
const farthest = 1_000_000

// column is one column of points.
type column struct {
	rule  rule
	group int // 0 for the total, 1 for the first script of a mix
}

// group holds the columns of the total, or of one script, that others depend on.
type group struct {
	tps, longest int // -1 where it does not exist
}

// table merges the points of several parts: the first column is the second.
//
// A second that is not whole for every load generator has no row, as one that is cut short by the
// window has none with a single load generator. A second between others that a load generator lacks
// is a gap in every column.
type table struct {
	points  record.Points
	columns []column // without the second
	groups  []group
	parts   []series
	first   int // the second of the first row
	rows    int
}

// series is the points of one part.
type series struct {
	columns []record.Column
	row     map[int]int // by second
	first   int
	last    int
}

func newTable(parts []Part) (*table, error) {
	t := &table{}
	for i, p := range parts {
		s, err := newSeries(p.Outcome.Points.Columns)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", who(p.Name), err)
		}
		t.parts = append(t.parts, s)
		if !slices.EqualFunc(s.columns, t.parts[0].columns, func(a, b record.Column) bool { return a.Name == b.Name }) {
			return nil, fmt.Errorf("%s and %s have different columns", who(p.Name), who(parts[0].Name))
		}
		if i == 0 {
			if err := t.describe(p.Outcome.Result.Scripts); err != nil {
				return nil, fmt.Errorf("%s: %w", who(p.Name), err)
			}
		}
	}
	t.span()
	return t, nil
}

// newSeries checks points, which may have come from another machine.
func newSeries(columns []record.Column) (series, error) {
	s := series{columns: columns, row: map[int]int{}}
	if len(columns) == 0 {
		return s, nil
	}
	if columns[0].Name != "second" {
		return s, fmt.Errorf("the first column is %q, not the second", columns[0].Name)
	}
	for _, c := range columns {
		if len(c.Values) != len(columns[0].Values) {
			return s, fmt.Errorf("column %s has %d rows of %d", c.Name, len(c.Values), len(columns[0].Values))
		}
	}
	for i, second := range columns[0].Values {
		n := int(math.Max(-farthest, math.Min(second, farthest)))
		if float64(n) != second || i > 0 && n <= s.last {
			return s, fmt.Errorf("row %d is not that of the next second", i)
		}
		if i == 0 {
			s.first = n
		}
		s.row[n], s.last = i, n
	}
	return s, nil
}

// describe finds the rule and the group of every column.
func (t *table) describe(scripts []record.ScriptResult) error {
	prefixes := []string{""}
	for _, s := range scripts {
		prefixes = append(prefixes, "script."+s.Name+".")
	}
	for range prefixes {
		t.groups = append(t.groups, group{-1, -1})
	}
	for i, c := range t.parts[0].columns {
		t.points.Columns = append(t.points.Columns, record.Column{Name: c.Name})
		if i == 0 {
			continue
		}
		base := c.Name[strings.LastIndexByte(c.Name, '.')+1:]
		in := slices.Index(prefixes, strings.TrimSuffix(c.Name, base))
		if rules[base] == 0 || in < 0 {
			return fmt.Errorf("unknown column %q", c.Name)
		}
		t.columns = append(t.columns, column{rules[base], in})
		switch base {
		case "tps":
			t.groups[in].tps = i
		case "latency_max_ns":
			t.groups[in].longest = i
		}
	}
	for _, c := range t.columns {
		if t.groups[c.group].tps < 0 {
			return fmt.Errorf("no column %stps", prefixes[c.group])
		}
	}
	return nil
}

// span finds the seconds that have a row.
func (t *table) span() {
	first, last := -farthest, farthest
	for _, s := range t.parts {
		if len(s.row) == 0 {
			return
		}
		first, last = max(first, s.first), min(last, s.last)
	}
	t.first, t.rows = first, max(last-first+1, 0)
}

// merge fills all columns but those of percentiles that have transactions of several parts.
func (t *table) merge() {
	for i := range t.rows {
		for at := range t.points.Columns {
			c := &t.points.Columns[at]
			c.Values = append(c.Values, t.value(t.first+i, at))
		}
	}
}

// reading is one part's value of a column in a second, with the transactions of that second.
type reading struct{ value, tps float64 }

// value returns a column's value of a second.
func (t *table) value(second, at int) float64 {
	if at == 0 {
		return float64(second)
	}
	c := t.columns[at-1]
	var all []reading
	for _, s := range t.parts {
		row, known := s.row[second]
		if !known {
			return math.NaN()
		}
		all = append(all, reading{s.columns[at].Values[row], s.columns[t.groups[c.group].tps].Values[row]})
	}
	return c.rule.of(all)
}

// of merges the readings of a second. NaN is a gap; without a transaction, there is no latency.
func (r rule) of(all []reading) float64 {
	if r == sum {
		total := 0.0
		for _, one := range all {
			total += one.value
		}
		return total
	}
	var with []reading
	for _, one := range all {
		if math.IsNaN(one.tps) {
			return math.NaN()
		}
		if one.tps > 0 {
			with = append(with, one)
		}
	}
	switch {
	case len(with) == 0:
		return math.NaN()
	case len(with) == 1:
		return with[0].value
	case r == mean:
		var w weighted
		for _, one := range with {
			w.add(one.value, one.tps)
		}
		return w.sum / w.count
	case r == most:
		largest := with[0].value
		for _, one := range with {
			largest = math.Max(largest, one.value) // NaN if one is
		}
		return largest
	}
	return math.NaN() // a percentile: see percentiles
}

// percentiles writes the percentiles of a group in a second, from its merged histogram. Seconds of
// the warm-up have no histograms, so their percentiles remain unknown if several load generators
// have transactions.
func (t *table) percentiles(second, of int, c *latency.Counts) {
	row := second - t.first
	if row < 0 || row >= t.rows || c.Total() == 0 || t.groups[of].longest < 0 {
		return
	}
	longest := t.points.Columns[t.groups[of].longest].Values[row]
	if math.IsNaN(longest) {
		return
	}
	shown := c.Shown(longest)
	for i, column := range t.columns {
		if column.group == of && column.rule >= p50 {
			t.points.Columns[i+1].Values[row] = shown[column.rule-p50]
		}
	}
}
