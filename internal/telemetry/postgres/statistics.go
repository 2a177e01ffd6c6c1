package postgres

import (
	"fmt"
	"math"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

const databaseView = "pg_stat_database"

// newDatabase asks for the activity in the dataset's database, and for the commits of all
// databases: these share WAL, checkpoints and disks.
func newDatabase() *figures {
	per := func(name, unit, help string) metric.Metric {
		return metric.Metric{
			Name: databaseView + "." + name, Kind: metric.Rate, Unit: unit, Source: databaseView,
			Doc: statisticsDoc + databaseView, Help: help,
		}
	}
	var list []figure
	for _, c := range [][3]string{
		{"xact_commit", "1/s", "Transactions committed, including plinth's own (plinth.transactions)."},
		{"xact_rollback", "1/s", "Transactions rolled back."},
		{"blks_read", "1/s", "Blocks not found in shared buffers: read from the kernel, possibly from its page cache."},
		{"blks_hit", "1/s", "Blocks found in shared buffers."},
		{"tup_returned", "1/s", "Rows returned by scans: live rows of sequential scans, index entries of index scans."},
		{"tup_fetched", "1/s", "Rows fetched by index scans."},
		{"tup_inserted", "1/s", "Rows inserted."},
		{"tup_updated", "1/s", "Rows updated."},
		{"tup_deleted", "1/s", "Rows deleted."},
		{"conflicts", "1/s", "Queries cancelled because of conflicts with recovery; only on standbys."},
		{"temp_files", "1/s", "Temporary files created by queries."},
		{"temp_bytes", "bytes/s", "Bytes written to temporary files by queries."},
		{"deadlocks", "1/s", "Deadlocks detected."},
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
	all := per("all.xact_commit", "1/s", "Transactions committed in all databases of the server, including plinth's own (plinth.transactions).")
	list = append(list, figure{metric: all, sql: "(SELECT sum(xact_commit) FROM pg_stat_database)"})
	blocks := metric.Metric{Name: databaseView + ".blks"}
	list = append(list, figure{metric: blocks, sql: "blks_hit + blks_read", hidden: true})
	hit := per("hit", "1", "Share of blocks found in shared buffers.")
	hit.Kind = metric.Ratio
	return &figures{
		title: databaseView, ratios: []ratio{{hit, databaseView + ".blks_hit", blocks.Name}},
		of: func(int) ([]figure, string, string, error) {
			return list, reset("stats_reset"), "FROM pg_stat_database WHERE datname = current_database()", nil
		},
	}
}

const walView = "pg_stat_wal"

// newWAL asks for the WAL written, and the time it took. PostgreSQL 18 moved writes and
// syncs to pg_stat_io; there, initialising segments has the context "init", which older
// versions did not count.
func newWAL() *figures {
	return &figures{
		title: walView,
		ratios: []ratio{
			{walLatency("write", "Mean time of a WAL write."), "write_time", "wal.writes"},
			{walLatency("sync", "Mean time of a WAL sync; missing if wal_sync_method syncs with each write."), "sync_time", "wal.syncs"},
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
		of("records", "wal_records", "WAL records generated; from PostgreSQL 14 on."),
		of("fpi", "wal_fpi", "WAL full-page images, written at each page's first change after a checkpoint; from PostgreSQL 14 on."),
		of("buffers_full", "wal_buffers_full", "WAL writes caused by full WAL buffers; from PostgreSQL 14 on."),
		of("writes", writes, "WAL writes; from pg_stat_io in PostgreSQL 18 and later, missing before 14."),
		of("syncs", syncs, "WAL syncs; from pg_stat_io in PostgreSQL 18 and later, missing before 14."),
		time("write_time", writeTime), time("sync_time", syncTime),
	}
}

func walLatency(what, help string) metric.Metric {
	return metric.Metric{
		Name: "wal." + what + "_latency", Kind: metric.Ratio, Unit: "s", Source: walView, Doc: statisticsDoc + walView,
		Help: help + " Only with track_wal_io_timing; from pg_stat_io in PostgreSQL 18 and later, missing before 14.",
	}
}

// newBuffers asks which processes wrote buffers. Up to PostgreSQL 15 one view has
// everything, but what backends wrote reaches it only when the checkpointer wakes up
// (AbsorbSyncRequests). From 16 on, backends report that themselves, to pg_stat_io. There
// it is the sum over all processes but the checkpointer and the background writer, and new
// blocks count as written, as before. 17 moved the checkpointer's part to a separate view.
func newBuffers() *figures {
	return &figures{title: "bgwriter", of: func(major int) ([]figure, string, string, error) {
		if major < 16 {
			return bufferFigures("buffers_checkpoint", "buffers_clean", "buffers_backend", "buffers_alloc",
				"maxwritten_clean", "buffers_backend_fsync"), reset("stats_reset"), "FROM pg_stat_bgwriter b", nil
		}
		// An operation that a backend type never does in a context is null there.
		written := "coalesce(writes, 0) + coalesce(extends, 0)"
		if major >= 18 { // counts operations of several blocks each
			written = "(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) / current_setting('block_size')::int"
		}
		checkpointer := "pg_stat_checkpointer"
		if major < 17 {
			checkpointer = "(SELECT buffers_checkpoint AS buffers_written, stats_reset FROM pg_stat_bgwriter)"
		}
		list := bufferFigures("c.buffers_written", "b.buffers_clean", "i.written", "b.buffers_alloc", "b.maxwritten_clean", "i.fsyncs")
		return list, "concat_ws(' ', b.stats_reset, c.stats_reset, i.stats_reset)", `FROM pg_stat_bgwriter b, ` + checkpointer + ` c,
			(SELECT sum(` + written + `) AS written, sum(fsyncs) AS fsyncs, max(stats_reset) AS stats_reset FROM pg_stat_io
			WHERE object = 'relation' AND backend_type NOT IN ('checkpointer', 'background writer')) i`, nil
	}}
}

// freeBuffers is an expression for the share of shared buffers that are still free: a server takes these first
// (StrategyGetBuffer), and counts them. It is null unless the count began when the server started, as that of a server which
// plinth starts does. Buffers that recovery has used before, or that a dropped table frees again, are not counted.
const freeBuffers = `CASE WHEN b.stats_reset - pg_postmaster_start_time() BETWEEN '0 s' AND '60 s' THEN
	greatest(0, 1 - b.buffers_alloc::float8 * current_setting('block_size')::int / pg_size_bytes(current_setting('shared_buffers'))) END`

func bufferFigures(checkpointer, bgwriter, backend, alloc, maxwritten, fsync string) []figure {
	const view = "pg_stat_bgwriter"
	of := func(name, sql, source, help string) figure {
		return figure{sql: sql, metric: metric.Metric{
			Name: name, Kind: metric.Rate, Unit: "1/s", Source: source, Doc: statisticsDoc + source, Help: help,
		}}
	}
	return []figure{
		of("buffers_written.checkpointer", checkpointer, "pg_stat_checkpointer",
			"Buffers written by checkpoints; from pg_stat_bgwriter up to PostgreSQL 16."),
		of("buffers_written.bgwriter", bgwriter, view, "Buffers written by the background writer."),
		of("buffers_written.backend", backend, "pg_stat_io",
			"Buffers that backends, autovacuum workers and other processes wrote themselves, plus blocks that they added to relations; "+
				"up to PostgreSQL 15 from pg_stat_bgwriter, which has them only once the checkpointer wakes up, at the latest after checkpoint_timeout."),
		of("buffers_alloc", alloc, view, "Buffers allocated: each block read or added needs one."),
		{
			sql: freeBuffers, why: "the statistics of the background writer were not reset when the server started",
			metric: metric.Metric{
				Name: "buffers_free", Kind: metric.Gauge, Unit: "1", Source: view, Doc: statisticsDoc + view,
				Help: "Share of shared buffers that have not been used since the server started, from buffers_alloc. At zero, each block that is " +
					"read takes the place of another, which has to be written first if it is dirty. Known of servers that plinth starts.",
			},
		},
		of("bgwriter.maxwritten_clean", maxwritten, view, "Cleaning scans that the background writer stopped early because it had written bgwriter_lru_maxpages buffers."),
		of("buffers_backend_fsync", fsync, "pg_stat_io",
			"File syncs by processes other than the checkpointer; from pg_stat_bgwriter up to PostgreSQL 15."),
	}
}

// newLocks asks for the number of locks, without plinth's own.
func newLocks() *figures {
	of := func(name, sql, help string) figure {
		return figure{sql: sql, metric: metric.Metric{
			Name: "pg_locks." + name, Kind: metric.Gauge, Unit: "1", Source: "pg_locks", Doc: viewsDoc + "pg_locks", Help: help,
		}}
	}
	list := []figure{
		of("granted", "count(*) FILTER (WHERE granted)", "Locks held, of all types and in all databases."),
		of("waiting", "count(*) FILTER (WHERE NOT granted)", "Lock requests that are waiting."),
	}
	return &figures{title: "pg_locks", of: func(int) ([]figure, string, string, error) {
		return list, "''", "FROM pg_locks WHERE pid IS DISTINCT FROM pg_backend_pid()", nil
	}}
}

// newPosition asks for the WAL position, and marks the timeline where a new segment starts.
func newPosition() question {
	const (
		standby  = "pg_is_in_recovery()"
		inserted = "pg_current_wal_insert_lsn()"
		lsn      = "CASE WHEN " + standby + " THEN pg_last_wal_replay_lsn() ELSE " + inserted + " END"
	)
	bytes := metric.Metric{
		Name: "wal.bytes", Kind: metric.Rate, Unit: "bytes/s", Source: "pg_current_wal_insert_lsn()",
		Doc: functionsDoc + "Backup Control Functions", Help: "Bytes of WAL generated; on a standby, bytes of WAL replayed.",
	}
	list := []figure{
		{metric: bytes, sql: "pg_wal_lsn_diff(" + lsn + ", '0/0')", why: "the server has not replayed any WAL yet"},
		{metric: metric.Metric{Name: "segment size"}, sql: "pg_size_bytes(current_setting('wal_segment_size'))", hidden: true},
	}
	f := &figures{title: "wal position", of: func(int) ([]figure, string, string, error) {
		return list, "''", "", nil
	}}
	return &position{figures: f, file: "CASE WHEN NOT " + standby + " THEN pg_walfile_name(" + inserted + ") END"}
}

// position is figures that mark the timeline.
type position struct {
	*figures
	file    string
	segment float64 // that of the previous reading, 0 where unknown
}

// sql returns the first statement of a round. It makes the session report plinth's own
// activity up to now: the server's counters, which the next statements read, then include
// it, second by second, and it can be subtracted. Otherwise sessions report at most once a
// second, so that one second could have the transactions of two. Servers before PostgreSQL
// 15 have no such function; their rounds may be half a second off.
// https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-STATS-FUNCTIONS
func (p *position) sql(major int) (string, error) {
	if major < 15 {
		return p.statement(major, p.file)
	}
	return p.statement(major, p.file, "pg_stat_force_next_flush()")
}

func (p *position) put(b *telemetry.Board, a *answer) error {
	if err := p.figures.put(b, a); err != nil {
		return err
	}
	segment := math.Floor(a.rows.number(0, 1) / a.rows.number(0, 2))
	if grown := segment - p.segment; p.segment > 0 && grown > 0 {
		text := "1 segment"
		if grown > 1 {
			text = fmt.Sprintf("%.0f segments", grown)
		}
		if file := a.rows.text(0, 3); len(file) > 0 {
			text += ", now " + telemetry.Tidy(string(file))
		}
		b.Mark(a.at, "wal-segment", text)
	}
	if !math.IsNaN(segment) {
		p.segment = segment
	}
	return nil
}
