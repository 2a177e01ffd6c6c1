package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/conninfo"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// pgxKeywords are libpq's keywords that pgx supports. It would send others to the server as
// settings.
var pgxKeywords = []string{
	"host", "port", "dbname", "user", "password", "passfile", "connect_timeout", "sslmode", "sslkey",
	"sslcert", "sslcertmode", "sslrootcert", "sslnegotiation", "sslpassword", "sslsni", "krbsrvname",
	"target_session_attrs", "service", "channel_binding", "require_auth", "options", "application_name",
}

// Config returns a pgx configuration for a connection string, with libpq's defaults from the
// environment and its files.
func Config(c conninfo.Parameters) (*pgx.ConnConfig, error) {
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
		// libpq connects to this address in any case, even if the host is a socket's directory.
		if strings.HasPrefix(config.Host, "/") {
			return Config(c.With("host", address))
		}
		config.LookupFunc = func(context.Context, string) ([]string, error) { return []string{address}, nil }
	}
	config.RuntimeParams = maps.Clone(config.RuntimeParams)
	config.RuntimeParams["application_name"] = "plinth"
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 15 * time.Second
	}
	// A session may be idle as long as a run takes; middleboxes must not drop it.
	dialer := net.Dialer{KeepAlive: 20 * time.Second}
	config.DialFunc = dialer.DialContext
	// Nothing is prepared: tables are dropped and created again under the session.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return config, nil
}

// Transport returns how a connection reaches the server, and the server's address.
func Transport(conn *pgconn.PgConn, config *pgx.ConnConfig) (kind, address string) {
	if strings.HasPrefix(config.Host, "/") {
		return "socket", config.Host
	}
	kind = "tcp"
	if _, encrypted := conn.Conn().(*tls.Conn); encrypted {
		kind = "tls"
	}
	return kind, net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
}

// libpqEnvironment maps keywords of a connection string to libpq's environment variables;
// keepalives and a few others have none.
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

// Variables returns the environment that leads programs without a connection string to a server.
func Variables(info conninfo.Parameters) []string {
	var variables []string
	for _, one := range info {
		if name := libpqEnvironment[one.Name]; name != "" {
			variables = append(variables, name+"="+one.Value)
		}
	}
	return variables
}
