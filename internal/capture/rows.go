package capture

import (
	"fmt"
	"math"

	"plinth/internal/record"
)

// Limits of Rows: 32 MiB of values.
const (
	maxCells   = 4 << 20
	maxColumns = 2000
)

// Rows collects the readings of a table over time in bounded memory.
type Rows struct {
	columns []record.Column
	index   map[string]int
	times   []Moment
	rows    int
	timed   int // rows that have a time
	left    int // rows that were left out
	dropped map[string]bool
}

// Add adds a row without values, read at that moment.
func (r *Rows) Add(at Moment) {
	if r.left > 0 || (r.rows+1)*max(len(r.columns), 16) > maxCells {
		r.left++
		return
	}
	if r.rows > 0 {
		at = r.times[r.rows-1].After(at)
	}
	r.rows++
	r.times = append(r.times, at)
	if at.Clock != NoClock {
		r.timed++
	}
	for i := range r.columns {
		r.columns[i].Values = append(r.columns[i].Values, math.NaN())
	}
}

// Set sets a value of the last row.
func (r *Rows) Set(column string, value float64) {
	if r.rows == 0 || r.left > 0 {
		return
	}
	i, known := r.index[column]
	if !known {
		if len(r.columns) == maxColumns || (len(r.columns)+1)*r.rows > maxCells {
			r.drop(column)
			return
		}
		if r.index == nil {
			r.index = map[string]int{}
		}
		i = len(r.columns)
		r.index[column] = i
		values := make([]float64, r.rows)
		for row := range values {
			values[row] = math.NaN()
		}
		r.columns = append(r.columns, record.Column{Name: column, Values: values})
	}
	r.columns[i].Values[r.rows-1] = value
}

func (r *Rows) drop(column string) {
	if r.dropped == nil {
		r.dropped = map[string]bool{}
	}
	if len(r.dropped) < maxColumns {
		r.dropped[column] = true
	}
}

// DropLast drops the last row.
func (r *Rows) DropLast() {
	switch {
	case r.left > 0:
		r.left--
	case r.rows > 0:
		r.rows--
		if r.times[r.rows].Clock != NoClock {
			r.timed--
		}
		r.times = r.times[:r.rows]
		for i := range r.columns {
			r.columns[i].Values = r.columns[i].Values[:r.rows]
		}
	}
}

// Len returns the number of rows.
func (r *Rows) Len() int { return r.rows }

// Times returns the moments of the rows.
func (r *Rows) Times() []Moment { return r.times }

// Last returns the moment of the last row.
func (r *Rows) Last() Moment {
	if r.rows == 0 {
		return Moment{}
	}
	return r.times[r.rows-1]
}

// Series returns the table, without times unless each row has one. An interval of 0 becomes the distance
// of the rows if it is the same for all of them.
func (r *Rows) Series(source string, interval float64) []Series {
	if r.rows == 0 || len(r.columns) == 0 {
		return nil
	}
	series := Series{Source: source, Columns: r.columns, Interval: interval}
	if r.timed == r.rows {
		series.Times = r.times
		if interval == 0 {
			series.Interval = r.distance()
		}
	}
	return []Series{series}
}

func (r *Rows) distance() float64 {
	if r.rows < 2 {
		return 0
	}
	distance := r.times[1].Time.Sub(r.times[0].Time)
	for i := 2; i < r.rows; i++ {
		if r.times[i].Time.Sub(r.times[i-1].Time) != distance {
			return 0
		}
	}
	return max(distance.Seconds(), 0)
}

// Notes says what was left out because the table is too large.
func (r *Rows) Notes() []record.Note {
	var notes []record.Note
	if r.left > 0 {
		notes = append(notes, record.Note{Rule: LeftOut, Text: fmt.Sprintf("the last %d rows were left out: a table has at most %d values", r.left, maxCells)})
	}
	if len(r.dropped) > 0 {
		notes = append(notes, record.Note{Rule: LeftOut, Text: fmt.Sprintf("%d columns were left out: a table has at most %d", len(r.dropped), maxColumns)})
	}
	return notes
}
