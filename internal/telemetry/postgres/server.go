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
	// patience is how long one round of questions may take, and how long connecting.
	patience = 1800 * time.Millisecond

	// shortest and longest are how long after a failed attempt the next one comes.
	// Where the server does not answer, each attempt may leave a process of it behind
	// for a while, so they become fewer.
	shortest = 900 * time.Millisecond
	longest  = 30 * time.Second
)

// server is the one connection of a lane, and the answers of this second.
type server struct {
	config  *pgconn.Config
	backend func(pid int) (time.Duration, bool)
	parts   []*part
	asked   []*statement // those of parts that this server can answer

	link *link // nil while there is none
	lost error // why there is none

	round     int    // how often was asked
	started   string // when the server was, that was reached last
	restarted bool   // it is another one than in the round before
	user      string
	next      time.Time // when connecting may be tried again
	wait      time.Duration

	spent   spending
	answers int // transactions of plinth's own, over links that are gone
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
		lost: errors.New("it has not been reached yet"),
	}
}

// part makes a source of a question.
func (s *server) part(q question) *part {
	p := &part{question: q, server: s, asked: &statement{name: fmt.Sprintf("plinth_%d", len(s.parts))}}
	s.parts = append(s.parts, p)
	return p
}

// ask asks all questions; each part finds its answer, or why there is none.
func (s *server) ask(ctx context.Context) {
	s.round++
	s.restarted = false
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.reach(within); err != nil {
		for _, p := range s.parts { // nothing is known in this second
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

// settle says an error in plain words.
func (s *server) settle(asked *statement) {
	var told *pgconn.PgError
	if errors.As(asked.answer.err, &told) && told.Code == stateGone {
		asked.prepared = false
	}
	asked.answer.err = plain(asked.answer.err, s.user)
}

// drop asks a question no more.
func (s *server) drop(asked *statement, why error) {
	s.asked = slices.DeleteFunc(s.asked, func(one *statement) bool { return one == asked })
	asked.answer.err = why
}

// used is the CPU time of the server's process, false where it is not known.
func (s *server) used() (time.Duration, bool) {
	if s.backend == nil {
		return 0, false
	}
	return s.backend(s.link.pid)
}

// own is how many transactions of plinth's own the server has committed.
func (s *server) own() int {
	if s.link == nil {
		return s.answers
	}
	return s.answers + s.link.answers
}

// lose gives the connection up.
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

// Limits of plinth's own session. The first is PostgreSQL's own limit for each
// statement; a lock that is not to be had quickly is not worth waiting for. A
// search path without the database's own schemas leaves no room for functions that
// only look like the system's. Compiling and parallel workers would cost the server
// more than they save here.
const (
	statementLimit = "1000" // ms
	lockLimit      = "100"  // ms
)

// limits are set for the session by plain statements: poolers and managed services
// refuse such things when they come with the connection.
var limits = settings(false,
	"statement_timeout", statementLimit, "lock_timeout", lockLimit, "default_transaction_read_only", "on",
	"search_path", "pg_catalog", "jit", "off", "max_parallel_workers_per_gather", "0")

// localLimits hold for one transaction.
var localLimits = settings(true, "statement_timeout", statementLimit, "lock_timeout", lockLimit,
	"search_path", "pg_catalog", "jit", "off", "max_parallel_workers_per_gather", "0")

func settings(local bool, pairs ...string) string {
	var set []string
	for i := 0; i < len(pairs); i += 2 {
		set = append(set, fmt.Sprintf("set_config('%s', '%s', %t)", pairs[i], pairs[i+1], local))
	}
	return "SELECT " + strings.Join(set, ", ")
}

// about tells of a server what does not change while it is reached. That the
// process's number is not the one that the protocol told shows a pooler.
const about = `SELECT pg_backend_pid(), extract(epoch FROM pg_postmaster_start_time())::text,
	current_setting('log_checkpoints'), current_setting('log_autovacuum_min_duration')`

// reach connects where there is no connection, at most once a second.
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
	s.asked = nil // the statements are those of the server that was reached
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

// later says when connecting may be tried again.
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

// learn asks what the server is, sets the session's limits, and finds the time of the
// way.
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
	// The time of the way is that of the shortest of some empty questions, because
	// others wait for a CPU.
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
