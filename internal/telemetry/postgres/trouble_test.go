//go:build linux

package postgres

import (
	"math"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"plinth/internal/telemetry"
	"plinth/internal/telemetry/telemetrytest"
)

// TestInterruptions checks that a terminated session is a gap with the reason, followed by
// a new session; so are reset statistics and a restarted server.
func TestInterruptions(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t))
	synctest.Test(t, func(t *testing.T) {
		by := c.connect(t)
		w := watch(t, c.on(t))
		w.await(2)
		first := number(t, by, "SELECT pid FROM pg_stat_activity WHERE application_name = 'plinth'")
		exec1(t, by, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plinth'")
		telemetrytest.WaitFor(t, "the session to end", func() bool {
			return number(t, by, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plinth'") == 0
		})
		w.await(3)
		second := number(t, by, "SELECT max(pid) FROM pg_stat_activity WHERE application_name = 'plinth'")
		if number(t, by, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plinth'") != 1 || first == second {
			t.Errorf("sessions %v and %v", first, second)
		}
		exec1(t, by, "SELECT pg_stat_reset()")
		exec1(t, by, "SELECT pg_stat_reset_shared('bgwriter')")
		w.await(2)
		c.stop(syscall.SIGINT)
		w.await(2)
		c.start(t)
		w.await(3)
		w.stop()

		for column, whys := range map[string][]string{
			"pg_stat_database.xact_commit":        {"statistics were reset", "cannot reach the server"},
			"pg_statio_user_tables.heap_blks_hit": {"statistics were reset"},
			"checkpoints.timed":                   {"statistics were reset"},
			"wal.bytes":                           {"cannot reach the server"},
			"sessions.idle":                       {"cannot reach the server"},
			"wait.active":                         {"the server closed the connection", "cannot reach the server"},
		} {
			for _, why := range whys {
				if gap := w.gap(column); !strings.Contains(gap, why) {
					t.Errorf("%s: %q does not say %q", column, gap, why)
				}
			}
			if math.IsNaN(w.last(column)) {
				t.Errorf("%s was never read again", column)
			}
		}
		if strings.Contains(w.gap("wal.bytes"), "statistics were reset") {
			t.Error("the position is no statistic")
		}
		for name, values := range w.columns {
			for _, v := range values {
				if v < 0 {
					t.Errorf("%s: %v", name, values)
				}
			}
		}
	})
}

// TestRestartUnseen checks that counters restart where the server was restarted between two
// readings.
func TestRestartUnseen(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t))
	s := newServer(c.on(t))
	parts := questions(nil)
	p := s.part(parts[1])
	s.ask(t.Context())
	if s.restarted || p.asked.answer.err != nil {
		t.Fatal(s.restarted, p.asked.answer.err)
	}
	c.stop(syscall.SIGINT)
	c.start(t)
	s.ask(t.Context())
	if p.asked.answer.err == nil || s.link != nil {
		t.Fatal("the connection was not lost")
	}
	s.next = time.Time{}
	s.ask(t.Context())
	if !s.restarted || p.asked.answer.err != nil {
		t.Error(s.restarted, p.asked.answer.err)
	}
	s.close()
	s.close()
}

// TestLocked checks that a statement waiting for a lock costs only its own columns.
func TestLocked(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t))
	synctest.Test(t, func(t *testing.T) {
		by := c.connect(t)
		w := watch(t, c.on(t))
		w.await(1)
		exec1(t, by, "BEGIN; LOCK pg_class IN ACCESS EXCLUSIVE MODE")
		w.await(3)
		exec1(t, by, "COMMIT")
		w.await(3)
		w.stop()
		if gap := w.gap("pg_statio_user_tables.heap_blks_hit"); !strings.Contains(gap, "lock timeout") {
			t.Errorf("tables: %q", gap)
		}
		for _, column := range []string{"wal.bytes", "pg_stat_database.blks_hit", "wait.active", "pg_locks.granted"} {
			if gap := w.gap(column); gap != "" {
				t.Errorf("%s: %q", column, gap)
			}
		}
		if math.IsNaN(w.last("pg_statio_user_tables.heap_blks_hit")) {
			t.Errorf("tables were never read again: %+v, %v", w.told.Gaps, w.columns["pg_statio_user_tables.heap_blks_hit"])
		}
	})
}

// TestRights checks that a role without rights gets what it can see, and that gaps say
// which grant would show the rest.
func TestRights(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t))
	synctest.Test(t, func(t *testing.T) {
		by := c.connect(t)
		exec1(t, by, "CREATE ROLE nobody_special LOGIN")
		exec1(t, by, "CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
		exec1(t, by, "REVOKE EXECUTE ON FUNCTION pg_lock_status() FROM PUBLIC")
		exec1(t, by, "REVOKE EXECUTE ON FUNCTION pg_current_wal_insert_lsn() FROM PUBLIC")
		w := watch(t, c.on(t, "user=nobody_special"))
		w.await(2)
		exec1(t, by, "GRANT pg_monitor TO nobody_special")
		exec1(t, by, "GRANT EXECUTE ON FUNCTION pg_lock_status() TO pg_monitor")
		w.await(3)
		w.stop()
		for column, why := range map[string]string{
			"pg_locks.granted": "permission denied for function pg_lock_status: to allow it, run GRANT pg_monitor TO nobody_special",
			"wal.bytes":        "permission denied for function pg_current_wal_insert_lsn",
			"sessions.idle":    "GRANT pg_read_all_stats (or pg_monitor) TO nobody_special",
			"wait.active":      "GRANT pg_read_all_stats (or pg_monitor) TO nobody_special",
		} {
			if gap := w.gap(column); !strings.Contains(gap, why) {
				t.Errorf("%s: %q", column, gap)
			}
			if column != "wal.bytes" && math.IsNaN(w.last(column)) {
				t.Errorf("%s is not seen with the right: %q", column, w.gap(column))
			}
		}
		for _, column := range []string{"pg_stat_database.blks_hit", "autovacuum.workers", "checkpoints.timed", "pg_statio_user_tables.heap_blks_hit"} {
			if gap := w.gap(column); gap != "" || math.IsNaN(w.last(column)) {
				t.Errorf("%s: %q", column, gap)
			}
		}
	})
}

// TestSilentServer checks that a server which accepts connections but does not respond does
// not block for long, and is tried less and less often.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	c := &cluster{dir: "/nowhere"}
	config := c.config(t, "password=geheim")
	config.Host, config.Port = "127.0.0.1", uint16(listener.Addr().(*net.TCPAddr).Port)
	config.Fallbacks = nil
	lane := Lane(Options{Config: config})
	first := lane.Sources[0].(*part)
	b := telemetry.NewBoard(first.Name())
	began := time.Now()
	b.Begin(began)
	err = first.Read(t.Context(), b)
	if err == nil || !strings.Contains(err.Error(), "cannot reach the server: the server did not answer within 1.8s") || strings.Contains(err.Error(), "geheim") {
		t.Errorf("it says %v", err)
	}
	if took := time.Since(began); took < patience {
		t.Errorf("it waited for %v, and has a patience of %v", took, patience)
	}
	s := first.server
	if s.wait != shortest || !s.next.After(began.Add(patience)) {
		t.Errorf("after the first time it waits for %v", s.wait)
	}
	for again := shortest; again < longest; again = s.wait {
		s.later(true)
		if s.wait != min(2*again, longest) {
			t.Errorf("after a wait of %v it waits for %v", again, s.wait)
		}
	}
	if s.later(false); s.wait != shortest {
		t.Errorf("when it was refused it waits for %v", s.wait)
	}
	costly := lane.Sources[len(lane.Sources)-1].(telemetry.Costly)
	if cpu, known, held := costly.Cost(); cpu != 0 || known || held != "" {
		t.Error(cpu, known, held)
	}
}
