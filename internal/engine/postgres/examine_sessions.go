package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Connections is how many sessions there are, plinth's own left out, and how many
// there can be. What they do is -1 where it may not be seen.
type Connections struct {
	Used              int `json:"used"`
	Most              int `json:"max_connections"`
	Active            int `json:"active"`
	IdleInTransaction int `json:"idle_in_transaction"`
}

// The number of sessions is that of pg_stat_database, which everybody may see,
// autovacuum's workers included.
const connectionsSQL = `SELECT (SELECT greatest(0, coalesce(sum(numbackends), 0) - 1) FROM pg_stat_database)::int,
	current_setting('max_connections')::int,
	CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE') THEN count(*) FILTER (WHERE state = 'active') ELSE -1 END::int,
	CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE') THEN count(*) FILTER (WHERE state LIKE 'idle in transaction%') ELSE -1 END::int,
	coalesce(max(age(backend_xmin)), 0)::bigint
	FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`

func readConnections(ctx context.Context, conn *pgx.Conn, f *Facts) error {
	c := &f.Connections
	return one(ctx, conn, connectionsSQL, &c.Used, &c.Most, &c.Active, &c.IdleInTransaction, &f.OldestXmin)
}

// Transaction is one that a session has open. What it runs is not read: statements
// may hold secrets.
type Transaction struct {
	PID         int     `json:"pid"`
	User        string  `json:"user"`
	Database    string  `json:"database"`
	Application string  `json:"application"` // as the client calls itself: any text
	State       string  `json:"state"`       // "active", "idle in transaction", ...
	Age         float64 `json:"age_s"`
	Still       float64 `json:"in_state_s"` // since when it is in this state
	XminAge     int64   `json:"xmin_age"`   // of its snapshot, in transactions; -1 for none
}

const transactionsSQL = `SELECT pid, coalesce(usename, '')::text, coalesce(datname, '')::text, coalesce(application_name, ''),
	coalesce(state, ''), extract(epoch FROM clock_timestamp() - xact_start)::float8,
	coalesce(extract(epoch FROM clock_timestamp() - state_change), 0)::float8, coalesce(age(backend_xmin), -1)::bigint
	FROM pg_stat_activity WHERE backend_type = 'client backend' AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
	ORDER BY xact_start LIMIT 10`

func readTransactions(ctx context.Context, conn *pgx.Conn, f *Facts) (err error) {
	f.Transactions, err = all[Transaction](ctx, conn, transactionsSQL)
	return err
}

// Prepared is a transaction of two-phase commit that waits for its end. It keeps
// its locks, and old rows, across restarts.
type Prepared struct {
	ID       string  `json:"id"` // as the client calls it: any text
	Owner    string  `json:"owner"`
	Database string  `json:"database"`
	Age      float64 `json:"age_s"`
	XIDAge   int64   `json:"xid_age"` // in transactions
}

const preparedSQL = `SELECT gid, owner::text, database::text, extract(epoch FROM clock_timestamp() - prepared)::float8,
	age(transaction)::bigint FROM pg_prepared_xacts ORDER BY prepared LIMIT 10`

func readPrepared(ctx context.Context, conn *pgx.Conn, f *Facts) (err error) {
	f.Prepared, err = all[Prepared](ctx, conn, preparedSQL)
	return err
}

// Neglected is a table that nobody sees to: it was never analyzed, or its own
// settings turn autovacuum off.
type Neglected struct {
	Name         string `json:"name"` // with its schema, quoted where SQL needs it
	Rows         int64  `json:"rows"` // live ones, estimated
	NotAnalyzed  bool   `json:"not_analyzed"`
	NoAutovacuum bool   `json:"autovacuum_off"`
}

// Small tables do not count: autovacuum itself passes them over.
const neglectedSQL = `SELECT * FROM (SELECT format('%I.%I', s.schemaname, s.relname), s.n_live_tup AS rows,
	s.last_analyze IS NULL AND s.last_autoanalyze IS NULL AND s.n_live_tup >= 1000 AS fresh,
	coalesce(array_to_string(c.reloptions, ',') ~* 'autovacuum_enabled=(f|of|n|0)', false) AS off
	FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid) t WHERE fresh OR off ORDER BY rows DESC, 1 LIMIT 100`

func readNeglected(ctx context.Context, conn *pgx.Conn, f *Facts) (err error) {
	f.Neglected, err = all[Neglected](ctx, conn, neglectedSQL)
	return err
}
