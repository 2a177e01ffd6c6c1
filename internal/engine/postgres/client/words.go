// Package client connects to a PostgreSQL server and queries it: connection strings as libpq
// understands them, read-only transactions, errors in the server's own words, and hints if the
// server cannot be reached.
package client

import (
	"errors"

	"plinth/internal/engine"

	"github.com/jackc/pgx/v5/pgconn"
)

// serverError is an error in the server's own words: "ERROR: relation …" without the client
// library's additions.
type serverError struct{ *pgconn.PgError }

func (e serverError) Error() string { return e.Severity + ": " + e.Message }

func (e serverError) Unwrap() error { return e.PgError }

// Plain shortens a connection error to the server's own words, or those of the network layer.
// Neither holds a password.
func Plain(err error) error {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return serverError{server}
	}
	return engine.Plain(err)
}

// State returns the code of a server's error, "" for other errors.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func State(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}

// The error codes that plinth handles.
const (
	StateDenied      = "42501" // insufficient_privilege
	StateNoDatabase  = "3D000" // invalid_catalog_name
	StateNoTable     = "42P01" // undefined_table
	StateInUse       = "55006" // object_in_use
	StateNotYet      = "57P03" // cannot_connect_now: it is starting or stopping
	StateBadPassword = "28P01"
	StateBadAuth     = "28000"
)
