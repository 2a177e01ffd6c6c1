package postgres

import "strings"

// view is a statistics view of PostgreSQL: its columns in all versions from 9.4 to 18, and those of its
// columns that name a row.
type view struct {
	name    string
	columns map[string]bool
	keys    []string
}

func newView(name, keys, columns string) view {
	v := view{name: name, columns: map[string]bool{}, keys: strings.Fields(keys)}
	for _, column := range append(strings.Fields(columns), v.keys...) {
		v.columns[column] = true
	}
	return v
}

var views = []view{
	newView("pg_stat_bgwriter", "", `checkpoints_timed checkpoints_req checkpoint_write_time checkpoint_sync_time buffers_checkpoint buffers_clean
		maxwritten_clean buffers_backend buffers_backend_fsync buffers_alloc stats_reset`),
	newView("pg_stat_checkpointer", "", `num_timed num_requested num_done restartpoints_timed restartpoints_req restartpoints_done write_time sync_time
		buffers_written slru_written stats_reset`),
	newView("pg_stat_wal", "", "wal_records wal_fpi wal_bytes wal_buffers_full wal_write wal_sync wal_write_time wal_sync_time stats_reset"),
	newView("pg_stat_database", "datname", `datid numbackends xact_commit xact_rollback blks_read blks_hit tup_returned tup_fetched tup_inserted
		tup_updated tup_deleted conflicts temp_files temp_bytes deadlocks checksum_failures checksum_last_failure blk_read_time blk_write_time
		session_time active_time idle_in_transaction_time sessions sessions_abandoned sessions_fatal sessions_killed
		parallel_workers_to_launch parallel_workers_launched stats_reset`),
	newView("pg_stat_io", "backend_type object context", `reads read_bytes read_time writes write_bytes write_time writebacks writeback_time extends
		extend_bytes extend_time op_bytes hits evictions reuses fsyncs fsync_time stats_reset`),
	newView("pg_stat_user_tables", "schemaname relname", `relid seq_scan last_seq_scan seq_tup_read idx_scan last_idx_scan idx_tup_fetch n_tup_ins
		n_tup_upd n_tup_del n_tup_hot_upd n_tup_newpage_upd n_live_tup n_dead_tup n_mod_since_analyze n_ins_since_vacuum last_vacuum
		last_autovacuum last_analyze last_autoanalyze vacuum_count autovacuum_count analyze_count autoanalyze_count
		total_vacuum_time total_autovacuum_time total_analyze_time total_autoanalyze_time`),
	newView("pg_statio_user_tables", "schemaname relname", `relid heap_blks_read heap_blks_hit idx_blks_read idx_blks_hit toast_blks_read toast_blks_hit
		tidx_blks_read tidx_blks_hit`),
	newView("pg_stat_archiver", "", "archived_count last_archived_wal last_archived_time failed_count last_failed_wal last_failed_time stats_reset"),
	newView("pg_settings", "name", `setting unit category short_desc extra_desc context vartype source min_val max_val enumvals boot_val reset_val
		sourcefile sourceline pending_restart description`),
}

// times are names of columns that say when a row was read.
var times = map[string]bool{
	"time": true, "timestamp": true, "ts": true, "now": true, "clock": true, "date": true, "datetime": true, "epoch": true,
	"clock_timestamp": true, "current_timestamp": true, "sample_time": true, "sampled_at": true, "collected_at": true, "snap_time": true,
}

// viewOf returns the view that has all of the columns, apart from one with times. It is nil if there is
// none, or several have them: the name of the view is not in the text.
func viewOf(columns []string) *view {
	var found *view
	for i := range views {
		matches := 0
		for _, column := range columns {
			switch {
			case times[column]:
			case views[i].columns[column]:
				matches++
			default:
				matches = -len(columns)
			}
		}
		if matches <= 0 {
			continue
		}
		if found != nil {
			return nil
		}
		found = &views[i]
	}
	return found
}

// counters are the cumulative statistics that become rates, by view and column, with the factor to the
// unit of the metric: times in views are in milliseconds. WAL is counted without the headers of its pages
// in wal_bytes, so that is not wal.bytes. * stands for the type of backend.
var counters = map[string]struct {
	name   string
	factor float64
}{
	"pg_stat_database.xact_commit":    {"pg_stat_database.xact_commit", 1},
	"pg_stat_database.xact_rollback":  {"pg_stat_database.xact_rollback", 1},
	"pg_stat_database.blks_read":      {"pg_stat_database.blks_read", 1},
	"pg_stat_database.blks_hit":       {"pg_stat_database.blks_hit", 1},
	"pg_stat_database.tup_returned":   {"pg_stat_database.tup_returned", 1},
	"pg_stat_database.tup_fetched":    {"pg_stat_database.tup_fetched", 1},
	"pg_stat_database.tup_inserted":   {"pg_stat_database.tup_inserted", 1},
	"pg_stat_database.tup_updated":    {"pg_stat_database.tup_updated", 1},
	"pg_stat_database.tup_deleted":    {"pg_stat_database.tup_deleted", 1},
	"pg_stat_database.conflicts":      {"pg_stat_database.conflicts", 1},
	"pg_stat_database.temp_files":     {"pg_stat_database.temp_files", 1},
	"pg_stat_database.temp_bytes":     {"pg_stat_database.temp_bytes", 1},
	"pg_stat_database.deadlocks":      {"pg_stat_database.deadlocks", 1},
	"pg_stat_database.blk_read_time":  {"pg_stat_database.blk_read_time", 0.001},
	"pg_stat_database.blk_write_time": {"pg_stat_database.blk_write_time", 0.001},

	"pg_stat_wal.wal_records":      {"wal.records", 1},
	"pg_stat_wal.wal_fpi":          {"wal.fpi", 1},
	"pg_stat_wal.wal_bytes":        {"pg_stat_wal.wal_bytes", 1},
	"pg_stat_wal.wal_buffers_full": {"wal.buffers_full", 1},
	"pg_stat_wal.wal_write":        {"wal.writes", 1},
	"pg_stat_wal.wal_sync":         {"wal.syncs", 1},

	"pg_stat_bgwriter.checkpoints_timed":     {"checkpoints.timed", 1},
	"pg_stat_bgwriter.checkpoints_req":       {"checkpoints.requested", 1},
	"pg_stat_bgwriter.checkpoint_write_time": {"checkpoints.write_time", 0.001},
	"pg_stat_bgwriter.checkpoint_sync_time":  {"checkpoints.sync_time", 0.001},
	"pg_stat_bgwriter.buffers_checkpoint":    {"buffers_written.checkpointer", 1},
	"pg_stat_bgwriter.buffers_clean":         {"buffers_written.bgwriter", 1},
	"pg_stat_bgwriter.maxwritten_clean":      {"bgwriter.maxwritten_clean", 1},
	"pg_stat_bgwriter.buffers_backend":       {"buffers_written.backend", 1},
	"pg_stat_bgwriter.buffers_backend_fsync": {"buffers_backend_fsync", 1},
	"pg_stat_bgwriter.buffers_alloc":         {"buffers_alloc", 1},

	"pg_stat_archiver.archived_count": {"archiver.archived", 1},
	"pg_stat_archiver.failed_count":   {"archiver.failed", 1},

	"pg_stat_checkpointer.write_time":      {"checkpoints.write_time", 0.001},
	"pg_stat_checkpointer.sync_time":       {"checkpoints.sync_time", 0.001},
	"pg_stat_checkpointer.buffers_written": {"buffers_written.checkpointer", 1},
	"pg_stat_checkpointer.num_timed":       {"pg_stat_checkpointer.num_timed", 1},
	"pg_stat_checkpointer.num_requested":   {"pg_stat_checkpointer.num_requested", 1},

	"pg_stat_io.reads":      {"pg_stat_io.*.reads", 1},
	"pg_stat_io.writes":     {"pg_stat_io.*.writes", 1},
	"pg_stat_io.fsyncs":     {"pg_stat_io.*.fsyncs", 1},
	"pg_stat_io.extends":    {"pg_stat_io.*.extends", 1},
	"pg_stat_io.evictions":  {"pg_stat_io.*.evictions", 1},
	"pg_stat_io.reuses":     {"pg_stat_io.*.reuses", 1},
	"pg_stat_io.hits":       {"pg_stat_io.*.hits", 1},
	"pg_stat_io.read_time":  {"pg_stat_io.*.read_time", 0.001},
	"pg_stat_io.write_time": {"pg_stat_io.*.write_time", 0.001},
	"pg_stat_io.fsync_time": {"pg_stat_io.*.fsync_time", 0.001},
}

// homes are the views to which a column's name belongs if the file mixes several: names that no other
// view has.
var homes = func() map[string]string {
	all := map[string]string{}
	for _, v := range views {
		for column := range v.columns {
			if _, known := all[column]; known {
				all[column] = ""
			} else {
				all[column] = v.name
			}
		}
	}
	return all
}()
