package examine

import (
	"context"

	"plinth/internal/engine/postgres/client"

	"github.com/jackc/pgx/v5"
)

const identitySQL = `SELECT current_setting('server_version'), current_setting('server_version_num')::int,
	current_user::text, current_database()::text, pg_postmaster_start_time(), pg_is_in_recovery(),
	coalesce((SELECT rolsuper FROM pg_roles WHERE rolname = current_user), false),
	pg_has_role('pg_read_all_settings', 'USAGE'), pg_has_role('pg_read_all_stats', 'USAGE')`

// Identity reads which server it is, and what the role may see.
func Identity(ctx context.Context, conn *pgx.Conn, f *Facts) error {
	return client.One(ctx, conn, identitySQL, &f.Version, &f.VersionN, &f.User, &f.Database, &f.Started, &f.Standby,
		&f.Role.Superuser, &f.Role.Settings, &f.Role.Stats)
}

// DatabaseSize is a database, its size, and the age of the oldest transaction ID that it still
// stores: IDs would wrap around at an age of 2 billion (autovacuum_freeze_max_age is when
// autovacuum prevents that).
type DatabaseSize struct {
	Name      string `json:"name"`
	Size      int64  `json:"size_bytes"` // -1 if it may not be seen
	FrozenAge int64  `json:"frozen_age"` // in transactions
}

const databasesSQL = `SELECT datname::text,
	CASE WHEN has_database_privilege(oid, 'CONNECT') OR pg_has_role('pg_read_all_stats', 'USAGE')
		THEN coalesce(pg_database_size(oid), -1) ELSE -1 END, age(datfrozenxid)::bigint
	FROM pg_database ORDER BY 2 DESC, 1`

// Extension is an extension installed in the database.
type Extension struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

const extensionsSQL = "SELECT extname::text, extversion FROM pg_extension ORDER BY 1"

// Tablespace is a directory outside of the data directory.
type Tablespace struct {
	Name string `json:"name"`
	Path string `json:"path"` // on the server's machine
}

const tablespacesSQL = `SELECT spcname::text, pg_tablespace_location(oid) FROM pg_tablespace
		WHERE pg_tablespace_location(oid) LIKE '/%' ORDER BY 1`

// WALFiles is the contents of pg_wal; -1 if they may not be seen.
type WALFiles struct {
	Files int   `json:"files"`
	Size  int64 `json:"size_bytes"`
}

func readWAL(ctx context.Context, conn *pgx.Conn, f *Facts) error {
	f.WAL = WALFiles{-1, -1}
	return client.One(ctx, conn, "SELECT count(*), coalesce(sum(size), 0)::bigint FROM pg_ls_waldir()", &f.WAL.Files, &f.WAL.Size)
}

// Checkpoints counts those since the statistics were last reset: timed ones, and requested ones,
// most of them because max_wal_size was reached.
type Checkpoints struct {
	Timed     int64 `json:"timed"`
	Requested int64 `json:"requested"`
}

func readCheckpoints(ctx context.Context, conn *pgx.Conn, f *Facts) error {
	sql := "SELECT checkpoints_timed, checkpoints_req FROM pg_stat_bgwriter"
	if f.VersionN >= 170000 {
		sql = "SELECT num_timed, num_requested FROM pg_stat_checkpointer"
	}
	return client.One(ctx, conn, sql, &f.Checkpoints.Timed, &f.Checkpoints.Requested)
}

// Connections counts the sessions, without plinth's own, and their limit. Their states are -1 if
// they may not be seen.
type Connections struct {
	Used              int `json:"used"`
	Most              int `json:"max_connections"`
	Active            int `json:"active"`
	IdleInTransaction int `json:"idle_in_transaction"`
}

// The number of sessions is from pg_stat_database, which any user may read. It includes
// autovacuum workers.
const connectionsSQL = `SELECT (SELECT greatest(0, coalesce(sum(numbackends), 0) - 1) FROM pg_stat_database)::int,
	current_setting('max_connections')::int,
	CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE') THEN count(*) FILTER (WHERE state = 'active') ELSE -1 END::int,
	CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE') THEN count(*) FILTER (WHERE state LIKE 'idle in transaction%') ELSE -1 END::int,
	coalesce(max(age(backend_xmin)), 0)::bigint
	FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`

func readConnections(ctx context.Context, conn *pgx.Conn, f *Facts) error {
	c := &f.Connections
	return client.One(ctx, conn, connectionsSQL, &c.Used, &c.Most, &c.Active, &c.IdleInTransaction, &f.OldestXmin)
}

// Transaction is an open transaction of a session. Its statement is not read: statements may hold
// secrets.
type Transaction struct {
	PID         int     `json:"pid"`
	User        string  `json:"user"`
	Database    string  `json:"database"`
	Application string  `json:"application"` // as the client calls itself: any text
	State       string  `json:"state"`       // "active", "idle in transaction", ...
	Age         float64 `json:"age_s"`
	Still       float64 `json:"in_state_s"` // time in this state
	XminAge     int64   `json:"xmin_age"`   // of its snapshot, in transactions; -1 for none
}

const transactionsSQL = `SELECT pid, coalesce(usename, '')::text, coalesce(datname, '')::text, coalesce(application_name, ''),
	coalesce(state, ''), extract(epoch FROM clock_timestamp() - xact_start)::float8,
	coalesce(extract(epoch FROM clock_timestamp() - state_change), 0)::float8, coalesce(age(backend_xmin), -1)::bigint
	FROM pg_stat_activity WHERE backend_type = 'client backend' AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
	ORDER BY xact_start LIMIT 10`

// Prepared is a two-phase commit transaction that waits to be committed or rolled back. It keeps
// its locks, and dead rows, across restarts.
type Prepared struct {
	ID       string  `json:"id"` // as the client calls it: any text
	Owner    string  `json:"owner"`
	Database string  `json:"database"`
	Age      float64 `json:"age_s"`
	XIDAge   int64   `json:"xid_age"` // in transactions
}

const preparedSQL = `SELECT gid, owner::text, database::text, extract(epoch FROM clock_timestamp() - prepared)::float8,
	age(transaction)::bigint FROM pg_prepared_xacts ORDER BY prepared LIMIT 10`

// Neglected is a table that lacks maintenance: it was never analyzed, or its own settings turn
// autovacuum off.
type Neglected struct {
	Name         string `json:"name"` // with its schema, quoted where SQL needs it
	Rows         int64  `json:"rows"` // live ones, estimated
	NotAnalyzed  bool   `json:"not_analyzed"`
	NoAutovacuum bool   `json:"autovacuum_off"`
}

// Small tables that were never analyzed do not count: autovacuum itself skips them.
const neglectedSQL = `SELECT * FROM (SELECT format('%I.%I', s.schemaname, s.relname), s.n_live_tup AS rows,
	s.last_analyze IS NULL AND s.last_autoanalyze IS NULL AND s.n_live_tup >= 1000 AS fresh,
	coalesce(array_to_string(c.reloptions, ',') ~* 'autovacuum_enabled=(f|of|n|0)', false) AS off
	FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid) t WHERE fresh OR off ORDER BY rows DESC, 1 LIMIT 100`

// Standby is a server that receives this one's WAL.
// https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-REPLICATION-VIEW
type Standby struct {
	Name  string `json:"name"`  // application_name: any text
	State string `json:"state"` // "streaming", "catchup", ...; "" if it may not be seen
	Sync  string `json:"sync"`  // "async", "sync", "quorum", "potential"
	Lag   int64  `json:"lag_bytes"`
}

// The position that lags are counted from: on a standby, what it has replayed.
const positionSQL = `CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END`

const standbysSQL = `SELECT coalesce(application_name, ''), coalesce(state, ''), coalesce(sync_state, ''),
	coalesce(greatest(0, pg_wal_lsn_diff(` + positionSQL + `, replay_lsn)), -1)::bigint FROM pg_stat_replication ORDER BY 1`

// Slot is a replication slot: it retains WAL, and possibly dead rows, for a consumer.
// https://www.postgresql.org/docs/current/view-pg-replication-slots.html
type Slot struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // "physical", "logical"
	Active   bool   `json:"active"`
	Retained int64  `json:"retained_bytes"` // WAL that is kept for it
	XminAge  int64  `json:"xmin_age"`       // of the rows that are kept for it, in transactions; -1 for none
}

const slotsSQL = `SELECT slot_name::text, slot_type, active,
	coalesce(greatest(0, pg_wal_lsn_diff(` + positionSQL + `, restart_lsn)), 0)::bigint,
	coalesce(greatest(age(xmin), age(catalog_xmin)), -1)::bigint FROM pg_replication_slots ORDER BY 1`
