package postgres

import "plinth/internal/metric"

const walView = "pg_stat_wal"

// newWAL asks what was written to the write-ahead log, and how long that took.
// PostgreSQL 18 moved writes and syncs to pg_stat_io; there, segments that are made
// ready for use are of the context "init", which older versions did not count.
func newWAL() *figures {
	return &figures{
		title: walView,
		ratios: []ratio{
			{walLatency("write", "Mean time of a write to the log."), "write_time", "wal.writes"},
			{walLatency("sync", "Mean time of making the log durable; nothing where wal_sync_method syncs with each write."), "sync_time", "wal.syncs"},
		},
		of: func(major int) ([]figure, string, string, error) {
			if major < 14 {
				return nil, "", "", cameWith(walView, major, 14)
			}
			if major < 18 {
				return walFigures("wal_write", "wal_sync", "wal_write_time", "wal_sync_time"), reset("stats_reset"), "FROM pg_stat_wal", nil
			}
			return walFigures("writes", "fsyncs", "write_time", "fsync_time"), "concat_ws(' ', w.stats_reset, i.stats_reset)",
				`FROM pg_stat_wal w, (SELECT sum(writes) AS writes, sum(fsyncs) AS fsyncs, sum(write_time) AS write_time,
				sum(fsync_time) AS fsync_time, max(stats_reset) AS stats_reset FROM pg_stat_io
				WHERE object = 'wal' AND context = 'normal') i`, nil
		},
	}
}

func walFigures(writes, syncs, writeTime, syncTime string) []figure {
	of := func(name, sql, help string) figure {
		return figure{sql: sql, metric: metric.Metric{
			Name: "wal." + name, Kind: metric.Rate, Unit: "1/s", Source: walView, Doc: statisticsDoc + walView, Help: help,
		}}
	}
	time := func(name, expression string) figure {
		sql, why := timed("track_wal_io_timing", expression)
		return figure{metric: metric.Metric{Name: name}, sql: sql, why: why, scale: milliseconds, hidden: true}
	}
	return []figure{
		of("records", "wal_records", "Records added to the log; from PostgreSQL 14 on."),
		of("fpi", "wal_fpi", "Images of whole pages in it: each page's first change after a checkpoint; from PostgreSQL 14 on."),
		of("buffers_full", "wal_buffers_full", "Writes because WAL buffers were full; from PostgreSQL 14 on."),
		of("writes", writes, "Writes to the log; of pg_stat_io from PostgreSQL 18 on, none before 14."),
		of("syncs", syncs, "Syncs of the log; of pg_stat_io from PostgreSQL 18 on, none before 14."),
		time("write_time", writeTime), time("sync_time", syncTime),
	}
}

func walLatency(what, help string) metric.Metric {
	return metric.Metric{
		Name: "wal." + what + "_latency", Kind: metric.Ratio, Unit: "s", Source: walView, Doc: statisticsDoc + walView,
		Help: help + " Only with track_wal_io_timing; of pg_stat_io from PostgreSQL 18 on, none before 14.",
	}
}
