//go:build linux

// Package relationtest starts PostgreSQL servers for tests of what reads their statistics, with the
// tables of a published database.
package relationtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
)

// Patience only ends a hanging test.
const Patience = 2 * time.Minute

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Programs returns one installation of each version of PostgreSQL that the tests can use.
func Programs(t *testing.T) []install.Programs {
	t.Helper()
	dirs := append(append(install.BinDirs(), install.PackageDirs()...), filepath.SplitList(os.Getenv("PLINTH_TEST_PG_BIN"))...)
	found, _ := install.Installations(launch.NewLocal(), dirs)
	if len(found) == 0 {
		t.Fatal("the tests need PostgreSQL: install the package postgresql")
	}
	var one []install.Programs
	seen := map[int]bool{}
	for _, p := range found {
		if !seen[p.Version] {
			seen[p.Version] = true
			one = append(one, p)
		}
	}
	return one
}

// Server is a server of plinth's own, without a dataset.
type Server struct {
	Conninfo conninfo.Conninfo // as a superuser, on the database postgres
	user     *launch.User
}

// Dir creates a directory that the server may use.
func (s Server) Dir(t *testing.T) string { return privateDir(t, s.user) }

// privateDir creates a directory of the server's user, which may not enter t.TempDir.
func privateDir(t *testing.T, user *launch.User) string {
	t.Helper()
	parent, err := os.MkdirTemp("/tmp", "plinth-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	must(t, os.Chmod(parent, 0o711))
	dir := filepath.Join(parent, "d")
	must(t, os.Mkdir(dir, 0o700))
	if user != nil {
		must(t, os.Chown(dir, user.UID, user.GID))
	}
	return dir
}

// Start starts a server, and removes it at the end of the test.
func Start(t *testing.T, p install.Programs) Server {
	t.Helper()
	user, err := launch.ServerUser()
	must(t, err)
	j, err := journal.Open(t.TempDir(), "test")
	must(t, err)
	t.Cleanup(func() { _ = j.Close() })
	socket := privateDir(t, user)
	own, err := postgres.NewOwn(postgres.Config{
		Config: engine.Config{
			Experiment:  &experiment.Experiment{Name: "test", Settings: map[string]string{"shared_buffers": "16MB", "max_wal_size": "32MB", "fsync": "off"}},
			Environment: experiment.Environment{Name: "here"}, Launcher: launch.NewLocal(), Journal: j, RunID: "test1",
			Scratch: t.TempDir(), User: user, SocketDir: socket,
		},
		Programs: p, DataDir: privateDir(t, user),
	})
	must(t, err)
	t.Cleanup(func() { must(t, own.Remove(context.Background())) })
	must(t, own.Start(t.Context()))
	return Server{conninfo.Conninfo(fmt.Sprintf("host=%s port=5432 user=plinth dbname=postgres", socket)), user}
}

// Connect opens a session, which the caller closes.
func (s Server) Connect(t *testing.T) *pgx.Conn {
	t.Helper()
	config, err := client.ConfigOf(s.Conninfo)
	must(t, err)
	conn, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	return conn
}

// Exec runs statements in a session of their own, and waits for the session to end: before that, it
// reports its statistics.
func (s Server) Exec(t *testing.T, sql ...string) {
	t.Helper()
	conn := s.Connect(t)
	for _, one := range sql {
		if _, err := conn.Exec(t.Context(), one); err != nil {
			client.Leave(conn)
			t.Fatalf("%v\n%s", err, one)
		}
	}
	pid := conn.PgConn().PID()
	client.Leave(conn)
	other := s.Connect(t)
	defer client.Leave(other)
	must(t, life.Poll(t.Context(), Patience, func() bool {
		var left int
		must(t, other.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE pid = $1", int64(pid)).Scan(&left))
		return left == 0
	}))
}

// Reading returns the statistics when the server has those of all sessions that ended. Up to version 14 a
// collector receives them, in order: those of one last session are the sign.
func (s Server) Reading(t *testing.T) (l relation.Reading) {
	t.Helper()
	s.Exec(t, `DROP TABLE IF EXISTS marker`, `CREATE TABLE marker (n int)`, `INSERT INTO marker VALUES (1)`)
	must(t, life.Poll(t.Context(), Patience, func() bool {
		var err error
		l, err = relation.Read(t.Context(), s.Conninfo, relation.Options{})
		must(t, err)
		for _, r := range l.Relations {
			if r.Name.Name == "marker" {
				return r.Inserted > 0
			}
		}
		return false
	}))
	return l
}
