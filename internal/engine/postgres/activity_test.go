//go:build linux

package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// activityOf reads the activity of a server. On a busy machine a reading may exceed its time
// limit: then it is repeated.
func activityOf(t testing.TB, server engine.Server) engine.Activity {
	t.Helper()
	var a engine.Activity
	err := errors.New("it was not read")
	_ = life.Poll(t.Context(), patience, func() bool {
		a, err = server.Activity(t.Context())
		return err == nil || !tookTooLong(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tookTooLong reports whether a reading failed because of its time limit.
func tookTooLong(err error) bool {
	return client.State(err) == "57014" || strings.Contains(err.Error(), "not answer within")
}

func timed(a engine.Activity) int64     { return a.Counts[record.CheckpointsTimed] }
func requested(a engine.Activity) int64 { return a.Counts[record.CheckpointsRequested] }
func vacuums(a engine.Activity) int64   { return a.Counts[record.Autovacuums] }
func vacuuming(a engine.Activity) int64 { return a.Busy[record.Autovacuums] }

// tells reports whether a has exactly these counts.
func tells(a engine.Activity, names ...string) bool {
	return slices.Equal(slices.Sorted(maps.Keys(a.Counts)), slices.Sorted(slices.Values(names)))
}

// awaitActivity reads until the reading is as wanted: the server's statistics lag behind.
func awaitActivity(t *testing.T, server engine.Server, wanted func(engine.Activity) bool) engine.Activity {
	t.Helper()
	var a engine.Activity
	if life.Poll(t.Context(), patience, func() bool { a = activityOf(t, server); return wanted(a) }) != nil {
		t.Fatalf("not within %s: %+v", patience, a)
	}
	return a
}

// TestActivity checks on every version that the server's own activity is seen: a requested
// checkpoint, a timed one, autovacuum running and finished.
func TestActivity(t *testing.T) {
	t.Parallel()
	for _, programs := range testPrograms(t) {
		t.Run(strconv.Itoa(programs.Version), func(t *testing.T) {
			t.Parallel()
			config := ownConfig(t, programs)
			config.Experiment.Settings = map[string]string{
				"checkpoint_timeout": "1h", "checkpoint_completion_target": "0", // hurry makes it short
				"fsync": "off", "autovacuum": "off", "autovacuum_naptime": "1s", "autovacuum_vacuum_threshold": "0", "autovacuum_vacuum_scale_factor": "0",
				"autovacuum_analyze_threshold": "0", "autovacuum_analyze_scale_factor": "0",
			}
			own := startOwn(t, config)
			must(t, own.Load(t.Context(), nil))
			// The statistics of the checkpoints that the load requested may lag. They are
			// complete after the server was stopped.
			must(t, own.Stop(t.Context()))
			must(t, own.Start(t.Context()))
			if a := activityOf(t, own); a.PID != own.process.PID() || !a.Started.Equal(own.started) {
				t.Errorf("process %d of %s read as %+v", own.process.PID(), own.started, a)
			}
			if since, err := own.countsBuffers(t.Context()); !since || err != nil {
				t.Errorf("its buffers are not counted from its start on: %v", err)
			}
			t.Run("checkpoints", func(t *testing.T) { seesCheckpoints(t, own) })
			t.Run("autovacuum", func(t *testing.T) { seesAutovacuum(t, own) })
		})
	}
}

func seesCheckpoints(t *testing.T, own *Own) {
	before := activityOf(t, own)
	must(t, own.Checkpoint(t.Context()))
	after := awaitActivity(t, own, func(a engine.Activity) bool { return requested(a) > requested(before) })
	if requested(after) != requested(before)+1 || timed(after) != timed(before) {
		t.Errorf("CHECKPOINT between %+v and %+v", before, after)
	}
	hurry(t, own)
	idle := awaitSkipped(t, own)
	must(t, own.exec(t.Context(), own.name, "CREATE TABLE dirty (n int)"))
	ticked := awaitActivity(t, own, func(a engine.Activity) bool {
		must(t, own.exec(t.Context(), own.name, "INSERT INTO dirty VALUES (1)")) // the previous row may have been written out
		return timed(a) > timed(idle)
	})
	if requested(ticked) != requested(after) {
		t.Errorf("checkpoint_timeout between %+v and %+v", after, ticked)
	}
}

// awaitSkipped waits until checkpoint_timeout has passed with nothing to do: the server counts
// it, although it performs no checkpoint.
func awaitSkipped(t *testing.T, own *Own) engine.Activity {
	t.Helper()
	a, raw := activityOf(t, own), rawTimed(t, own)
	err := life.Poll(t.Context(), patience, func() bool {
		if rawTimed(t, own) == raw {
			return false
		}
		before := a
		a, raw = activityOf(t, own), rawTimed(t, own)
		return timed(a) == timed(before)
	})
	if err != nil {
		t.Fatalf("none of %d checkpoints of an idle server was skipped: %+v", raw, a)
	}
	return a
}

// rawTimed returns the server's own count.
func rawTimed(t *testing.T, own *Own) (n int64) {
	t.Helper()
	must(t, own.use(t.Context(), own.name, func(conn *pgx.Conn) error {
		return conn.QueryRow(t.Context(), "SELECT "+figuresOf(&statistics{}, serverMajor(conn), own.name)[1].sql).Scan(&n)
	}))
	return n
}

func seesAutovacuum(t *testing.T, own *Own) {
	exec := func(sql string) { t.Helper(); must(t, own.exec(t.Context(), own.name, sql)) }
	exec("ALTER SYSTEM SET autovacuum = on")
	exec("SELECT pg_reload_conf()")
	exec("CREATE TABLE small AS SELECT i FROM generate_series(1, 2000) i")
	before := activityOf(t, own)
	exec("DELETE FROM small WHERE i < 1000")
	awaitActivity(t, own, func(a engine.Activity) bool { return vacuums(a) > vacuums(before) })

	// A worker that may read one page in a tenth of a second runs for a long time.
	exec("CREATE TABLE slow WITH (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1) AS SELECT i FROM generate_series(1, 50000) i")
	exec("DELETE FROM slow WHERE i < 40000")
	awaitActivity(t, own, func(a engine.Activity) bool { return vacuuming(a) > 0 })
	exec("DROP TABLE slow") // which ends the worker
	awaitActivity(t, own, func(a engine.Activity) bool { return vacuuming(a) == 0 })
}

// TestActivityWithoutRights checks a user with almost no rights.
func TestActivityWithoutRights(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	c := newConnected(t, fmt.Sprintf("host=%s port=%d user=loader dbname=postgres", s.socketDir, s.port))
	t.Cleanup(func() { must(t, c.Remove(context.Background())) })
	must(t, c.Start(t.Context()))
	if a := activityOf(t, c); !tells(a, record.CheckpointsTimed, record.CheckpointsRequested, record.Autovacuums) || vacuums(a) != 0 || !a.Started.Equal(c.started) || a.PID != 0 {
		t.Errorf("before the load: %+v", a)
	}
	must(t, c.Load(t.Context(), nil))
	s.exec(t, "ALTER SYSTEM SET autovacuum_naptime = '1s'")
	s.exec(t, "SELECT pg_reload_conf()")
	must(t, c.exec(t.Context(), c.name, "CREATE TABLE slow WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0, "+
		"autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1) AS SELECT i FROM generate_series(1, 50000) i"))
	must(t, c.exec(t.Context(), c.name, "DELETE FROM slow"))
	awaitActivity(t, c, func(a engine.Activity) bool { return vacuuming(a) > 0 })

	// Privileges belong to one database: this revokes them in this one only.
	boss := reachAs(t, s, "boss", c.name)
	_, err := boss.Exec(t.Context(), "REVOKE SELECT ON pg_stat_bgwriter FROM PUBLIC")
	must(t, err)
	// The worker seen before may have been on another table, and have finished.
	if a := awaitActivity(t, c, func(a engine.Activity) bool { return vacuuming(a) > 0 }); !tells(a, record.Autovacuums) || a.Started.IsZero() {
		t.Errorf("without pg_stat_bgwriter: %+v", a)
	}
	_, err = boss.Exec(t.Context(), "REVOKE SELECT ON pg_stat_activity, pg_stat_all_tables FROM PUBLIC")
	must(t, err)
	if a := activityOf(t, c); !tells(a) || len(a.Busy) > 0 || a.Started.IsZero() {
		t.Errorf("without any view: %+v", a)
	}
	must(t, boss.Close(t.Context()))
	must(t, c.Check(t.Context()))
	must(t, c.Load(t.Context(), nil)) // a running worker does not keep the database from being dropped
}

// TestActivityOfADeafServer checks that a reading ends, and that a server that answers again
// keeps its connection.
func TestActivityOfADeafServer(t *testing.T) {
	t.Parallel()
	own := startOwn(t, ownConfig(t, oneInstalled(t)))
	must(t, own.Load(t.Context(), nil))
	locker := reach(t, own.Target())
	_, err := locker.Exec(t.Context(), "BEGIN; LOCK TABLE pg_class IN ACCESS EXCLUSIVE MODE")
	must(t, err)
	_, err = own.Activity(t.Context())
	if err == nil || hint.Of(err) != "" {
		t.Errorf("Activity of a locked catalog gave %v", err)
	}
	t.Logf("Activity: %v", err)
	must(t, locker.Close(t.Context()))
	activityOf(t, own)
	must(t, own.Check(t.Context()))

	pid := int(own.conn.PgConn().PID())
	must(t, syscall.Kill(pid, syscall.SIGSTOP))
	_, err = own.Activity(t.Context()) // it ends on its own
	must(t, syscall.Kill(pid, syscall.SIGCONT))
	if err == nil || !strings.Contains(err.Error(), "it did not answer within "+deafLimit.String()) {
		t.Errorf("Activity of a stopped backend gave %v", err)
	}
	activityOf(t, own)
	must(t, own.Check(t.Context()))
}

func BenchmarkActivity(b *testing.B) {
	own := newServer(b, ownConfig(b, oneInstalled(b)))
	b.Cleanup(func() { _ = own.Remove(context.Background()) })
	if err := own.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := own.Load(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		activityOf(b, own)
	}
}

func TestTimer(t *testing.T) {
	var timer timer
	for _, step := range []struct {
		what                            string
		timed, requested, written, want int64
	}{
		{"the first reading", 7, 3, 100, 7},
		{"nothing", 7, 3, 100, 7},
		{"skipped", 8, 3, 100, 7},
		{"asked for", 8, 4, 150, 7},
		{"made", 9, 4, 180, 8},
		{"still writing", 9, 4, 190, 8},
		{"skipped for an hour", 21, 4, 190, 8},
		{"skipped or not, beside another", 22, 5, 190, 9},
		{"reset", 1, 0, 0, 1},
		{"skipped after that", 2, 0, 0, 1},
	} {
		if got := timer.made(step.timed, step.requested, step.written); got != step.want {
			t.Errorf("%s: %d were made, want %d", step.what, got, step.want)
		}
	}
}
