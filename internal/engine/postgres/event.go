package postgres

import (
	"context"
	"fmt"
	"time"

	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/script"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// cancelLimit is how long a server may take to respond to a cancel request.
const cancelLimit = 3 * time.Second

// Do runs the user's SQL under load as psql would: statement by statement with the simple
// protocol, each in its own transaction unless it says BEGIN. It stops at the first error.
func (d *database) Do(ctx context.Context, text string) error {
	conn, err := d.aside(ctx, "plinth_event")
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return client.Plain(err)
	}
	defer client.Leave(conn)
	statements := script.Split(text)
	for _, statement := range statements {
		_, err := conn.PgConn().Exec(ctx, statement.Text).ReadAll()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case len(statements) == 1:
			return mistaken(err, client.Plain(err))
		default:
			return fmt.Errorf("line %d: %w", statement.LineOf(err), mistaken(err, client.Plain(err)))
		}
	}
	return nil
}

// aside opens one more connection to the dataset's database. When a context is done, it sends the
// server a cancel request.
func (d *database) aside(ctx context.Context, name string) (*pgx.Conn, error) {
	return pgx.ConnectConfig(ctx, d.asideConfig(name))
}

func (d *database) asideConfig(name string) *pgx.ConnConfig {
	config := d.Statistics()
	config.RuntimeParams["application_name"] = name
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelLimit}
	}
	return config
}
