package postgres

import (
	"errors"

	"plinth/internal/engine"

	"github.com/jackc/pgx/v5/pgconn"
)

// serverError is an error in the server's own words: "ERROR:  relation …"
// without the client library's additions.
type serverError struct{ *pgconn.PgError }

func (e serverError) Error() string { return e.Severity + ": " + e.Message }

func (e serverError) Unwrap() error { return e.PgError }

// plain says an error of a connection in few words: the server's own, or those
// of the network. Neither holds a password.
func plain(err error) error {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return serverError{server}
	}
	return engine.Plain(err)
}

// sqlState is the code of a server's error, "" for other errors.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func sqlState(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}

// The codes that mean something to plinth.
const (
	stateDenied      = "42501" // insufficient_privilege
	stateNoDatabase  = "3D000" // invalid_catalog_name
	stateNoTable     = "42P01" // undefined_table
	stateInUse       = "55006" // object_in_use
	stateNotYet      = "57P03" // cannot_connect_now: it starts or stops
	stateBadPassword = "28P01"
	stateBadAuth     = "28000"
)
