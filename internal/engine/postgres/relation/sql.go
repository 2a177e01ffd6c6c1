package relation

import "strings"

// identitySQL reads the server, the database and its counters. stats_reset is null in a database
// whose statistics were never reset (from 15 on); the start of the server's statistics is then the
// earliest reset of the views that begin with the server.
const identitySQL = `SELECT clock_timestamp(), current_setting('server_version'), current_setting('server_version_num')::int,
	pg_is_in_recovery(), pg_has_role('pg_read_all_stats', 'USAGE'),
	has_function_privilege('pg_control_system()', 'EXECUTE'),
	s.stats_reset IS NOT NULL,
	coalesce(s.stats_reset, least((SELECT stats_reset FROM pg_stat_bgwriter), (SELECT stats_reset FROM pg_stat_archiver)), pg_postmaster_start_time()),
	d.oid, d.datname::text, pg_database_size(d.oid), t.spcname::text,
	s.blks_read, s.blks_hit, s.xact_commit, s.temp_bytes, current_setting('block_size')::bigint,
	(SELECT setting::bigint FROM pg_settings WHERE name = 'checkpoint_timeout'),
	(SELECT reset_val FROM pg_settings WHERE name = 'temp_tablespaces'),
	(SELECT setting::bigint * 1048576 FROM pg_settings WHERE name = 'max_wal_size')
	FROM pg_database d JOIN pg_stat_database s ON s.datid = d.oid JOIN pg_tablespace t ON t.oid = d.dattablespace
	WHERE d.datname = current_database()`

// systemSQL is a query of its own: the server checks the privilege even if the function is not called.
const systemSQL = `SELECT system_identifier::text FROM pg_control_system()`

const tablespacesSQL = `SELECT oid, spcname::text, CASE WHEN pg_tablespace_location(oid) LIKE '/%' THEN pg_tablespace_location(oid) ELSE '' END
	FROM pg_tablespace ORDER BY spcname::text`

// variant is a query for servers from a version on.
type variant struct {
	from int // server_version_num
	sql  string
}

// of returns the variant for a version. The newest is first; the last one is for all others.
func of(variants []variant, version int) string {
	for _, v := range variants {
		if version >= v.from {
			return v.sql
		}
	}
	return variants[len(variants)-1].sql
}

// walSQL reads bytes, writes, syncs, and the start of the counters. From 18 on, writes and syncs
// are in pg_stat_io; its context init, of new segments, was not counted before. Before 14 only the
// position is known; a standby writes no WAL of its own.
var walSQL = []variant{
	{180000, `SELECT wal_bytes::bigint, (SELECT coalesce(sum(writes), 0)::bigint FROM pg_stat_io WHERE object = 'wal' AND context = 'normal'),
		(SELECT coalesce(sum(fsyncs), 0)::bigint FROM pg_stat_io WHERE object = 'wal' AND context = 'normal'), stats_reset FROM pg_stat_wal`},
	{140000, `SELECT wal_bytes::bigint, wal_write, wal_sync, stats_reset FROM pg_stat_wal`},
	{0, `SELECT pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, '0/0')::bigint,
		-1::bigint, -1::bigint, NULL::timestamptz`},
}

// writesSQL reads the blocks that the checkpointer, the background writer and all other processes
// wrote, the start of the counters, and checkpoints. buffers_backend includes blocks by which
// files grew, so those of pg_stat_io are added. Temporary relations have buffers of their own and
// are left out.
var writesSQL = []variant{
	{180000, writesFromIO("write_bytes", "extend_bytes", "(SELECT num_timed + num_requested FROM pg_stat_checkpointer)")},
	{170000, writesFromIO("writes * op_bytes", "extends * op_bytes", "(SELECT num_timed + num_requested FROM pg_stat_checkpointer)")},
	{160000, writesFromIO("writes * op_bytes", "extends * op_bytes", "(SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter)")},
	{0, `SELECT buffers_checkpoint, buffers_clean, buffers_backend, stats_reset, checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter`},
}

func writesFromIO(writes, extends, checkpoints string) string {
	blocks := "coalesce(sum(coalesce(" + writes + ", 0) + coalesce(" + extends + ", 0)) FILTER (WHERE "
	per := "), 0)::bigint / current_setting('block_size')::bigint"
	return "SELECT " + blocks + "backend_type = 'checkpointer'" + per + ", " +
		blocks + "backend_type = 'background writer'" + per + ", " +
		blocks + "backend_type NOT IN ('checkpointer', 'background writer')" + per + ", max(stats_reset), " +
		checkpoints + " FROM pg_stat_io WHERE object = 'relation'"
}

// relationsBody reads all relations that have files, in one pass over pg_class and without a sort.
// It calls the functions below the views pg_stat_all_tables, pg_statio_all_tables and
// pg_stat_all_indexes, because the views group the indexes of each table, which takes minutes if
// there are hundreds of thousands. The size of a relation that is exclusively locked is that of its
// last vacuum: reading its files would wait for the lock. An index has the changed rows of its
// table. Toast tables and their indexes are part of their table's row; of a toast table's indexes,
// one is valid.
const relationsBody = `SELECT c.oid, c.relkind::text, c.relispartition, n.nspname::text, c.relname::text,
	coalesce(own.relname::text, ''),
	coalesce(pn.nspname::text, ''), coalesce(p.relname::text, ''), coalesce(rn.nspname::text, ''), coalesce(r.relname::text, ''),
	c.reltablespace, coalesce(r.reltablespace, 0), c.relpersistence = 'u',
	coalesce(CASE WHEN l.relation IS NULL THEN pg_table_size(c.oid) END, c.relpages * current_setting('block_size')::bigint),
	coalesce(CASE WHEN l.relation IS NULL AND c.reltoastrelid <> 0 THEN pg_total_relation_size(c.reltoastrelid) END, 0),
	l.relation IS NOT NULL, c.reltuples::float8,
	pg_stat_get_blocks_fetched(c.oid), pg_stat_get_blocks_hit(c.oid),
	coalesce(pg_stat_get_blocks_fetched(c.reltoastrelid), 0), coalesce(pg_stat_get_blocks_hit(c.reltoastrelid), 0),
	coalesce(pg_stat_get_blocks_fetched(ti.indexrelid), 0), coalesce(pg_stat_get_blocks_hit(ti.indexrelid), 0),
	pg_stat_get_numscans(c.oid), coalesce(ts.scans, 0),
	pg_stat_get_tuples_inserted(t.oid), pg_stat_get_tuples_updated(t.oid),
	pg_stat_get_tuples_hot_updated(t.oid), pg_stat_get_tuples_deleted(t.oid), LASTSCANS
	FROM pg_class c
	JOIN pg_namespace n ON n.oid = c.relnamespace
	LEFT JOIN pg_index x ON x.indexrelid = c.oid
	LEFT JOIN pg_class own ON own.oid = x.indrelid
	CROSS JOIN LATERAL (SELECT coalesce(x.indrelid, c.oid) AS oid) t
	LEFT JOIN pg_inherits h ON h.inhrelid = t.oid AND coalesce(own.relispartition, c.relispartition)
	LEFT JOIN pg_class p ON p.oid = h.inhparent
	LEFT JOIN pg_namespace pn ON pn.oid = p.relnamespace
	LEFT JOIN pg_class r ON r.oid = CASE WHEN p.relispartition THEN pg_partition_root(p.oid)::oid ELSE p.oid END
	LEFT JOIN pg_namespace rn ON rn.oid = r.relnamespace
	LEFT JOIN pg_index ti ON ti.indrelid = c.reltoastrelid AND c.reltoastrelid <> 0 AND ti.indisvalid
	LEFT JOIN (SELECT indrelid, sum(pg_stat_get_numscans(indexrelid))::bigint AS scans FROM pg_index GROUP BY indrelid) ts ON ts.indrelid = c.oid
	LEFT JOIN (SELECT DISTINCT relation FROM pg_locks WHERE locktype = 'relation' AND mode = 'AccessExclusiveLock'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) l ON l.relation = c.oid
	WHERE c.relkind IN ('r', 'm', 'i') AND c.relpersistence <> 't' AND n.nspname NOT LIKE 'pg\_toast%'`

// lastScans reads when a table was last scanned in sequence, and when a table or an index was last
// scanned by an index; the server keeps both from 16 on.
var lastScans = []variant{
	{160000, `CASE WHEN c.relkind <> 'i' THEN pg_stat_get_lastscan(c.oid) END,
	CASE WHEN c.relkind = 'i' THEN pg_stat_get_lastscan(c.oid)
		ELSE (SELECT max(pg_stat_get_lastscan(i.indexrelid)) FROM pg_index i WHERE i.indrelid = c.oid) END`},
	{0, `NULL::timestamptz, NULL::timestamptz`},
}

// relationsQuery returns the query of all relations for a version.
func relationsQuery(version int) string {
	return strings.Replace(relationsBody, "LASTSCANS", of(lastScans, version), 1)
}
