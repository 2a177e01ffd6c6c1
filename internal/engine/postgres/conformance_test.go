//go:build linux

package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/enginetest"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/engine/postgres/leftover"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

func TestOwnServers(t *testing.T) {
	t.Parallel()
	for _, programs := range testPrograms(t) {
		t.Run(strconv.Itoa(programs.Version), func(t *testing.T) {
			t.Parallel()
			wal := testDir(t)
			enginetest.Run(t, enginetest.Kind{
				New: func(t *testing.T) engine.Server {
					config := ownConfig(t, programs)
					if _, err := os.Stat(filepath.Join(wal, "archive_status")); err != nil {
						config.WALDir = wal     // the first server only: it must be empty
						config.Launcher = local // each version's own initdb
					}
					addOwnTable(config.Experiment)
					return newServer(t, config)
				},
				Rows: countAllRows, Dataset: dataset, Resets: resets, Places: places, Drive: drive, KillServer: killPostmaster, KillBackend: killBackend,
				PID:   func(server engine.Server) int { return server.(*Own).process.PID() },
				Event: event, Refused: refused, Endless: endless,
				Traces: func(t *testing.T, server engine.Server) func() []string {
					return ownTraces(t, server.(*Own))
				},
			})
		})
	}
}

const (
	event   = "VACUUM pgbench_tellers; UPDATE pgbench_tellers SET tbalance = 0"
	refused = "VACUUM nothing_of_this_name"
	endless = "SELECT pg_sleep(300)"
)

// ownRows is the number of rows that a workload's own SQL creates.
const ownRows = 500

// dataset is pgbench's at scale 1 (accounts, tellers and a branch) and the workload's own table.
var dataset = enginetest.Dataset{
	Rows: 100_011 + ownRows, Bytes: 10 << 20, Step: "accounts", StepRows: 100_000, Settings: 200,
	Describe: func(t *testing.T, d record.Dataset) {
		if d.SharedBuffers == 0 || len(d.Tables) < 4 {
			t.Errorf("dataset described as %+v", d)
		}
	},
}

var resets = []string{"vacuum", "reload"}

func newServer(t testing.TB, config Config) *Own {
	t.Helper()
	own, err := NewOwn(config)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

func TestConnectedServers(t *testing.T) {
	t.Parallel()
	for name, connect := range map[string]func(s *stranger) string{
		"socket": func(s *stranger) string {
			return fmt.Sprintf("host=%s port=%d user=loader dbname=postgres", s.socketDir, s.port)
		},
		"tcp": func(s *stranger) string { return s.uri("loader") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startStranger(t)
			enginetest.Run(t, enginetest.Kind{
				New: func(t *testing.T) engine.Server {
					c := newConnected(t, connect(s))
					addOwnTable(c.Experiment)
					return c
				},
				Rows: countAllRows, Dataset: dataset, Resets: resets, Places: places, Drive: drive, KillBackend: killBackend,
				KillServer: func(t *testing.T, _ engine.Server) { s.kill(t) },
				Revive:     s.start,
				Event:      event, Refused: refused, Endless: endless,
				Traces: func(t *testing.T, server engine.Server) func() []string {
					must(t, server.Load(t.Context(), nil))
					return s.databases
				},
				Secrets: []string{strangerPassword, strangerPasswordURI},
			})
		})
	}
}

func newConnected(t *testing.T, connect string) *Connected {
	t.Helper()
	c, err := NewConnected(Config{Pgbench: testPgbench(t), Config: engine.Config{
		Experiment: smallExperiment(), Launcher: launcher, Journal: testJournal(t), RunID: "test1", Scratch: t.TempDir(),
		Environment: experiment.Environment{Name: "there", Connect: conninfo.Conninfo(connect), Disposable: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reach connects as a driver would: with nothing but the target.
func reach(t *testing.T, target engine.Target) *pgx.Conn {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), wayTo(t, target))
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// wayTo returns how to reach a target, with the password in its environment.
func wayTo(t *testing.T, target engine.Target) *pgx.ConnConfig {
	t.Helper()
	config, err := pgx.ParseConfig(target.Conninfo)
	must(t, err)
	for _, variable := range target.Env.Environ() {
		if password, found := strings.CutPrefix(variable, "PGPASSWORD="); found {
			config.Password = password
		}
	}
	return config
}

// reachAs connects a user to a database of a server that plinth did not create.
func reachAs(t *testing.T, s *stranger, user, database string) *pgx.Conn {
	t.Helper()
	return reach(t, engine.Target{Conninfo: fmt.Sprintf("host=%s port=%d user=%s dbname=%s", s.socketDir, s.port, user, database)})
}

func countRows(t *testing.T, target engine.Target) (n int64) {
	t.Helper()
	conn := reach(t, target)
	defer func() { _ = conn.Close(t.Context()) }()
	must(t, conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM pgbench_accounts) + (SELECT count(*) FROM pgbench_tellers)
		+ (SELECT count(*) FROM pgbench_branches) + (SELECT count(*) FROM pgbench_history)`).Scan(&n))
	return n
}

// addOwnTable adds a workload with a separate table.
func addOwnTable(exp *experiment.Experiment) {
	exp.Workloads = []experiment.Workload{{Name: "own", Init: experiment.Init{SQL: fmt.Sprintf(
		"CREATE TABLE own (id int PRIMARY KEY);\nINSERT INTO own SELECT generate_series(1, %d);", ownRows)}}}
}

func countAllRows(t *testing.T, target engine.Target) (n int64) {
	t.Helper()
	must(t, reach(t, target).QueryRow(t.Context(), "SELECT count(*) FROM own").Scan(&n))
	return n + countRows(t, target)
}

// places returns the files of the tables, each with the number that it was created with.
func places(t *testing.T, target engine.Target) []string {
	t.Helper()
	rows, err := reach(t, target).Query(t.Context(),
		"SELECT pg_relation_filepath(oid) FROM pg_class WHERE relkind IN ('r', 'i') AND oid >= 16384")
	must(t, err)
	files, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return files
}

func drive(t *testing.T, target engine.Target) {
	t.Helper()
	must(t, install.Run(t.Context(), launcher, launch.Command{
		Path: testPgbench(t), Args: []string{"-n", "-c", "2", "-t", "5", target.Conninfo}, Env: target.Env.Environ(),
	}))
}

func killPostmaster(t *testing.T, server engine.Server) {
	process := server.(*Own).process
	must(t, process.Signal(syscall.SIGKILL))
	<-process.Done()
}

func killBackend(t *testing.T, server engine.Server) {
	t.Helper()
	conn := reach(t, server.Target())
	must(t, syscall.Kill(int(conn.PgConn().PID()), syscall.SIGKILL))
	awaitGone(t, int(conn.PgConn().PID()))
}

// awaitGone waits until a process no longer exists; a zombie, until its parent has reaped it.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	gone := func() bool { return syscall.Kill(pid, 0) != nil }
	if life.Poll(t.Context(), patience, gone) != nil {
		t.Fatalf("process %d does not end", pid)
	}
}

// ownTraces lists the processes, sockets and shared memory of a running server.
func ownTraces(t *testing.T, own *Own) func() []string {
	t.Helper()
	lock, err := leftover.ReadLock(own.DataDir)
	must(t, err)
	header, err := leftover.ReadSegment(lock.Segment)
	must(t, err)
	if !header.Belongs(own.DataDir, own.process.PID()) {
		t.Fatalf("the segment %+v is not taken for that of process %d", header, own.process.PID())
	}
	files := append(leftover.DynamicSegments(header.Control), lock.Sockets(own.SocketDir)...)
	if len(files) < 3 {
		t.Fatalf("a running server has only the files %v", files)
	}
	return func() (left []string) {
		for _, pid := range leftover.ProcessesIn(own.DataDir) {
			left = append(left, fmt.Sprintf("process %d", pid))
		}
		for _, file := range files {
			if _, err := os.Stat(file); err == nil {
				left = append(left, file)
			}
		}
		if header, err := leftover.ReadSegment(lock.Segment); err == nil && header.Belongs(own.DataDir, lock.PID) {
			left = append(left, fmt.Sprintf("segment %d", lock.Segment))
		}
		return left
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// reachOnce reads one value over a new connection.
func reachOnce(t *testing.T, target engine.Target, sql string, into any) error {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), wayTo(t, target))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(t.Context()) }()
	return conn.QueryRow(t.Context(), sql).Scan(into)
}
