package runpage

import (
	"math"
	"slices"
	"strings"

	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// window holds the points of a run's measured window, without the warm-up.
type window struct {
	seconds []float64 // 0, 1, 2 ...
	columns map[string][]float64
}

// farthest is the limit for a plausible second; a file of points cannot hold more.
const farthest = 1_000_000

// newWindow selects the seconds of the window from points.
func newWindow(points record.Points) window {
	w := window{columns: map[string][]float64{}}
	at := slices.IndexFunc(points.Columns, func(c record.Column) bool { return c.Name == "second" })
	if at < 0 {
		return w
	}
	var rows []int
	for i, second := range points.Columns[at].Values {
		if second >= 0 && second < farthest {
			rows = append(rows, i)
			w.seconds = append(w.seconds, second)
		}
	}
	for _, c := range points.Columns {
		values := make([]float64, len(rows))
		for i, row := range rows {
			values[i] = c.Values[row]
		}
		w.columns[c.Name] = values
	}
	return w
}

// has reports whether a column has any known value.
func (w window) has(column string) bool { return slices.ContainsFunc(w.columns[column], phrase.Known) }

// sum adds up the known values of a column, and counts them.
func (w window) sum(column string) (sum float64, seconds int) {
	for _, v := range w.columns[column] {
		if phrase.Known(v) {
			sum += v
			seconds++
		}
	}
	return sum, seconds
}

// mean returns the mean of a column's known values from row to row; NaN without any.
func (w window) mean(column string, from, to int) float64 {
	sum, n := 0.0, 0
	for _, v := range w.part(column, from, to) {
		if phrase.Known(v) {
			sum += v
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// part returns a column from row to row; empty if the column does not exist.
func (w window) part(column string, from, to int) []float64 {
	values := w.columns[column]
	return values[min(from, len(values)):min(to, len(values))]
}

// observed reports whether any column comes from a source other than the load generator.
func (w window) observed() bool {
	for name := range w.columns {
		if strings.Contains(name, ".") && !strings.HasPrefix(name, "script.") && w.has(name) {
			return true
		}
	}
	return false
}
