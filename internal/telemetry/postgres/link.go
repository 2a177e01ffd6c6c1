package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// link is a connection to a server, with facts about that server.
type link struct {
	conn    *pgconn.PgConn
	major   int
	user    string        // the role that plinth uses
	pid     int           // of the server process
	started string        // when the server was started
	direct  bool          // no pooler in between
	trip    time.Duration // round trip time of an empty query
	answers int           // plinth's own committed transactions

	logsCheckpoints, logsVacuums bool // to its own log
}

// statement is asked repeatedly over one connection.
type statement struct {
	name     string
	sql      string
	prepared bool // on the current connection
	answer   answer
}

// ask sends all statements together and reads their answers as they arrive. Each is a
// separate transaction. An error is that of the connection: earlier answers are valid.
//
// Statements are prepared when first asked, in the same round trip, which saves the server
// parsing and planning each second. A pooler may pass each transaction to another server
// process, so there nothing may remain in a session: neither statements nor timeouts.
func (l *link) ask(ctx context.Context, statements ...*statement) error {
	p := l.conn.StartPipeline(ctx)
	for _, s := range statements {
		l.send(p, s)
		p.SendPipelineSync()
	}
	asked := time.Now()
	err := p.Flush()
	for _, s := range statements {
		if err == nil {
			err = s.receive(p)
		}
		now := time.Now()
		s.answer.server = l
		s.answer.at = asked.Add(now.Sub(asked) / 2)
		if err != nil {
			s.answer.err = err
		}
		if s.answer.err == nil {
			l.answers++
		}
		asked = now
	}
	if closed := p.Close(); err == nil && l.conn.IsClosed() {
		err = closed
	}
	return err
}

func (l *link) send(p *pgconn.Pipeline, s *statement) {
	switch {
	case !l.direct:
		p.SendQueryParams(localLimits, nil, nil, nil, nil)
		p.SendQueryParams(s.sql, nil, nil, nil, nil)
		return
	case !s.prepared:
		p.SendPrepare(s.name, s.sql, nil)
	}
	p.SendQueryPrepared(s.name, nil, nil, nil)
}

// receive reads up to the end of the statement's transaction.
func (s *statement) receive(p *pgconn.Pipeline) error {
	s.answer.err = nil
	for {
		result, err := p.GetResults()
		if err == nil {
			var done bool
			if done, err = s.take(result); done {
				return err
			}
		}
		var told *pgconn.PgError
		switch {
		case err == nil:
		case !errors.As(err, &told), told.Severity == "FATAL", told.Severity == "PANIC":
			return err
		default: // an error of the statement; the end of its transaction follows
			s.answer.err = err
		}
	}
}

// take reads one result; done is true at the end of a transaction.
func (s *statement) take(result any) (done bool, err error) {
	switch r := result.(type) {
	case *pgconn.StatementDescription:
		s.prepared = true
	case *pgconn.ResultReader:
		s.answer.rows.clear()
		for r.NextRow() {
			s.answer.rows.add(r.Values())
		}
		_, err = r.Close()
	case *pgconn.PipelineSync:
		return true, nil
	default:
		return true, errClosed
	}
	return false, err
}

var errClosed = errors.New("the server closed the connection")

// Error codes that are handled here.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	stateDenied = "42501" // insufficient_privilege
	stateGone   = "26000" // invalid_sql_statement_name: the prepared statement does not exist
)

// plain shortens an error to the server's message or the network error. Neither holds a
// password. The client library's text would name the user, all addresses and more.
func plain(err error, user string) error {
	var server *pgconn.PgError
	var network *net.OpError
	var name *net.DNSError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &server) && server.Code == stateDenied:
		return fmt.Errorf("%s: to allow it, run GRANT pg_monitor TO %s", server.Message, user)
	case errors.As(err, &server):
		return fmt.Errorf("%s: %s", server.Severity, server.Message)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the server did not answer within %v", patience)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return errClosed
	case errors.As(err, &name):
		return name
	case errors.As(err, &network):
		return network.Err
	}
	return err
}
