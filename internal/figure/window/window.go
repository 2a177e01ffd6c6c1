// Package window reads columns of the measured window of a run: means, extremes and shares, each with
// the reason if too few seconds are known.
package window

import (
	"math"
	"slices"
	"strings"

	"plinth/internal/record"
)

// enough is the share of the window's seconds that must be known: what is made of
// fewer is no figure of the window.
const enough = 0.5

// Window is the measured part of the points.
type Window struct {
	Run     *record.Run
	Seconds []float64            // from 0 on
	Columns map[string][]float64 // a value for each of seconds; NaN is a gap
}

// New returns the window of a run with its points: the seconds from 0 on.
func New(run *record.Run, points record.Points) *Window {
	w := &Window{Run: run, Columns: map[string][]float64{}}
	first := slices.IndexFunc(points.Columns, func(c record.Column) bool { return c.Name == "second" })
	if first < 0 {
		return w
	}
	var rows []int
	for i, second := range points.Columns[first].Values {
		if second >= 0 && !math.IsInf(second, 0) {
			rows = append(rows, i)
			w.Seconds = append(w.Seconds, second)
		}
	}
	for _, c := range points.Columns {
		w.Columns[c.Name] = pick(c.Values, rows)
	}
	return w
}

// pick returns the values of some rows, which must not be modified; a column that ends early has gaps there.
func pick(values []float64, rows []int) []float64 {
	if n := len(rows); n > 0 && rows[n-1]-rows[0] == n-1 && rows[n-1] < len(values) {
		// Usually the rows follow each other: points of an hour in a thousand columns are not copied.
		if part := values[rows[0] : rows[n-1]+1 : rows[n-1]+1]; !slices.ContainsFunc(part, infinite) {
			return part
		}
	}
	picked := make([]float64, len(rows))
	for i, row := range rows {
		picked[i] = math.NaN()
		if row < len(values) && !infinite(values[row]) {
			picked[i] = values[row]
		}
	}
	return picked
}

func infinite(v float64) bool { return math.IsInf(v, 0) }

// At returns the value of a column in the i-th second; NaN where it is not known.
func (w *Window) At(column string, i int) float64 {
	if values := w.Columns[column]; values != nil {
		return values[i]
	}
	return math.NaN()
}

// Sum returns the sum of columns in the i-th second; NaN where one is not known.
func (w *Window) Sum(columns []string, i int) (sum float64) {
	for _, column := range columns {
		sum += w.At(column, i)
	}
	return sum
}

// Known returns the indexes of the seconds for which all of the columns have a value, and why these
// are too few; "" if they are not.
func (w *Window) Known(columns ...string) (rows []int, why string) {
	for i := range w.Seconds {
		if !math.IsNaN(w.Sum(columns, i)) {
			rows = append(rows, i)
		}
	}
	return rows, w.TooFew(len(rows), columns)
}

// TooFew returns why that many known seconds do not describe the window; "" if they do.
func (w *Window) TooFew(known int, columns []string) string {
	if known > 0 && float64(known) >= enough*float64(len(w.Seconds)) {
		return ""
	}
	return w.why(known, columns)
}

// ColumnsLike returns the columns whose names begin and end so, with a label between.
func (w *Window) ColumnsLike(begins, ends string) (names []string) {
	for name := range w.Columns {
		label, is := strings.CutPrefix(name, begins)
		label, isToo := strings.CutSuffix(label, ends)
		if is && isToo && label != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
