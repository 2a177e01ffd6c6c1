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

// How long a reading of the activity may take: the server breaks it off after
// activityLimit; one that does not even do that is left after deafLimit.
const (
	activityLimit = 2 * time.Second
	deafLimit     = 5 * time.Second
)

// Activity reads what the server has done by itself since it started.
//
// Two readings tell what happened in between: each is a transaction of its own,
// so neither sees numbers that the other had cached (stats_fetch_consistency).
// Still a reading may lag. A checkpoint counts from its beginning, but the
// checkpointer tells of it only once it writes or is done; autovacuum tells of a
// table when it has finished it, and up to PostgreSQL 14 all of it goes through
// the statistics collector, whose numbers are up to half a second old.
//
// Counters may fall between two readings: a crash and a new load set them back.
func (d *database) Activity(ctx context.Context) (engine.Activity, error) {
	a, err := d.activity(ctx)
	if err != nil {
		return engine.Activity{}, fmt.Errorf("cannot read the activity of the server: %w", d.because(ctx, err))
	}
	return a, nil
}

// activity reads all at once, or figure by figure where one is not permitted.
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
		err = fmt.Errorf("it has not answered within %s", deafLimit)
	case err == nil && s.written >= 0:
		s.timed = d.timer.made(s.timed, s.requested, s.written)
	}
	return s.activity(), err
}

// statistics are what the server's views say; -1 is not told.
type statistics struct {
	started                   time.Time
	timed, requested, written int64 // checkpoints, and the buffers that they wrote
	autovacuums, vacuuming    int64 // that ended, and workers that are at work
}

// activity leaves out what is not told.
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

// figure is one thing that is read: an SQL expression and where its value goes.
type figure struct {
	sql  string
	into any
}

// figuresOf are the statistics of a server of this major version.
//
// Autovacuum's workers are the only processes of a database that are nobody's.
// That is to be seen without any rights, while backend_type is not.
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

// readFigures reads all figures by one statement, in one round trip with its
// time limit, which holds for this transaction only.
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
	defer func() { _ = results.Close() }() // its error is that of the query
	if _, err := results.Exec(); err != nil {
		return err
	}
	return results.QueryRow().Scan(into...)
}

// readEach reads figure by figure. A counter that is not permitted is -1.
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

// serverMajor is the major version of a server as it tells every client.
func serverMajor(conn *pgx.Conn) (major int) {
	_, _ = fmt.Sscanf(conn.PgConn().ParameterStatus("server_version"), "%d", &major)
	return major
}

// timer tells the timed checkpoints that were made from those that were not: the
// server counts every checkpoint_timeout that passes, and then skips the
// checkpoint where nothing was written since the last one. An idle server does
// that for ever, and a load that only reads does it, too.
//
// PostgreSQL itself says so from 18 on (num_done), and only once the checkpoint
// has ended. What all versions tell, and at the same moment as the count, is how
// many buffers checkpoints have written: none for one that was skipped.
type timer struct {
	known                     bool
	timed, requested, written int64 // as read last
	skipped                   int64 // of timed
}

// made is how many of the timed checkpoints were made. Where several causes came
// together since the last reading, all of them count.
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
