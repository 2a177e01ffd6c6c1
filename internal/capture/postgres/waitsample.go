package postgres

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"plinth/internal/capture"
)

// limit returns how many events a sample lists at most, if the query seems to have a LIMIT: at least two
// samples have that many, none more, and it is a multiple of 5. It is 0 otherwise.
func (w *waits) limit() int {
	most, times := 0, 0
	for _, n := range w.full {
		if n > most {
			most, times = n, 0
		}
		if n == most {
			times++
		}
	}
	if most > 0 && most%5 == 0 && times > 1 {
		return most
	}
	return 0
}

// fill sets the events that a sample does not list to 0: no session was in them. In a sample that the
// query may have cut off, that is not even an empty table, or within which the text may end, they are
// unknown.
func (w *waits) fill(series []capture.Series) {
	limit := w.limit()
	for _, s := range series {
		for _, column := range s.Columns {
			for i, value := range column.Values {
				complete := w.full[i] > 0 && i+1 < w.samples || w.blank[i]
				if math.IsNaN(value) && complete && (limit == 0 || w.full[i] < limit) {
					column.Values[i] = 0
				}
			}
		}
	}
}

// facts returns the sums in descending order.
func (w *waits) facts() []capture.Fact {
	slices.SortStableFunc(w.names, func(a, b string) int { return cmp.Compare(w.sums[b], w.sums[a]) })
	var facts []capture.Fact
	for _, name := range w.names {
		if sum := w.sums[name]; sum > 0 {
			facts = append(facts, capture.Fact{Source: "pg_stat_activity", Name: name, Value: strconv.FormatFloat(sum, 'f', -1, 64)})
		}
	}
	return facts
}
