package postgres

import "plinth/internal/metric"

// newBuffers asks who wrote the buffers. Up to PostgreSQL 16 one view tells it all;
// 17 moved the checkpointer's part to a view of its own, and the backends' to
// pg_stat_io, where it is every process that is neither the checkpointer nor the
// background writer, and new blocks count as written, as they did before.
func newBuffers() *figures {
	return &figures{title: "bgwriter", of: func(major int) ([]figure, string, string, error) {
		if major < 17 {
			return bufferFigures("buffers_checkpoint", "buffers_clean", "buffers_backend", "buffers_alloc",
				"maxwritten_clean", "buffers_backend_fsync"), reset("stats_reset"), "FROM pg_stat_bgwriter", nil
		}
		// What a kind of process never does in a context is null there.
		written := "coalesce(writes, 0) + coalesce(extends, 0)"
		if major >= 18 { // which counts operations, of several blocks each
			written = "(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) / current_setting('block_size')::int"
		}
		list := bufferFigures("c.buffers_written", "b.buffers_clean", "i.written", "b.buffers_alloc", "b.maxwritten_clean", "i.fsyncs")
		return list, "concat_ws(' ', b.stats_reset, c.stats_reset, i.stats_reset)", `FROM pg_stat_bgwriter b, pg_stat_checkpointer c,
			(SELECT sum(` + written + `) AS written, sum(fsyncs) AS fsyncs, max(stats_reset) AS stats_reset FROM pg_stat_io
			WHERE object = 'relation' AND backend_type NOT IN ('checkpointer', 'background writer')) i`, nil
	}}
}

func bufferFigures(checkpointer, bgwriter, backend, alloc, maxwritten, fsync string) []figure {
	const view = "pg_stat_bgwriter"
	of := func(name, sql, source, help string) figure {
		return figure{sql: sql, metric: metric.Metric{
			Name: name, Kind: metric.Rate, Unit: "1/s", Source: source, Doc: statisticsDoc + source, Help: help,
		}}
	}
	return []figure{
		of("buffers_written.checkpointer", checkpointer, "pg_stat_checkpointer",
			"Buffers that checkpoints wrote; of pg_stat_bgwriter up to PostgreSQL 16."),
		of("buffers_written.bgwriter", bgwriter, view, "Buffers that the background writer wrote."),
		of("buffers_written.backend", backend, "pg_stat_io",
			"Buffers that sessions, autovacuum and others had to write themselves, and blocks they added; "+
				"of pg_stat_bgwriter up to PostgreSQL 16, which counts adding several blocks at once as one."),
		of("buffers_alloc", alloc, view, "Buffers that were allocated: each block read or added needs one."),
		of("bgwriter.maxwritten_clean", maxwritten, view, "Rounds that the background writer ended early, having written enough."),
		of("buffers_backend_fsync", fsync, "pg_stat_io",
			"Files that others than the checkpointer had to sync themselves; of pg_stat_bgwriter up to PostgreSQL 16."),
	}
}
