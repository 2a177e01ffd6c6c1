package client

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Time limits of a reading: the server cancels a query after readLimit; a server that does not
// even do that is given up after deafLimit.
const (
	readLimit = 3 * time.Second
	deafLimit = 6 * time.Second
)

// begin starts a transaction that can change nothing, waits for no lock longer than 500 ms, and
// finds functions and operators only in the server's own catalog: a database may have others of
// the same names, which would run with the privileges of plinth's role. The limits are not set
// when connecting, because poolers reject settings there.
var begin = fmt.Sprintf("BEGIN READ ONLY; SET LOCAL search_path = pg_catalog; "+
	"SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = 500", readLimit.Milliseconds())

// OwnSettings are those that begin, and connecting, set in plinth's own session.
var OwnSettings = []string{"application_name", "search_path", "statement_timeout", "lock_timeout", "transaction_read_only"}

// ReadOnly calls read within a transaction that can change nothing and has its own time limits.
func ReadOnly(ctx context.Context, conn *pgx.Conn, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, deafLimit)
	defer cancel()
	if _, err := conn.PgConn().Exec(ctx, begin).ReadAll(); err != nil {
		return err
	}
	err := read(ctx)
	if _, end := conn.PgConn().Exec(ctx, "ROLLBACK").ReadAll(); err == nil {
		err = end
	}
	return err
}

// Snapshot calls read within a transaction that can change nothing and whose queries all see the
// same state of the database. A query may take as long as limit; all of them, and a server that does
// not answer, five times as long.
func Snapshot(ctx context.Context, conn *pgx.Conn, limit time.Duration, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*limit)
	defer cancel()
	begin := fmt.Sprintf("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL search_path = pg_catalog; "+
		"SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = 500", limit.Milliseconds())
	if _, err := conn.PgConn().Exec(ctx, begin).ReadAll(); err != nil {
		return err
	}
	err := read(ctx)
	if _, end := conn.PgConn().Exec(ctx, "ROLLBACK").ReadAll(); err == nil {
		err = end
	}
	return err
}

// Leave closes a connection, whatever the server does.
func Leave(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the server closes its end in any case
}

// One reads a single row.
func One(ctx context.Context, conn *pgx.Conn, sql string, into ...any) error {
	return conn.QueryRow(ctx, sql).Scan(into...)
}

// All reads rows, each into a T in the order of its fields.
func All[T any](ctx context.Context, conn *pgx.Conn, sql string, args ...any) ([]T, error) {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}
