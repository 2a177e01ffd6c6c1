package table

import "plinth/internal/capture"

// Moments is a table whose rows are found by their time.
type Moments struct {
	*Table
	rows   map[Stamp]int
	covers map[int64]bool
}

// NewMoments returns an empty table.
func NewMoments(source string) *Moments {
	return &Moments{Table: New(source), rows: map[Stamp]int{}, covers: map[int64]bool{}}
}

// Row returns the row for a line with the given plan, which covers so many seconds; 0 for unknown. A
// second line with the same plan and time is of another row.
func (m *Moments) Row(p *Plan, at capture.Moment, covers int64) int {
	stamp := Stamp{Seconds: int(at.Time.Unix())}
	if p.Rows > 0 && p.Stamp.Seconds == stamp.Seconds {
		stamp.Repeat = p.Stamp.Repeat + 1
	}
	p.Stamp = stamp
	if len(m.covers) < 2 {
		m.covers[covers] = true
	}
	row, ok := m.rows[stamp]
	if !ok {
		row = m.AddRow(at)
		m.rows[stamp] = row
	}
	return row
}

// Interval returns how many seconds each row covers; 0 if they differ or that is unknown.
func (m *Moments) Interval() float64 {
	if len(m.covers) == 1 {
		for seconds := range m.covers {
			return float64(seconds)
		}
	}
	return 0
}
