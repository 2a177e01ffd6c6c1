//go:build linux

package postgres

import (
	"math"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"plinth/internal/telemetry/telemetrytest"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestServerLog checks that the server's own log marks the timeline, with each version.
func TestServerLog(t *testing.T) {
	for version := range versions(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, version, "fsync=on", "log_checkpoints=on", "log_autovacuum_min_duration=0", "autovacuum_naptime=1", "deadlock_timeout=50", "log_lock_waits=on")
			synctest.Test(t, func(t *testing.T) { serverLog(t, c) })
		})
	}
}

func serverLog(t *testing.T, c *cluster) {
	by := c.connect(t)
	exec1(t, by, "CREATE TABLE t (a int)")
	o := c.on(t)
	o.Log = c.log
	w := watch(t, o)
	exec1(t, by, "INSERT INTO t SELECT generate_series(1, 10000)")
	exec1(t, by, "DELETE FROM t")
	exec1(t, by, "CHECKPOINT")
	other := c.connect(t)
	exec1(t, other, "BEGIN; LOCK t")
	locked := make(chan error, 1)
	go func() {
		_, err := by.Exec(t.Context(), "BEGIN; LOCK t")
		locked <- err
	}()
	logged := func(what string) func() bool {
		return func() bool { return strings.Contains(c.lines.String(), what) }
	}
	telemetrytest.WaitFor(t, "the server to log the wait for a lock", logged("still waiting for "))
	exec1(t, other, "COMMIT")
	if err := <-locked; err != nil {
		t.Error(err)
	}
	exec1(t, by, "ROLLBACK")
	w.await(1)
	exec1(t, by, "SELECT pg_switch_wal()")
	exec1(t, by, "INSERT INTO t VALUES (1)")
	w.await(2)
	for _, what := range []string{"automatic ", "checkpoint complete: "} {
		telemetrytest.WaitFor(t, "the server to log "+what, func() bool {
			exec1(t, by, "SELECT 1") // up to PostgreSQL 14 an idle session may not have reported its last activity
			return logged(what)()
		})
	}
	w.await(1)
	w.stop()
	for kind, want := range map[string]string{
		"checkpoint-start": "immediate force wait", "checkpoint-end": "wrote ", "wal-segment": ", now 0000000100",
		"autovacuum": " of ", "log": "still waiting for AccessExclusiveLock on relation",
	} {
		if texts := strings.Join(w.marks(kind), "\n"); !strings.Contains(texts, want) {
			t.Errorf("%s: %q", kind, texts)
		}
	}
	if longest := w.last("checkpoints.sync_longest"); !(longest >= 0) { // it syncs the table's file, perhaps within a millisecond
		t.Errorf("the longest sync of the checkpoint: %v, %q", w.columns["checkpoints.sync_longest"], w.gap("checkpoints.sync_longest"))
	}
	if n := len(w.marks("checkpoint-start")); n != 1 {
		t.Errorf("%d checkpoints, of counters and of the log", n)
	}
}

// TestStandby checks that a primary reports the lag of its standby, and the standby what it
// replays.
func TestStandby(t *testing.T) {
	t.Parallel()
	primary := newCluster(t, oneVersion(t))
	standby := makeCluster(t, primary.version)
	standby.must(t, "pg_basebackup", "-h", primary.dir, "-U", "postgres", "-D", standby.data(), "-c", "fast", "-R")
	standby.start(t)
	by := primary.connect(t)
	exec1(t, by, "CREATE TABLE before ()")
	written := number(t, by, "SELECT pg_current_wal_insert_lsn() - '0/0'")
	telemetrytest.WaitFor(t, "the standby to say what it replayed", func() bool {
		return number(t, by, "SELECT coalesce(max(replay_lsn - '0/0'), 0) FROM pg_stat_replication") >= written
	})
	synctest.Test(t, func(t *testing.T) {
		w, s := watch(t, primary.on(t)), watch(t, standby.on(t))
		w.await(2)
		before := number(t, by, "SELECT pg_current_wal_insert_lsn() - '0/0'")
		primary.pgbench(t, "-i", "-q", "-s", "1")
		after := number(t, by, "SELECT pg_current_wal_insert_lsn() - '0/0'")
		follower := standby.connect(t)
		telemetrytest.WaitFor(t, "the standby to replay it", func() bool {
			return number(t, follower, "SELECT pg_last_wal_replay_lsn() - '0/0'") >= after
		})
		telemetrytest.WaitFor(t, "the primary to hear of it", func() bool {
			return number(t, by, "SELECT max(replay_lsn - '0/0') FROM pg_stat_replication") >= after
		})
		w.await(3)
		_ = follower.Close(t.Context())
		standby.stop(syscall.SIGINT)
		telemetrytest.WaitFor(t, "the standby to go", func() bool { return number(t, by, "SELECT count(*) FROM pg_stat_replication") == 0 })
		w.await(3)
		w.stop()
		s.stop()
		if lag := w.columns["replication.walreceiver.replay_lag"]; len(lag) < 2 || !(lag[1] >= 0 && lag[1] < 1<<20) {
			t.Errorf("replay lag: %v", lag)
		}
		if gap := w.gap("replication.walreceiver.replay_lag"); !strings.Contains(gap, "no standby is connected") {
			t.Errorf("%q", gap)
		}
		for name, one := range map[string]*watched{"primary": w, "standby": s} {
			if got := one.total("wal.bytes"); math.Abs(got-(after-before)) > (after-before)/50+10000 {
				t.Errorf("%s: %.0f bytes of WAL, not %.0f", name, got, after-before)
			}
		}
	})
}

// TestPooler checks that nothing remains in the server's sessions behind a pooler, and that
// a direct session of plinth has all limits set.
func TestPooler(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t))
	listener, err := net.Listen("unix", filepath.Join(c.dir, ".s.PGSQL.6432"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go relay(listener, filepath.Join(c.dir, ".s.PGSQL.5432"))
	for port, want := range map[string]string{
		"5432": "1s,100ms,on,pg_catalog,off,10", "6432": `0,0,off,"$user", public,on,0`,
	} {
		s := newServer(c.on(t, "port="+port))
		for _, q := range questions(nil) {
			s.part(q)
		}
		s.ask(t.Context())
		for _, p := range s.parts {
			if err := p.asked.answer.err; err != nil && !strings.Contains(err.Error(), "added in") {
				t.Errorf("port %s: %s: %v", port, p.Name(), err)
			}
		}
		const left = `SELECT concat_ws(',', current_setting('statement_timeout'), current_setting('lock_timeout'),
			current_setting('default_transaction_read_only'), current_setting('search_path'), current_setting('jit'),
			(SELECT count(*) FROM pg_prepared_statements))`
		result := s.link.conn.ExecParams(t.Context(), left, nil, nil, nil, nil).Read()
		if result.Err != nil || string(result.Rows[0][0]) != want {
			t.Errorf("port %s: %s, want %s, %v", port, result.Rows, want, result.Err)
		}
		s.close()
	}
}

// relay forwards the traffic of a server and its clients, but changes the process id of the
// server.
func relay(listener net.Listener, to string) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", to)
		if err != nil {
			return
		}
		go func() {
			buffer := make([]byte, 64<<10)
			for {
				n, err := client.Read(buffer)
				if err != nil {
					_ = server.Close()
					return
				}
				_, _ = server.Write(buffer[:n])
			}
		}()
		go changed(client, server)
	}
}

func changed(client, server net.Conn) {
	defer func() { _ = client.Close() }()
	from, to := pgproto3.NewFrontend(server, server), pgproto3.NewBackend(client, client)
	for {
		message, err := from.Receive()
		if err != nil {
			return
		}
		if key, ok := message.(*pgproto3.BackendKeyData); ok {
			key.ProcessID++
		}
		to.Send(message)
		if to.Flush() != nil {
			return
		}
	}
}
