package postgres

import (
	"math"
	"strconv"
	"time"
)

// answer is what came of a statement.
type answer struct {
	server *link
	rows   table
	at     time.Time // when it was so, by plinth's clock
	err    error
}

// table is rows of text, in memory that the next answer uses again.
type table struct {
	cells []cell
	bytes []byte
	width int
}

type cell struct {
	from, to int
	null     bool
}

func (t *table) clear() { t.cells, t.bytes, t.width = t.cells[:0], t.bytes[:0], 0 }

// add copies a row: the values are the connection's.
func (t *table) add(values [][]byte) {
	t.width = len(values)
	for _, v := range values {
		from := len(t.bytes)
		t.bytes = append(t.bytes, v...)
		t.cells = append(t.cells, cell{from, len(t.bytes), v == nil})
	}
}

func (t *table) count() int {
	if t.width == 0 {
		return 0
	}
	return len(t.cells) / t.width
}

// text is one value, empty where it is null.
func (t *table) text(row, column int) []byte {
	c := t.cells[row*t.width+column]
	return t.bytes[c.from:c.to]
}

// number is one value, NaN where it is null or none.
func (t *table) number(row, column int) float64 {
	c := t.cells[row*t.width+column]
	if c.null {
		return math.NaN()
	}
	text := t.bytes[c.from:c.to]
	if n, whole := integer(text); whole {
		return n
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// integer reads what most values are, without garbage.
func integer(text []byte) (n float64, whole bool) {
	if len(text) == 0 || len(text) > 15 {
		return 0, false
	}
	var sum int64
	for _, digit := range text {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		sum = sum*10 + int64(digit-'0')
	}
	return float64(sum), true
}
