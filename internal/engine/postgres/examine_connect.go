package postgres

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// examineConfig reads a connection string. Errors quote none of it: it may hold a
// password.
func examineConfig(conninfo experiment.Conninfo) (*pgx.ConnConfig, error) {
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
	config, err := connectConfig(info)
	if err != nil {
		return nil, err
	}
	if strings.Contains(config.Host+info.Get("host")+info.Get("hostaddr"), ",") {
		return nil, hint.Errorf("name the one that is to be looked at", "the connection string names several servers")
	}
	return config, nil
}

// unreachable says who could not be reached, why, and what to do.
func unreachable(config *pgx.ConnConfig, err error) error {
	advice := "is the server up, and may this machine reach it?"
	switch sqlState(err) {
	case "":
	case stateBadPassword, stateBadAuth:
		advice = "give the password by PGPASSWORD or a password file (PGPASSFILE, ~/.pgpass)"
	case stateNoDatabase:
		advice = "name a database that is there, such as postgres"
	default:
		advice = ""
	}
	address := config.Host
	if !strings.HasPrefix(address, "/") {
		address = net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	}
	err = fmt.Errorf("cannot connect to %s as %s: %w", address, config.User, err)
	if advice == "" {
		return err
	}
	return hint.Wrap(err, advice)
}

// How long one part may take: the server breaks it off after examineLimit; a
// server that does not even do that is left after examineDeaf.
const (
	examineLimit = 3 * time.Second
	examineDeaf  = 6 * time.Second
)

// begin starts a transaction that can change nothing, waits for no lock, and
// finds functions and operators nowhere but in the server's own catalog: a
// database may have others of the same names, which would run with the rights of
// plinth's role. Nothing is given when connecting, because poolers refuse
// settings there.
var begin = fmt.Sprintf("BEGIN READ ONLY; SET LOCAL search_path = pg_catalog; "+
	"SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = 500", examineLimit.Milliseconds())

// ownSettings are those that begin, and connecting, give plinth's own session.
var ownSettings = []string{"application_name", "search_path", "statement_timeout", "lock_timeout", "transaction_read_only"}

// readOnly lets read ask within one such transaction.
func readOnly(ctx context.Context, conn *pgx.Conn, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, examineDeaf)
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

func leave(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the server closes its end in any case
}

// one reads a single row.
func one(ctx context.Context, conn *pgx.Conn, sql string, into ...any) error {
	return conn.QueryRow(ctx, sql).Scan(into...)
}

// all reads rows, each into a T by the order of its fields.
func all[T any](ctx context.Context, conn *pgx.Conn, sql string, args ...any) ([]T, error) {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}
