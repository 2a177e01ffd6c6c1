package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// The codes of errors that mean something here.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	stateDenied = "42501" // insufficient_privilege
	stateGone   = "26000" // invalid_sql_statement_name: a prepared statement is not there
)

// plain says an error in few words: the server's own, or those of the network.
// Neither holds a password. The client library's text would name the user, all
// addresses and more.
func plain(err error, user string) error {
	var server *pgconn.PgError
	var network *net.OpError
	var name *net.DNSError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &server) && server.Code == stateDenied:
		return fmt.Errorf("%s: GRANT pg_monitor TO %s would allow it", server.Message, user)
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

// sqlState is the code of a server's error, "" for other errors.
func sqlState(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}
