package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
		s.fail(err)
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
	if sqlState(asked.answer.err) == stateGone {
		asked.prepared = false
	}
	asked.answer.err = plain(asked.answer.err, s.user)
}

// drop asks a question no more.
func (s *server) drop(asked *statement, why error) {
	s.asked = slices.DeleteFunc(s.asked, func(one *statement) bool { return one == asked })
	asked.answer.err = why
}

// fail says that nothing is known in this second.
func (s *server) fail(err error) {
	for _, p := range s.parts {
		p.asked.answer.err = err
	}
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
