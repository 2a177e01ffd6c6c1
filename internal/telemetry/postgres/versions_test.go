//go:build linux

package postgres

import (
	"fmt"
	"math"
	"strconv"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"plinth/internal/telemetry/telemetrytest"

	"github.com/jackc/pgx/v5"
)

// TestVersions checks that each version fills all its columns, with the values that its
// views show when queried directly.
func TestVersions(t *testing.T) {
	for version := range versions(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			major, _ := strconv.Atoi(version)
			settings := []string{"track_io_timing=on", "autovacuum=off", "max_wal_size=2GB", "bgwriter_lru_maxpages=20", "max_parallel_workers_per_gather=0", "fsync=on", "shared_buffers=4MB", "archive_mode=on", "archive_command=true"}
			if major >= 14 {
				settings = append(settings, "track_wal_io_timing=on")
			}
			c := newCluster(t, version, settings...)
			c.pgbench(t, "-i", "-q", "-s", "1")
			synctest.Test(t, func(t *testing.T) { tellsEverything(t, c, major) })
		})
	}
}

func tellsEverything(t *testing.T, c *cluster, major int) {
	var began time.Time
	telemetrytest.Outside(func() { began = time.Now() })
	by := c.connect(t)
	const inserted, requested, archived = "pg_stat_database.tup_inserted", "checkpoints.requested", "archiver.archived"
	const loaded = 100_000 + 10 + 1 // rows of pgbench -i -s 1
	checkpoints := byHand(t, by, major)[requested]
	exec1(t, by, "CHECKPOINT")
	settled(t, by, major, map[string]float64{inserted: loaded, requested: checkpoints + 1})
	w := watch(t, c.on(t))
	c.begin(t, "SELECT pg_sleep(3600)")
	telemetrytest.WaitFor(t, "a session to sleep", func() bool {
		return number(t, by, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 1
	})
	w.await(2)
	exec1(t, by, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
	first := byHand(t, by, major)
	w.await(1)
	w.count()
	before, scans := byHand(t, by, major), number(t, by, scansOfAccounts)
	done := c.pgbench(t, "-n", "-N", "-c", "4", "-t", "300")
	// Scans of a table larger than the buffers write the buffers they replace.
	scanner := c.connect(t)
	exec1(t, scanner, "UPDATE pgbench_accounts SET abalance = 1")
	exec1(t, scanner, "SELECT count(*) FROM pgbench_accounts")
	_ = scanner.Close(t.Context()) // only then does it report all its activity
	exec1(t, by, "CHECKPOINT")
	exec1(t, by, "SELECT pg_switch_wal()")
	settled(t, by, major, map[string]float64{inserted: before[inserted] + done, requested: before[requested] + 1, archived: before[archived] + 1})
	// pgbench updates and reads an account in each transaction.
	telemetrytest.WaitFor(t, "the scanner's statistics", func() bool { return number(t, by, scansOfAccounts) >= scans+2*done+2 })
	after := byHand(t, by, major)
	w.await(1)
	last := byHand(t, by, major)
	w.stop()

	// plinth's total is no less than what was queried within its readings, and no more than
	// what was queried around them: these counters only grow, however late they are.
	for column := range before {
		least, most := after[column]-before[column], last[column]-first[column]
		if got := w.total(column); got < least-0.01 || got > most+0.01 {
			t.Errorf("%s: %.2f in all, by hand it is %.0f to %.0f: %.0f", column, got, least, most, w.columns[column])
		}
	}
	if commits := w.total("pg_stat_database.xact_commit"); commits < done {
		t.Errorf("%.0f commits, and pgbench had %.0f", commits, done)
	}
	checkComplete(t, w)
	telemetrytest.Outside(func() { checkTimes(t, w, major, time.Since(began)) })
	if len(w.marks("checkpoint-start")) == 0 || len(w.marks("checkpoint-end")) == 0 {
		t.Errorf("no marks of the checkpoint: %v", w.told.Marks)
	}
}

// TestFreeBuffers checks the share of free buffers with a server whose statistics are reset when it starts, as those of plinth's
// own are: its buffers are used up by a table that is larger. After a restart without a reset, it is not known.
func TestFreeBuffers(t *testing.T) {
	for version := range versions(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			const query = "SELECT coalesce(" + freeBuffers + ", -1) FROM pg_stat_bgwriter b"
			c := newCluster(t, version, "autovacuum=off", "shared_buffers=8MB")
			by := c.connect(t)
			exec1(t, by, "SELECT pg_stat_reset_shared('bgwriter')")
			first := 0.0
			telemetrytest.WaitFor(t, "the reset", func() bool { first = number(t, by, query); return first >= 0 })
			if first <= 0 || first > 1 {
				t.Errorf("at first, %v are free", first)
			}
			c.pgbench(t, "-i", "-q", "-s", "1")
			c.pgbench(t, "-n", "-S", "-t", "4000") // reads most pages of a table of 13 MB
			telemetrytest.WaitFor(t, "all buffers to be used", func() bool { return number(t, by, query) == 0 })
			c.stop(syscall.SIGINT)
			c.start(t)
			if v := number(t, c.connect(t), query); v != -1 {
				t.Errorf("without a reset, %v are free", v)
			}
		})
	}
}

// scansOfAccounts counts scans of pgbench's largest table and its index.
const scansOfAccounts = "SELECT seq_scan + idx_scan FROM pg_stat_user_tables WHERE relname = 'pgbench_accounts'"

// settled waits until the server shows these. That takes a second or two, more on a busy
// machine with an old version.
func settled(t *testing.T, by *pgx.Conn, major int, want map[string]float64) {
	t.Helper()
	telemetrytest.WaitFor(t, fmt.Sprintf("the server to tell of %v", want), func() bool {
		now := byHand(t, by, major)
		for column, least := range want {
			if now[column] < least {
				return false
			}
		}
		return true
	})
}

// byHand queries counters directly, by the name of the matching column.
func byHand(t *testing.T, conn *pgx.Conn, major int) map[string]float64 {
	t.Helper()
	exec1(t, conn, "SELECT pg_stat_clear_snapshot()")
	queries := map[string]string{
		"wal.bytes":                            "SELECT pg_current_wal_insert_lsn() - '0/0'",
		"pg_stat_database.xact_commit":         "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'",
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
		"archiver.archived":                    "SELECT archived_count FROM pg_stat_archiver",
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
	if major >= 16 {
		queries["buffers_written.backend"] = "SELECT sum(writes) + sum(extends) " + others
	}
	if major >= 17 {
		queries["buffers_written.checkpointer"] = "SELECT buffers_written FROM pg_stat_checkpointer"
		queries["checkpoints.requested"] = "SELECT num_requested FROM pg_stat_checkpointer"
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

// checkComplete checks that each metric has a value or a reason.
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

// checkTimes checks that times are in seconds: no write took longer than the test.
func checkTimes(t *testing.T, w *watched, major int, took time.Duration) {
	t.Helper()
	if major < 14 {
		return
	}
	if v := w.peak("wal.write_latency"); v <= 0 || v > took.Seconds() {
		t.Errorf("a write of WAL took %v s, and the test %v", v, took)
	}
	if v := w.peak("pg_stat_database.hit"); v <= 0.5 || v > 1 {
		t.Errorf("%v of the blocks were hits", v)
	}
	if w.server.spent.total <= 0 || !w.server.spent.known {
		t.Errorf("it cost the server nothing: %+v", w.server.spent)
	}
}
