package postgres

import "plinth/internal/metric"

const databaseView = "pg_stat_database"

// newDatabase asks for what the sessions of the dataset's database did, and for the
// commits of all databases: WAL, checkpoints and disks are those of all of them.
func newDatabase() *figures {
	per := func(name, unit, help string) metric.Metric {
		return metric.Metric{
			Name: databaseView + "." + name, Kind: metric.Rate, Unit: unit, Source: databaseView,
			Doc: statisticsDoc + databaseView, Help: help,
		}
	}
	var list []figure
	for _, c := range [][3]string{
		{"xact_commit", "1/s", "Transactions that were committed; plinth's own are some: plinth.transactions."},
		{"xact_rollback", "1/s", "Transactions that were rolled back."},
		{"blks_read", "1/s", "Blocks that were not in shared buffers: read from the kernel, which may have them cached."},
		{"blks_hit", "1/s", "Blocks that were found in shared buffers."},
		{"tup_returned", "1/s", "Rows that scans returned: live rows of sequential scans, index entries of index scans."},
		{"tup_fetched", "1/s", "Rows that index scans fetched."},
		{"tup_inserted", "1/s", "Rows inserted."},
		{"tup_updated", "1/s", "Rows updated."},
		{"tup_deleted", "1/s", "Rows deleted."},
		{"conflicts", "1/s", "Queries cancelled by conflicts with recovery; on standbys only."},
		{"temp_files", "1/s", "Temporary files made by queries."},
		{"temp_bytes", "bytes/s", "Bytes written to temporary files by queries."},
		{"deadlocks", "1/s", "Deadlocks found."},
	} {
		list = append(list, figure{metric: per(c[0], c[1], c[2]), sql: c[0]})
	}
	for _, c := range [][2]string{
		{"blk_read_time", "Time that sessions spent reading blocks; only with track_io_timing."},
		{"blk_write_time", "Time that sessions spent writing blocks; only with track_io_timing."},
	} {
		sql, why := timed("track_io_timing", c[0])
		list = append(list, figure{metric: per(c[0], "s/s", c[1]), sql: sql, why: why, scale: milliseconds})
	}
	all := per("all.xact_commit", "1/s", "Transactions that were committed in all databases of the server; plinth's own are some: plinth.transactions.")
	list = append(list, figure{metric: all, sql: "(SELECT sum(xact_commit) FROM pg_stat_database)"})
	blocks := metric.Metric{Name: databaseView + ".blks"}
	list = append(list, figure{metric: blocks, sql: "blks_hit + blks_read", hidden: true})
	hit := per("hit", "1", "Share of blocks that were found in shared buffers.")
	hit.Kind = metric.Ratio
	return &figures{
		title: databaseView, ratios: []ratio{{hit, databaseView + ".blks_hit", blocks.Name}},
		of: func(int) ([]figure, string, string, error) {
			return list, reset("stats_reset"), "FROM pg_stat_database WHERE datname = current_database()", nil
		},
	}
}
