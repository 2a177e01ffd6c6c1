package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"plinth/internal/conninfo"
	"plinth/internal/hint"
)

// ConfigOf returns how to reach a server that is only read. Errors quote nothing of the
// connection string, which may hold a password.
func ConfigOf(conninfo conninfo.Conninfo) (*pgx.ConnConfig, error) {
	if err := conninfo.Check(); err != nil {
		text, advice, _ := strings.Cut(err.Error(), "; ")
		err = fmt.Errorf("the connection string %s", text)
		if advice != "" {
			err = hint.Wrap(err, advice)
		}
		return nil, err
	}
	info, err := conninfo.Parameters()
	if err != nil {
		return nil, fmt.Errorf("the connection string %w", err)
	}
	if err := checkValues(info); err != nil {
		return nil, err
	}
	config, err := Config(info)
	switch {
	case err != nil && info.Get("service") != "":
		return nil, hint.Wrap(err, "define the service as a section of ~/.pg_service.conf, or of the file in PGSERVICEFILE")
	case err != nil:
		return nil, hint.Wrap(err, "check its values, variables such as PGPORT, and the files that it refers to")
	}
	return config, nil
}

// sslModes are those that libpq supports.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-SSLMODE
var sslModes = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

// checkValues finds impossible values. The client library would not say which they are, or would
// quote them: a password without its @ is taken for a port.
func checkValues(info conninfo.Parameters) error {
	if strings.Contains(info.Get("host")+info.Get("hostaddr")+info.Get("port"), ",") {
		return hint.Errorf("give only the server to examine", "the connection string names several servers")
	}
	if text := info.Get("port"); text != "" {
		if port, err := strconv.ParseUint(text, 10, 16); err != nil || port == 0 {
			return hint.Errorf("give a port from 1 to 65535; a password goes before the host: user:password@host",
				"the connection string has an invalid port")
		}
	}
	if text := info.Get("connect_timeout"); text != "" {
		if _, err := strconv.ParseInt(text, 10, 32); err != nil {
			return hint.Errorf("write seconds, without a unit: connect_timeout=5", "the connection string has a connect_timeout that is not a number of seconds")
		}
	}
	if text := info.Get("sslmode"); text != "" && !slices.Contains(sslModes, text) {
		return hint.Errorf("it can be "+strings.Join(sslModes, ", "), "the connection string has an unknown sslmode")
	}
	return nil
}

// Unreachable says which server could not be reached, why, and what to do. A socket is named by
// its file, which includes the server's port.
func Unreachable(config *pgx.ConnConfig, err error) error {
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	if network == "tcp" {
		address = net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	}
	advice, cause := refusal(config, network, err)
	err = fmt.Errorf("cannot connect to %s as %s: %w", address, config.User, cause)
	if advice == "" {
		return err
	}
	return hint.Wrap(err, advice)
}

// refusal shortens the error of a failed attempt, and advises what to do.
func refusal(config *pgx.ConnConfig, network string, err error) (advice string, cause error) {
	var name *net.DNSError
	cause = Plain(err)
	switch state := State(cause); {
	case state != "":
		return adviceOn[state], cause
	case errors.Is(err, context.DeadlineExceeded):
		cause = fmt.Errorf("it did not answer within %s", config.ConnectTimeout.Round(time.Second))
	case errors.As(err, &name):
		return "check the host name", cause
	case network == "unix":
		return "check that a server with that port has its socket in that directory (unix_socket_directories)", cause
	}
	var attempt *pgconn.ConnectError
	if errors.As(cause, &attempt) {
		return notUnderstood(lastCause(attempt.Unwrap()))
	}
	return "check that the server is running and that this machine may connect to it", cause
}

// adviceOn is the advice for errors of the server, by their code. The server reports the same
// error for a role that does not exist, may not log in, or has no matching line in pg_hba.conf.
var adviceOn = map[string]string{
	StateBadPassword: "give the password in PGPASSWORD or a password file (PGPASSFILE, ~/.pgpass)",
	StateBadAuth:     "use an existing role that may log in and that pg_hba.conf admits from this machine",
	StateNoDatabase:  "give the name of an existing database, such as postgres",
	StateNotYet:      "the server is starting or stopping: try again in a moment",
}

// lastCause returns the innermost error of the last attempt: the client library tries with TLS
// and without, and reports each attempt.
func lastCause(err error) error {
	for {
		var inner error
		switch e := err.(type) { //nolint:errorlint // it is taken apart
		case interface{ Unwrap() []error }:
			all := e.Unwrap()
			inner = all[len(all)-1]
		case interface{ Unwrap() error }:
			inner = e.Unwrap()
		}
		if inner == nil || strings.HasPrefix(err.Error(), "tls error") {
			return err
		}
		err = inner
	}
}

// notUnderstood explains an answer that is not in PostgreSQL's protocol, or a failed TLS handshake.
func notUnderstood(err error) (advice string, cause error) {
	text := err.Error()
	switch {
	case strings.HasPrefix(text, "tls error: server refused"):
		return "leave sslmode out, or enable TLS on the server (ssl = on)", errors.New("the server does not support TLS")
	case strings.HasPrefix(text, "tls error"):
		return "check sslmode and sslrootcert, which define the accepted certificates", err
	case strings.HasPrefix(text, "invalid body length"), strings.HasPrefix(text, "unknown message type"):
		return "check the port", errors.New("the service at that address is not a PostgreSQL server")
	}
	return "check that the server is running and that this machine may connect to it", errors.New(strings.Join(strings.Fields(text), " "))
}
