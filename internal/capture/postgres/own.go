package postgres

import (
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// ownColumn is a column whose name is that of the script.
type ownColumn struct {
	name        string
	at          int // its place
	rows        int
	first, last string
	before      string // the last before the last row
	moment      capture.Moment
	values      []float64 // the first ones, for a comparison
}

const maxOwnValues = 100_000

func (c *ownColumn) take(cell string, at capture.Moment) {
	if c.rows == 0 {
		c.first = cell
	}
	c.rows++
	c.before, c.last, c.moment = c.last, cell, at
	if value, ok := number(cell); ok && len(c.values) < maxOwnValues && len(c.values) == c.rows-1 {
		c.values = append(c.values, value)
	}
}

func (c *ownColumn) drop() {
	c.rows--
	c.last = c.before
	c.values = c.values[:min(len(c.values), c.rows)]
}

// describe returns the first and the last value of each column, and a note.
func describe(own []*ownColumn) ([]capture.Fact, []record.Note) {
	var facts []capture.Fact
	var names []string
	for _, column := range own {
		if column.rows == 0 {
			continue
		}
		if len(facts) < maxColumns {
			names = append(names, column.name)
			facts = append(facts, capture.Fact{
				Source: "csv", Name: "csv." + column.name, At: column.moment,
				Value: "first " + column.first + ", last " + column.last + " of " + strconv.Itoa(column.rows) + " rows",
			})
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	const shown = 10
	list := strings.Join(names[:min(len(names), shown)], ", ")
	if len(names) > shown {
		list += ", ..."
	}
	return facts, []record.Note{note(capture.Unclear, "%s: no columns of PostgreSQL have these names, so what they count is unknown", list)}
}
