//go:build linux

package postgres

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Each version tells everything that it should, and what it tells is what its views
// say when they are read by hand.
func TestVersions(t *testing.T) {
	for version := range versions(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			major, _ := strconv.Atoi(version)
			settings := []string{"track_io_timing=on", "autovacuum=off", "max_wal_size=2GB", "bgwriter_lru_maxpages=20", "fsync=on", "shared_buffers=4MB"}
			if major >= 14 {
				settings = append(settings, "track_wal_io_timing=on")
			}
			c := newCluster(t, version, settings...)
			c.pgbench(t, "-i", "-q", "-s", "1")
			by := c.connect(t)
			exec1(t, by, "CHECKPOINT")
			w := watch(t, c.on(t))
			w.await(2)
			w.count() // an old version may tell of the loading until now
			before := byHand(t, by, major)
			done := c.pgbench(t, "-n", "-N", "-c", "4", "-T", "2")
			// Scans of a table that is larger than the buffers write what they replace.
			scanner := c.connect(t)
			exec1(t, scanner, "UPDATE pgbench_accounts SET abalance = 1")
			exec1(t, scanner, "SELECT count(*) FROM pgbench_accounts")
			_ = scanner.Close(t.Context()) // only then it tells all that it did
			exec1(t, by, "CHECKPOINT")
			after := settled(w, before["pg_stat_database.tup_inserted"]+done, func() map[string]float64 { return byHand(t, by, major) })
			w.stop()

			for column, then := range before {
				checkTotal(t, w, column, after[column]-then)
			}
			commits := w.total("pg_stat_database.xact_commit")
			own := 25 * float64(len(w.columns["pg_stat_database.xact_commit"]))
			if commits < done*0.99 || commits > done*1.01+own {
				t.Errorf("%.0f commits, and pgbench had %.0f", commits, done)
			}
			checkComplete(t, w)
			checkTimes(t, w, major)
			if len(w.marks("checkpoint-start")) == 0 || len(w.marks("checkpoint-end")) == 0 {
				t.Errorf("no marks of the checkpoint: %v", w.told.Marks)
			}
		})
	}
}

// settled waits until all that was done has been told: each transaction has inserted
// a row. That takes a second or two, more on a busy machine with an old version.
func settled(w *watched, inserted float64, read func() map[string]float64) (now map[string]float64) {
	for range 15 {
		w.await(1)
		if now = read(); now["pg_stat_database.tup_inserted"] >= inserted {
			break
		}
	}
	w.await(2)
	return read()
}

// byHand reads counters as a person would, by the name of the column that counts the same.
func byHand(t *testing.T, conn *pgx.Conn, major int) map[string]float64 {
	t.Helper()
	exec1(t, conn, "SELECT pg_stat_clear_snapshot()")
	queries := map[string]string{
		"wal.bytes":                            "SELECT pg_current_wal_insert_lsn() - '0/0'",
		"pg_stat_database.tup_updated":         "SELECT tup_updated FROM pg_stat_database WHERE datname = 'postgres'",
		"pg_stat_database.tup_inserted":        "SELECT tup_inserted FROM pg_stat_database WHERE datname = 'postgres'",
		"pg_statio_user_tables.heap_blks_hit":  "SELECT sum(heap_blks_hit) FROM pg_statio_user_tables",
		"pg_statio_user_tables.heap_blks_read": "SELECT sum(heap_blks_read) FROM pg_statio_user_tables",
		"pg_statio_user_tables.idx_blks_hit":   "SELECT sum(idx_blks_hit) FROM pg_statio_user_tables",
		"pg_statio_user_tables.idx_blks_read":  "SELECT sum(idx_blks_read) FROM pg_statio_user_tables",
		"buffers_alloc":                        "SELECT buffers_alloc FROM pg_stat_bgwriter",
		"buffers_written.bgwriter":             "SELECT buffers_clean FROM pg_stat_bgwriter",
		"buffers_written.checkpointer":         "SELECT buffers_checkpoint FROM pg_stat_bgwriter",
		"buffers_written.backend":              "SELECT buffers_backend FROM pg_stat_bgwriter",
		"checkpoints.requested":                "SELECT checkpoints_req FROM pg_stat_bgwriter",
		"wal.records":                          "SELECT wal_records FROM pg_stat_wal",
		"wal.writes":                           "SELECT wal_write FROM pg_stat_wal",
		"pg_stat_io.client_backend.hits":       "SELECT sum(hits) FROM pg_stat_io WHERE object = 'relation' AND backend_type = 'client backend'",
		"pg_stat_io.checkpointer.writes":       "SELECT sum(writes) FROM pg_stat_io WHERE object = 'relation' AND backend_type = 'checkpointer'",
		"pg_stat_io.client_backend.extends":    "SELECT sum(extends) FROM pg_stat_io WHERE object = 'relation' AND backend_type = 'client backend'",
	}
	if major < 14 {
		delete(queries, "wal.records")
		delete(queries, "wal.writes")
	}
	if major < 16 {
		delete(queries, "pg_stat_io.client_backend.hits")
		delete(queries, "pg_stat_io.checkpointer.writes")
		delete(queries, "pg_stat_io.client_backend.extends")
	}
	const others = "FROM pg_stat_io WHERE object = 'relation' AND backend_type NOT IN ('checkpointer', 'background writer')"
	if major >= 17 {
		queries["buffers_written.checkpointer"] = "SELECT buffers_written FROM pg_stat_checkpointer"
		queries["checkpoints.requested"] = "SELECT num_requested FROM pg_stat_checkpointer"
		queries["buffers_written.backend"] = "SELECT sum(writes) + sum(extends) " + others
	}
	if major >= 18 {
		queries["buffers_written.backend"] = "SELECT (sum(write_bytes) + sum(extend_bytes)) / 8192 " + others
		queries["wal.writes"] = "SELECT sum(writes) FROM pg_stat_io WHERE object = 'wal' AND context = 'normal'"
	}
	values := map[string]float64{}
	for column, sql := range queries {
		values[column] = number(t, conn, sql)
	}
	return values
}

// checkTotal allows 1 %, and what goes on besides: plinth and this test ask, too, which
// makes no checkpoints and hardly dirties anything.
func checkTotal(t *testing.T, w *watched, column string, want float64) {
	t.Helper()
	got, besides := w.total(column), 200.0
	switch {
	case strings.HasPrefix(column, "checkpoints."):
		besides = 0.5
	case strings.HasPrefix(column, "buffers_written."):
		besides = 20
	}
	if math.Abs(got-want) > want/100+besides {
		t.Errorf("%s: %.0f in all, by hand it is %.0f: %.0f", column, got, want, w.columns[column])
	}
}

// checkComplete says that each metric has a value or a reason.
func checkComplete(t *testing.T, w *watched) {
	t.Helper()
	for _, m := range Metrics() {
		told := false
		for column, values := range w.columns {
			for _, v := range values {
				told = told || matches(m, column) && !math.IsNaN(v)
			}
		}
		if !told && w.gap(m.Name) == "" {
			t.Errorf("%s has neither a value nor a reason", m.Name)
		}
	}
}

// checkTimes says that times are in seconds.
func checkTimes(t *testing.T, w *watched, major int) {
	t.Helper()
	if major < 14 {
		return
	}
	if v := w.peak("wal.write_latency"); v <= 0 || v > 0.5 {
		t.Errorf("a write of WAL took %v s", v)
	}
	if v := w.peak("pg_stat_database.hit"); v <= 0.5 || v > 1 {
		t.Errorf("%v of the blocks were hits", v)
	}
	if w.server.spent.total <= 0 || !w.server.spent.known {
		t.Errorf("it cost the server nothing: %+v", w.server.spent)
	}
}
