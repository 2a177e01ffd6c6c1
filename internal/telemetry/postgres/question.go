package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// question is a statement that is asked once a second, and the handling of its answer.
type question interface {
	// name returns the name of the source: the view, if there is just one.
	name() string

	metrics() []metric.Metric

	// sql returns the statement for servers of a major version; an error is the reason why
	// they cannot answer. Its first column changes when the server's counters are reset.
	sql(major int) (string, error)

	// put puts an answer on the board.
	put(b *telemetry.Board, a *answer) error
}

// drained is a question that also has marks from another place, answered or not.
type drained interface{ drain(b *telemetry.Board) }

// dropped is the reason why a question is no longer asked.
type dropped struct{ error }

// Prefixes of the metrics' documentation.
const (
	statisticsDoc = "PostgreSQL, The Cumulative Statistics System, "
	functionsDoc  = "PostgreSQL, System Administration Functions, "
	viewsDoc      = "PostgreSQL, System Views, "
)

// reset returns an SQL expression that changes when statistics are reset.
func reset(column string) string { return "extract(epoch FROM " + column + ")::text" }

// cameWith returns the reason why an older server lacks something.
func cameWith(what string, major, with int) error {
	return fmt.Errorf("PostgreSQL %d has no %s: added in PostgreSQL %d", major, what, with)
}

// part is one question as a source.
type part struct {
	question
	server *server
	asked  *statement
	round  int // of the last answer taken

	known bool   // whether since is known
	since string // when the counters were reset
}

// Name returns that of the question.
func (p *part) Name() string { return p.name() }

// Metrics returns those of the question.
func (p *part) Metrics() []metric.Metric { return p.metrics() }

// Read takes the answer of this second; the first part to be read asks for all.
func (p *part) Read(ctx context.Context, b *telemetry.Board) error {
	if p.round == p.server.round {
		p.server.ask(ctx)
	}
	p.round = p.server.round
	if d, ok := p.question.(drained); ok {
		d.drain(b)
	}
	a := &p.asked.answer
	if a.err != nil {
		return a.err
	}
	b.At(a.at)
	if p.server.restarted {
		b.Anew("the server was restarted")
	}
	if a.rows.count() > 0 {
		since := string(a.rows.text(0, 0))
		if p.known && since != p.since && !p.server.restarted {
			b.Anew("its statistics were reset")
		}
		p.known, p.since = true, since
	}
	err := p.put(b, a)
	if errors.As(err, &dropped{}) {
		p.server.drop(p.asked, err)
	}
	return err
}

// Close closes the server's connection; each part may do so.
func (p *part) Close() { p.server.close() }

// answer is the result of a statement.
type answer struct {
	server *link
	rows   table
	at     time.Time // when the values were current, by plinth's clock
	err    error
}

// table holds rows of text, in memory that the next answer reuses.
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

// add copies a row: the connection owns the values.
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

// text returns one value, empty if it is null.
func (t *table) text(row, column int) []byte {
	c := t.cells[row*t.width+column]
	return t.bytes[c.from:c.to]
}

// number returns one value, NaN if it is null or not a number.
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

// integer parses the most common case, without allocating.
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
