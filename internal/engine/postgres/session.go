package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/conninfo"
	"plinth/internal/engine/life"
)

// session is plinth's own connection to a server: one at a time, to the database
// that was asked for last, so that as few connections as possible are taken from
// the load.
type session struct {
	config *pgx.ConnConfig // to the database from which plinth's own is made
	conn   *pgx.Conn

	// lost is why a connection ended that plinth had not closed: the server went
	// down, even if it is up again.
	lost error
}

// pgxKeywords are libpq's keywords that pgx knows, too. It would send others to
// the server as settings.
var pgxKeywords = []string{
	"host", "port", "dbname", "user", "password", "passfile", "connect_timeout", "sslmode", "sslkey",
	"sslcert", "sslcertmode", "sslrootcert", "sslnegotiation", "sslpassword", "sslsni", "krbsrvname",
	"target_session_attrs", "service", "channel_binding", "require_auth", "options", "application_name",
}

// connectConfig makes a configuration of pgx from a connection string, with
// libpq's defaults from the environment and its files.
func connectConfig(c conninfo.Parameters) (*pgx.ConnConfig, error) {
	var known conninfo.Parameters
	for _, k := range c {
		if slices.Contains(pgxKeywords, k.Name) {
			known = append(known, k)
		}
	}
	config, err := pgx.ParseConfig(known.String())
	if err != nil {
		// pgx's own text quotes the connection string.
		if cause := errors.Unwrap(err); cause != nil {
			return nil, fmt.Errorf("cannot read the connection string: %w", cause)
		}
		return nil, errors.New("cannot read the connection string")
	}
	if address := c.Get("hostaddr"); address != "" {
		// libpq goes there in any case, even where the host is a socket's directory.
		if strings.HasPrefix(config.Host, "/") {
			return connectConfig(c.With("host", address))
		}
		config.LookupFunc = func(context.Context, string) ([]string, error) { return []string{address}, nil }
	}
	config.RuntimeParams = maps.Clone(config.RuntimeParams)
	config.RuntimeParams["application_name"] = "plinth"
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 15 * time.Second
	}
	// A session may be idle as long as a run takes; what lies between must not
	// forget it.
	dialer := net.Dialer{KeepAlive: 20 * time.Second}
	config.DialFunc = dialer.DialContext
	// Nothing is prepared: tables are dropped and made again under the session.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return config, nil
}

// timeouts are the settings that would end a session or its work.
var timeouts = []string{"statement_timeout", "lock_timeout", "idle_session_timeout", "transaction_timeout"}

const unlimited = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name = ANY ($1)`

// use lets work use a connection to a database; "" is the one of the
// configuration. The error is in the server's words.
func (s *session) use(ctx context.Context, database string, work func(*pgx.Conn) error) error {
	if err := s.open(ctx, database); err != nil {
		return plain(err)
	}
	err := work(s.conn)
	if s.conn.IsClosed() {
		s.conn = nil
		if ctx.Err() == nil { // else plinth itself has broken it off
			s.lost = plain(err)
		}
	}
	return plain(err)
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

// startingLimit is how long a server is waited for that is there but is still
// starting, or recovering after a crash.
const startingLimit = 30 * time.Second

func (s *session) connect(ctx context.Context, database string) (conn *pgx.Conn, err error) {
	config := s.config.Copy()
	config.Database = database
	_ = life.Poll(ctx, startingLimit, func() bool { // err says more
		conn, err = pgx.ConnectConfig(ctx, config)
		return sqlState(err) != stateNotYet
	})
	return conn, err
}

// close closes the connection, so that a database can be dropped or a server
// stopped.
func (s *session) close() {
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx) // the server closes its end in any case
	s.conn = nil
}

// libpqEnvironment are the variables in which libpq finds what a connection
// string says; keepalives and a few others have none.
// https://www.postgresql.org/docs/current/libpq-envars.html
var libpqEnvironment = map[string]string{
	"host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "user": "PGUSER", "dbname": "PGDATABASE",
	"passfile": "PGPASSFILE", "require_auth": "PGREQUIREAUTH", "channel_binding": "PGCHANNELBINDING",
	"service": "PGSERVICE", "servicefile": "PGSERVICEFILE", "options": "PGOPTIONS", "application_name": "PGAPPNAME",
	"sslmode": "PGSSLMODE", "sslnegotiation": "PGSSLNEGOTIATION", "requiressl": "PGREQUIRESSL",
	"sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY", "sslcertmode": "PGSSLCERTMODE", "sslrootcert": "PGSSLROOTCERT",
	"sslcrl": "PGSSLCRL", "sslcrldir": "PGSSLCRLDIR", "sslsni": "PGSSLSNI", "requirepeer": "PGREQUIREPEER",
	"sslcompression":           "PGSSLCOMPRESSION",
	"ssl_min_protocol_version": "PGSSLMINPROTOCOLVERSION", "ssl_max_protocol_version": "PGSSLMAXPROTOCOLVERSION",
	"min_protocol_version": "PGMINPROTOCOLVERSION", "max_protocol_version": "PGMAXPROTOCOLVERSION",
	"gssencmode": "PGGSSENCMODE", "krbsrvname": "PGKRBSRVNAME", "gsslib": "PGGSSLIB", "gssdelegation": "PGGSSDELEGATION",
	"connect_timeout": "PGCONNECT_TIMEOUT", "client_encoding": "PGCLIENTENCODING",
	"target_session_attrs": "PGTARGETSESSIONATTRS", "load_balance_hosts": "PGLOADBALANCEHOSTS",
}

// libpqVariables say where a server is to programs that are given no connection
// string.
func libpqVariables(info conninfo.Parameters) []string {
	var variables []string
	for _, one := range info {
		if name := libpqEnvironment[one.Name]; name != "" {
			variables = append(variables, name+"="+one.Value)
		}
	}
	return variables
}
