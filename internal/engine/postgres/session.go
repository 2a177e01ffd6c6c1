package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
)

// session is plinth's own connection to a server: one at a time, to the database used last, to
// take as few connections as possible from the load.
type session struct {
	config *pgx.ConnConfig // to the database from which plinth's own is created
	conn   *pgx.Conn

	// lost is why a connection ended that plinth had not closed: the server went down, even if it
	// is up again.
	lost error
}

// timeouts are the settings that would end a session or its work.
var timeouts = []string{"statement_timeout", "lock_timeout", "idle_session_timeout", "transaction_timeout"}

const unlimited = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name = ANY ($1)`

// use calls work with a connection to a database; "" is that of the configuration. The error is
// in the server's words.
func (s *session) use(ctx context.Context, database string, work func(*pgx.Conn) error) error {
	if err := s.open(ctx, database); err != nil {
		return client.Plain(err)
	}
	err := work(s.conn)
	if s.conn.IsClosed() {
		s.conn = nil
		if ctx.Err() == nil { // else plinth itself has cancelled it
			s.lost = client.Plain(err)
		}
	}
	return client.Plain(err)
}

func (s *session) exec(ctx context.Context, database, sql string) error {
	return s.use(ctx, database, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql)
		return err
	})
}

func (s *session) open(ctx context.Context, database string) error {
	if database == "" {
		database = s.config.Database
	}
	if s.conn != nil && s.conn.Config().Database == database {
		return nil
	}
	s.close()
	conn, err := s.connect(ctx, database)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, unlimited, timeouts); err != nil {
		_ = conn.Close(ctx)
		return err
	}
	s.conn = conn
	return nil
}

// startingLimit is how long to wait for a server that is still starting, or recovering after a
// crash.
const startingLimit = 30 * time.Second

func (s *session) connect(ctx context.Context, database string) (conn *pgx.Conn, err error) {
	config := s.config.Copy()
	config.Database = database
	_ = life.Poll(ctx, startingLimit, func() bool { // err says more
		conn, err = pgx.ConnectConfig(ctx, config)
		return client.State(err) != client.StateNotYet
	})
	return conn, err
}

// close closes the connection, so that a database can be dropped or a server stopped.
func (s *session) close() {
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx) // the server closes its end in any case
	s.conn = nil
}
