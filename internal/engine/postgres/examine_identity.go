package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const identitySQL = `SELECT current_setting('server_version'), current_setting('server_version_num')::int,
	current_user::text, current_database()::text, pg_postmaster_start_time(), pg_is_in_recovery(),
	coalesce((SELECT rolsuper FROM pg_roles WHERE rolname = current_user), false),
	pg_has_role('pg_read_all_settings', 'USAGE'), pg_has_role('pg_read_all_stats', 'USAGE')`

func readIdentity(ctx context.Context, conn *pgx.Conn, f *Facts) error {
	return one(ctx, conn, identitySQL, &f.Version, &f.VersionN, &f.User, &f.Database, &f.Started, &f.Standby,
		&f.Role.Superuser, &f.Role.Settings, &f.Role.Stats)
}

// DatabaseSize is a database, how large it is, and how long ago the oldest
// transaction was that it still knows by number: at two thousand million the
// numbers would run out (autovacuum_freeze_max_age is when that is seen to).
type DatabaseSize struct {
	Name      string `json:"name"`
	Size      int64  `json:"size_bytes"` // -1 where it may not be seen
	FrozenAge int64  `json:"frozen_age"` // in transactions
}

const databasesSQL = `SELECT datname::text,
	CASE WHEN has_database_privilege(oid, 'CONNECT') OR pg_has_role('pg_read_all_stats', 'USAGE')
		THEN coalesce(pg_database_size(oid), -1) ELSE -1 END, age(datfrozenxid)::bigint
	FROM pg_database ORDER BY 2 DESC, 1`

func readDatabases(ctx context.Context, conn *pgx.Conn, f *Facts) (err error) {
	f.Databases, err = all[DatabaseSize](ctx, conn, databasesSQL)
	return err
}

// Extension is an extension that the database has.
type Extension struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func readExtensions(ctx context.Context, conn *pgx.Conn, f *Facts) (err error) {
	f.Extensions, err = all[Extension](ctx, conn, "SELECT extname::text, extversion FROM pg_extension ORDER BY 1")
	return err
}

// Tablespace is a directory beside the data directory.
type Tablespace struct {
	Name string `json:"name"`
	Path string `json:"path"` // on the server's machine
}

func readTablespaces(ctx context.Context, conn *pgx.Conn, f *Facts) (err error) {
	f.Tablespaces, err = all[Tablespace](ctx, conn, `SELECT spcname::text, pg_tablespace_location(oid) FROM pg_tablespace
		WHERE pg_tablespace_location(oid) LIKE '/%' ORDER BY 1`)
	return err
}

// WALFiles is what pg_wal holds; -1 where it may not be seen.
type WALFiles struct {
	Files int   `json:"files"`
	Size  int64 `json:"size_bytes"`
}

func readWAL(ctx context.Context, conn *pgx.Conn, f *Facts) error {
	f.WAL = WALFiles{-1, -1}
	return one(ctx, conn, "SELECT count(*), coalesce(sum(size), 0)::bigint FROM pg_ls_waldir()", &f.WAL.Files, &f.WAL.Size)
}

// Checkpoints are those since the statistics were last reset: timed ones, and
// those that were asked for, most of them because max_wal_size was reached.
type Checkpoints struct {
	Timed     int64 `json:"timed"`
	Requested int64 `json:"requested"`
}

func readCheckpoints(ctx context.Context, conn *pgx.Conn, f *Facts) error {
	sql := "SELECT checkpoints_timed, checkpoints_req FROM pg_stat_bgwriter"
	if f.VersionN >= 170000 {
		sql = "SELECT num_timed, num_requested FROM pg_stat_checkpointer"
	}
	return one(ctx, conn, sql, &f.Checkpoints.Timed, &f.Checkpoints.Requested)
}
