package figure

import (
	"math"
	"slices"
	"strings"

	"plinth/internal/record"
)

// enough is the share of the window's seconds that must be known: what is made of
// fewer is no figure of the window.
const enough = 0.5

// window is the measured part of the points.
type window struct {
	run     *record.Run
	seconds []float64            // from 0 on
	columns map[string][]float64 // a value for each of seconds; NaN is a gap
}

func newWindow(run *record.Run, points record.Points) *window {
	w := &window{run: run, columns: map[string][]float64{}}
	first := slices.IndexFunc(points.Columns, func(c record.Column) bool { return c.Name == "second" })
	if first < 0 {
		return w
	}
	var rows []int
	for i, second := range points.Columns[first].Values {
		if second >= 0 && !math.IsInf(second, 0) {
			rows = append(rows, i)
			w.seconds = append(w.seconds, second)
		}
	}
	for _, c := range points.Columns {
		w.columns[c.Name] = pick(c.Values, rows)
	}
	return w
}

// pick is the values of some rows; a column that ends early has gaps there.
func pick(values []float64, rows []int) []float64 {
	picked := make([]float64, len(rows))
	for i, row := range rows {
		picked[i] = math.NaN()
		if row < len(values) && !math.IsInf(values[row], 0) {
			picked[i] = values[row]
		}
	}
	return picked
}

// at is the value of a column in the i-th second; NaN where it is not known.
func (w *window) at(column string, i int) float64 {
	if values := w.columns[column]; values != nil {
		return values[i]
	}
	return math.NaN()
}

// sum is that of columns in the i-th second; NaN where one is not known.
func (w *window) sum(columns []string, i int) (sum float64) {
	for _, column := range columns {
		sum += w.at(column, i)
	}
	return sum
}

// known is the seconds, by their index, for which all of the columns have a value,
// or why they are too few.
func (w *window) known(columns ...string) (rows []int, why string) {
	for i := range w.seconds {
		if !math.IsNaN(w.sum(columns, i)) {
			rows = append(rows, i)
		}
	}
	return rows, w.tooFew(len(rows), columns)
}

// tooFew is why so many known seconds do not tell of the window; "" where they do.
func (w *window) tooFew(known int, columns []string) string {
	if known > 0 && float64(known) >= enough*float64(len(w.seconds)) {
		return ""
	}
	return w.why(known, columns)
}

// columnsLike are the columns whose names begin and end so, with one label between.
func (w *window) columnsLike(begins, ends string) (names []string) {
	for name := range w.columns {
		label, is := strings.CutPrefix(name, begins)
		label, isToo := strings.CutSuffix(label, ends)
		if is && isToo && label != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
