package diagnosis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"plinth/internal/diagnosis/share"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// Difference is how the response time of an environment differs from that of another one, in the same cell.
type Difference struct {
	From     string  `json:"from"` // the baseline
	To       string  `json:"to"`
	Blocks   int     `json:"blocks"`      // or runs, of two records: the fewer
	Response float64 `json:"response_ns"` // how much longer transactions take: the mean
	Parts    []Gain  `json:"parts"`       // the one that explains most of it first
	// Unknown are the titles of parts that are not known of both.
	Unknown []string `json:"unknown,omitempty"`
}

// Gain is how much longer transactions were in a part.
type Gain struct {
	Name  string  `json:"name"`
	Title string  `json:"title"`
	Time  float64 `json:"time_ns"` // for each transaction; negative if it is shorter
	// Low and High are the ends of the 95 % interval; absent with too few blocks.
	Low  *float64 `json:"low_ns,omitempty"`
	High *float64 `json:"high_ns,omitempty"`
}

// OfRecords diagnoses the cells that two records have in common, and says how environments of the same name
// differ. With one environment each, these are compared whatever their names.
func OfRecords(a, b *record.Record) (Overview, error) {
	o := Overview{Schema: Schema, Record: filepath.Base(a.Path), With: filepath.Base(b.Path), Cells: []CellOverview{}}
	first, err := OfRecord(a, "")
	if err != nil {
		return o, err
	}
	second, err := OfRecord(b, "")
	if err != nil {
		return o, err
	}
	for _, x := range first.Cells {
		at := slices.IndexFunc(second.Cells, func(c CellOverview) bool { return c.Cell == x.Cell })
		if at < 0 {
			continue
		}
		y := second.Cells[at]
		both := CellOverview{Cell: x.Cell, Environments: []Binding{}}
		for _, from := range x.Environments {
			at := slices.IndexFunc(y.Environments, func(b Binding) bool { return b.Environment == from.Environment })
			if at < 0 && len(x.Environments) == 1 && len(y.Environments) == 1 {
				at = 0
			}
			if at < 0 {
				continue
			}
			to := y.Environments[at]
			from.Environment, to.Environment = fmt.Sprintf("1: %s", from.Environment), fmt.Sprintf("2: %s", to.Environment)
			both.Environments = append(both.Environments, from, to)
			if d, known := apart(from, to); known {
				both.Differences = append(both.Differences, d)
			}
		}
		if len(both.Environments) > 0 {
			o.Cells = append(o.Cells, both)
		}
	}
	return o, nil
}

// between returns the difference of two environments over the blocks that both have.
func between(from, to Binding) (Difference, bool) {
	var a, b []share.Division
	for _, repeat := range slices.Sorted(maps.Keys(from.blocks)) {
		if y, has := to.blocks[repeat]; has {
			a, b = append(a, from.blocks[repeat]), append(b, y)
		}
	}
	return difference(from, to, a, b, func(a, b []float64) (*stats.Test, error) {
		more := make([]float64, len(a))
		for i := range a {
			more[i] = b[i] - a[i]
		}
		return stats.Paired(more, 1)
	})
}

// apart returns the difference of environments of two records, whose runs are not paired.
func apart(from, to Binding) (Difference, bool) {
	inOrder := func(blocks map[int]share.Division) (all []share.Division) {
		for _, repeat := range slices.Sorted(maps.Keys(blocks)) {
			all = append(all, blocks[repeat])
		}
		return all
	}
	return difference(from, to, inOrder(from.blocks), inOrder(to.blocks), func(a, b []float64) (*stats.Test, error) { return stats.Independent(a, b, 1) })
}

// difference compares the parts of two samples of divisions.
func difference(from, to Binding, a, b []share.Division, test func(a, b []float64) (*stats.Test, error)) (d Difference, known bool) {
	if len(a) == 0 || len(b) == 0 {
		return d, false
	}
	d = Difference{From: from.Environment, To: to.Environment, Blocks: min(len(a), len(b))}
	all := func(sample []share.Division, value func(share.Division) float64) (values []float64) {
		for _, s := range sample {
			values = append(values, value(s))
		}
		return values
	}
	response := func(s share.Division) float64 { return s.Response }
	d.Response = average(all(b, response)) - average(all(a, response))
	for _, title := range share.Titles() {
		part := func(s share.Division) float64 { return s.Part(title.Name).Time }
		x, y := all(a, part), all(b, part)
		if !slices.ContainsFunc(append(slices.Clone(x), y...), func(v float64) bool { return v != 0 }) {
			continue
		}
		if slices.ContainsFunc(slices.Concat(a, b), func(s share.Division) bool { return s.Lacks(title.Name) }) {
			d.Unknown = append(d.Unknown, title.Title)
			continue
		}
		g := Gain{Name: title.Name, Title: title.Title, Time: average(y) - average(x)}
		if t, err := test(x, y); err == nil {
			if low, high, ok := t.Interval(0.05); ok {
				g.Low, g.High = &low, &high
			}
		}
		d.Parts = append(d.Parts, g)
	}
	slices.SortStableFunc(d.Parts, func(a, b Gain) int { return cmp.Compare(math.Abs(b.Time), math.Abs(a.Time)) })
	return d, true
}
