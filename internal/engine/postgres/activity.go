package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/record"
)

// Time limits of an activity reading: the server cancels the query after activityLimit; a server
// that does not even do that is given up after deafLimit.
const (
	activityLimit = 2 * time.Second
	deafLimit     = 5 * time.Second
)

// Activity reads what the server has done on its own since it started.
//
// Each reading is a separate transaction, so that it does not see numbers cached by an earlier
// one (stats_fetch_consistency); the difference of two readings covers the time in between. A
// reading may still lag. A checkpoint counts from its start, but the checkpointer reports it only
// once it writes or is done; autovacuum reports a table when it has finished it; and up to
// PostgreSQL 14 all statistics go through the statistics collector and are up to half a second
// old.
//
// Counters may decrease between two readings: a crash and a new load reset them.
func (d *database) Activity(ctx context.Context) (engine.Activity, error) {
	a, err := d.activity(ctx)
	if err != nil {
		return engine.Activity{}, fmt.Errorf("cannot read the activity of the server: %w", d.because(ctx, err))
	}
	return a, nil
}

// activity reads all figures at once, or one by one if one of them is not permitted.
func (d *database) activity(ctx context.Context) (a engine.Activity, err error) {
	within, cancel := context.WithTimeout(ctx, deafLimit)
	defer cancel()
	var s statistics
	err = d.use(within, d.current(), func(conn *pgx.Conn) error {
		figures := figuresOf(&s, serverMajor(conn), d.name)
		err := readFigures(within, conn, figures)
		if client.State(err) == client.StateDenied {
			err = readEach(within, conn, figures)
		}
		return err
	})
	switch {
	case within.Err() != nil && ctx.Err() == nil:
		err = fmt.Errorf("it did not answer within %s", deafLimit)
	case err == nil && s.written >= 0:
		s.timed = d.timer.made(s.timed, s.requested, s.written)
	}
	return s.activity(), err
}

// statistics are the values of the server's statistics views; -1 if not reported.
type statistics struct {
	started                   time.Time
	timed, requested, written int64 // checkpoints, and the buffers that they wrote
	autovacuums, vacuuming    int64 // finished runs, and workers that are running now
}

// activity converts s, and omits what the server does not report.
func (s statistics) activity() engine.Activity {
	a := engine.Activity{Started: s.started, Counts: map[string]int64{}, Busy: map[string]int64{}}
	for name, n := range map[string]int64{
		record.CheckpointsTimed: s.timed, record.CheckpointsRequested: s.requested, record.Autovacuums: s.autovacuums,
	} {
		if n >= 0 {
			a.Counts[name] = n
		}
	}
	if s.vacuuming > 0 {
		a.Busy[record.Autovacuums] = s.vacuuming
	}
	return a
}

// figure is one value to read: an SQL expression and its destination.
type figure struct {
	sql  string
	into any
}

// figuresOf returns the statistics to read from a server of this major version.
//
// Autovacuum workers are the only processes connected to a database that have no user. Any role
// may see that, while backend_type needs rights.
// https://www.postgresql.org/docs/current/monitoring-stats.html
func figuresOf(s *statistics, major int, database string) []figure {
	timed, requested, buffers, view := "checkpoints_timed", "checkpoints_req", "buffers_checkpoint", "pg_stat_bgwriter"
	if major >= 17 {
		timed, requested, buffers, view = "num_timed", "num_requested", "buffers_written", "pg_stat_checkpointer"
	}
	of := func(column string) string { return "(SELECT " + column + " FROM " + view + ")" }
	name := "'" + strings.ReplaceAll(database, "'", "''") + "'"
	return []figure{
		{"pg_postmaster_start_time()", &s.started},
		{of(timed), &s.timed},
		{of(requested), &s.requested},
		{of(buffers), &s.written},
		{`(SELECT CASE WHEN current_setting('track_counts')::bool
			THEN coalesce(sum(autovacuum_count + autoanalyze_count), 0)::bigint ELSE -1 END
			FROM pg_stat_all_tables WHERE relid >= 16384 AND current_database() = ` + name + `)`, &s.autovacuums},
		{`(SELECT count(*) FROM pg_stat_activity
			WHERE datname = ` + name + ` AND usesysid IS NULL)`, &s.vacuuming},
	}
}

// readFigures reads all figures with one statement, in one round trip. The time limit is sent
// with it, and applies to this transaction only.
func readFigures(ctx context.Context, conn *pgx.Conn, figures []figure) error {
	var sql []string
	var into []any
	for _, f := range figures {
		sql, into = append(sql, f.sql), append(into, f.into)
	}
	batch := &pgx.Batch{}
	batch.Queue("SELECT set_config('statement_timeout', $1, true)", fmt.Sprint(activityLimit.Milliseconds()))
	batch.Queue("SELECT " + strings.Join(sql, ", "))
	results := conn.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }() // the query returns the same error
	if _, err := results.Exec(); err != nil {
		return err
	}
	return results.QueryRow().Scan(into...)
}

// readEach reads the figures one by one. A counter that is not permitted becomes -1.
func readEach(ctx context.Context, conn *pgx.Conn, figures []figure) error {
	for _, f := range figures {
		err := readFigures(ctx, conn, []figure{f})
		if counter, is := f.into.(*int64); is && client.State(err) == client.StateDenied {
			*counter, err = -1, nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// serverMajor returns the major version that a server reports to every client.
func serverMajor(conn *pgx.Conn) (major int) {
	_, _ = fmt.Sscanf(conn.PgConn().ParameterStatus("server_version"), "%d", &major)
	return major
}

// timer separates the timed checkpoints that were performed from those that were skipped: the
// server counts every checkpoint_timeout that passes, and then skips the checkpoint if nothing
// was written since the last one. An idle server does that forever, and so does a read-only load.
//
// PostgreSQL itself reports performed checkpoints from version 18 on (num_done), and only once
// the checkpoint has ended. What all versions report, at the same moment as the count, is the
// number of buffers that checkpoints have written: a skipped one writes none.
type timer struct {
	known                     bool
	timed, requested, written int64 // the last reading
	skipped                   int64 // of timed
}

// made returns how many of the timed checkpoints were performed. If the last interval has both
// timed and requested checkpoints, or any written buffers, all of its timed ones count.
func (t *timer) made(timed, requested, written int64) int64 {
	if timed < t.timed || written < t.written { // the server's statistics were reset
		*t = timer{}
	}
	if t.known && timed > t.timed && requested == t.requested && written == t.written {
		t.skipped += timed - t.timed
	}
	t.known, t.timed, t.requested, t.written = true, timed, requested, written
	return timed - t.skipped
}
