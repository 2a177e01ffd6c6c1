package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// patience is the timeout of one round of questions, and of connecting.
	patience = 1800 * time.Millisecond

	// shortest and longest bound the delay after a failed attempt to connect. Where the
	// server does not answer, each attempt may leave a server process behind for a while,
	// so attempts become rarer.
	shortest = 900 * time.Millisecond
	longest  = 30 * time.Second
)

// server is the single connection of a lane, and the answers of this second.
type server struct {
	config  *pgconn.Config
	backend func(pid int) (time.Duration, bool)
	parts   []*part
	asked   []*statement // those of parts that this server can answer

	link *link // nil while there is no connection
	lost error // why there is none

	round     int    // number of rounds so far
	started   string // start time of the server last reached
	restarted bool   // it was restarted since the previous round
	user      string
	next      time.Time // when connecting may be retried
	wait      time.Duration

	spent   spending
	answers int // plinth's own transactions, over closed links
}

func newServer(o Options) *server {
	config := o.Config.Config.Copy()
	if o.Database != "" {
		config.Database = o.Database
	}
	config.RuntimeParams["application_name"] = "plinth"
	config.ConnectTimeout = patience
	return &server{
		config: config, backend: o.Backend, user: config.User,
		lost: errors.New("the server has not been reached yet"),
	}
}

// part returns a question as a source.
func (s *server) part(q question) *part {
	p := &part{question: q, server: s, asked: &statement{name: fmt.Sprintf("plinth_%d", len(s.parts))}}
	s.parts = append(s.parts, p)
	return p
}

// ask asks all questions; each part finds its answer, or the error.
func (s *server) ask(ctx context.Context) {
	s.round++
	s.restarted = false
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.reach(within); err != nil {
		for _, p := range s.parts { // this second stays unknown
			p.asked.answer.err = err
		}
		return
	}
	began := time.Now()
	err := s.link.ask(within, s.asked...)
	s.spent.round(max(0, time.Since(began)-s.link.trip))
	for _, statement := range s.asked {
		s.settle(statement)
	}
	s.spent.seen(s.used())
	if err != nil {
		s.lose(err)
	}
}

// settle simplifies the error of an answer.
func (s *server) settle(asked *statement) {
	var told *pgconn.PgError
	if errors.As(asked.answer.err, &told) && told.Code == stateGone {
		asked.prepared = false
	}
	asked.answer.err = plain(asked.answer.err, s.user)
}

// drop stops asking a question.
func (s *server) drop(asked *statement, why error) {
	s.asked = slices.DeleteFunc(s.asked, func(one *statement) bool { return one == asked })
	asked.answer.err = why
}

// used returns the CPU time of the server process; false where it is unknown.
func (s *server) used() (time.Duration, bool) {
	if s.backend == nil {
		return 0, false
	}
	return s.backend(s.link.pid)
}

// own returns how many of plinth's own transactions the server has committed.
func (s *server) own() int {
	if s.link == nil {
		return s.answers
	}
	return s.answers + s.link.answers
}

// lose drops the connection after an error.
func (s *server) lose(err error) {
	s.lost = plain(err, s.user)
	_ = s.link.conn.Close(context.Background()) // it is broken: nothing is sent
	s.answers += s.link.answers
	s.link = nil
	s.spent.over()
}

// close closes the connection, so that the server can be stopped.
func (s *server) close() {
	if s.link == nil {
		return
	}
	s.spent.seen(s.used())
	s.spent.over()
	within, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.link.conn.Close(within) // the server closes its end in any case
	s.link, s.lost = nil, errClosed
}

// Limits of plinth's own session. statementLimit is PostgreSQL's own timeout per statement;
// a lock that cannot be had quickly is not worth waiting for. A search path without the
// database's own schemas prevents user functions from shadowing those of the system. JIT
// compilation and parallel workers would cost the server more than they save here.
const (
	statementLimit = "1000" // ms
	lockLimit      = "100"  // ms
)

// limits are set for the session by ordinary statements: poolers and managed services
// refuse such settings as connection parameters.
var limits = settings(false,
	"statement_timeout", statementLimit, "lock_timeout", lockLimit, "default_transaction_read_only", "on",
	"search_path", "pg_catalog", "jit", "off", "max_parallel_workers_per_gather", "0")

// localLimits apply to one transaction.
var localLimits = settings(true, "statement_timeout", statementLimit, "lock_timeout", lockLimit,
	"search_path", "pg_catalog", "jit", "off", "max_parallel_workers_per_gather", "0")

func settings(local bool, pairs ...string) string {
	var set []string
	for i := 0; i < len(pairs); i += 2 {
		set = append(set, fmt.Sprintf("set_config('%s', '%s', %t)", pairs[i], pairs[i+1], local))
	}
	return "SELECT " + strings.Join(set, ", ")
}

// about returns what does not change about a server while connected. A process id other
// than the one from the protocol reveals a pooler.
const about = `SELECT pg_backend_pid(), extract(epoch FROM pg_postmaster_start_time())::text,
	current_setting('log_checkpoints'), current_setting('log_autovacuum_min_duration')`

// reach connects if there is no connection, at most about once a second.
func (s *server) reach(ctx context.Context) error {
	if s.link != nil {
		return nil
	}
	if time.Now().Before(s.next) {
		return s.lost
	}
	l, err := connect(ctx, s.config)
	s.later(errors.Is(err, context.DeadlineExceeded))
	if err != nil {
		s.lost = fmt.Errorf("cannot reach the server: %w", plain(err, s.user))
		return s.lost
	}
	s.restarted = s.started != "" && s.started != l.started
	s.link, s.started = l, l.started
	s.asked = nil // the statements depend on the server's version
	for _, p := range s.parts {
		p.asked.prepared = false
		p.asked.sql, p.asked.answer.err = p.sql(l.major)
		if p.asked.answer.err == nil {
			s.asked = append(s.asked, p.asked)
		}
	}
	s.spent.begin(s.used())
	return nil
}

// later sets when connecting may be retried.
func (s *server) later(silent bool) {
	if silent {
		s.wait = min(max(2*s.wait, shortest), longest)
	} else {
		s.wait = shortest
	}
	s.next = time.Now().Add(s.wait)
}

func connect(ctx context.Context, config *pgconn.Config) (*link, error) {
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	l := &link{conn: conn, user: config.User}
	if err := l.learn(ctx); err != nil {
		closing, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = conn.Close(closing)
		return nil, err
	}
	return l, nil
}

// learn queries the facts about the server, sets the session's limits, and measures the
// round trip time.
func (l *link) learn(ctx context.Context) error {
	result := l.conn.ExecParams(ctx, about, nil, nil, nil, nil).Read()
	if result.Err != nil {
		return result.Err
	}
	var t table
	for _, row := range result.Rows {
		t.add(row)
	}
	_, _ = fmt.Sscanf(l.conn.ParameterStatus("server_version"), "%d", &l.major)
	l.pid = int(t.number(0, 0))
	l.direct = l.pid == int(l.conn.PID())
	l.started = string(t.text(0, 1))
	l.logsCheckpoints = string(t.text(0, 2)) == "on"
	l.logsVacuums = string(t.text(0, 3)) == "0"
	if l.direct {
		if _, err := l.conn.Exec(ctx, limits).ReadAll(); err != nil {
			return err
		}
	}
	// The round trip time is the shortest of some empty queries: longer ones waited for a
	// CPU.
	for i := range 5 {
		began := time.Now()
		if _, err := l.conn.Exec(ctx, "").ReadAll(); err != nil {
			return err
		}
		if took := time.Since(began); i == 0 || took < l.trip {
			l.trip = took
		}
	}
	return nil
}
