package relation_test

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
	"plinth/internal/engine/postgres"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	os.Exit(m.Run())
}

// patience only ends a hanging test.
const patience = 2 * time.Minute

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// programs returns one installation of each version of PostgreSQL that the tests can use.
func programs(t *testing.T) []install.Programs {
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

// server is a server of plinth's own, without a dataset.
type server struct {
	info string
	user *launch.User
}

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

func start(t *testing.T, p install.Programs) server {
	t.Helper()
	user, err := launch.ServerUser()
	must(t, err)
	j, err := journal.Open(t.TempDir(), "test")
	must(t, err)
	t.Cleanup(func() { _ = j.Close() })
	socket := privateDir(t, user)
	own, err := postgres.NewOwn(postgres.Config{
		Config: engine.Config{
			Experiment:  &experiment.Experiment{Name: "test", Settings: map[string]string{"shared_buffers": "16MB", "fsync": "off"}},
			Environment: experiment.Environment{Name: "here"}, Launcher: launch.NewLocal(), Journal: j, RunID: "test1",
			Scratch: t.TempDir(), User: user, SocketDir: socket,
		},
		Programs: p, DataDir: privateDir(t, user),
	})
	must(t, err)
	t.Cleanup(func() { must(t, own.Remove(context.Background())) })
	must(t, own.Start(t.Context()))
	return server{fmt.Sprintf("host=%s port=5432 user=plinth dbname=postgres", socket), user}
}

// connect opens a session, which the caller closes.
func (s server) connect(t *testing.T) *pgx.Conn {
	t.Helper()
	config, err := client.ConfigOf(conninfo.Conninfo(s.info))
	must(t, err)
	conn, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	return conn
}

// exec runs statements in a session of their own, which reports its statistics as it ends.
func (s server) exec(t *testing.T, sql ...string) {
	t.Helper()
	conn := s.connect(t)
	defer client.Leave(conn)
	for _, one := range sql {
		if _, err := conn.Exec(t.Context(), one); err != nil {
			t.Fatalf("%v\n%s", err, one)
		}
	}
}
