package postgres

import (
	"context"
	"errors"
	"fmt"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// question is a statement that is asked once a second, and what becomes of its
// answer.
type question interface {
	// name is that of the source: the view, where it is only one.
	name() string

	metrics() []metric.Metric

	// sql is the statement for servers of a major version; an error says why they
	// cannot answer. Its first column changes when the server's counters begin anew.
	sql(major int) (string, error)

	// put puts an answer on the board.
	put(b *telemetry.Board, a *answer) error
}

// drained is a question that also has marks from elsewhere, answered or not.
type drained interface{ drain(b *telemetry.Board) }

// dropped is why a question is not asked any more.
type dropped struct{ error }

// Where the metrics are documented.
const (
	statisticsDoc = "PostgreSQL, The Cumulative Statistics System, "
	functionsDoc  = "PostgreSQL, System Administration Functions, "
	viewsDoc      = "PostgreSQL, System Views, "
)

// reset is an SQL expression that changes when statistics are reset.
func reset(column string) string { return "extract(epoch FROM " + column + ")::text" }

// cameWith is why an older server tells nothing.
func cameWith(what string, major, with int) error {
	return fmt.Errorf("PostgreSQL %d has no %s: it came with %d", major, what, with)
}

// part is one question as a source.
type part struct {
	question
	server *server
	asked  *statement
	round  int // the last one whose answer was taken

	known bool   // whether since is
	since string // when the counters began
}

// Name is that of the question.
func (p *part) Name() string { return p.name() }

// Metrics are those of the question.
func (p *part) Metrics() []metric.Metric { return p.metrics() }

// Read takes the answer of this second; the first part of a second asks for all.
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
	p.notice(b, a)
	err := p.put(b, a)
	if errors.As(err, &dropped{}) {
		p.server.drop(p.asked, err)
	}
	return err
}

// notice says so when statistics were reset.
func (p *part) notice(b *telemetry.Board, a *answer) {
	if a.rows.count() == 0 {
		return
	}
	since := string(a.rows.text(0, 0))
	if p.known && since != p.since && !p.server.restarted {
		b.Anew("its statistics were reset")
	}
	p.known, p.since = true, since
}

// Close lets go of the connection; each part may do so.
func (p *part) Close() { p.server.close() }
