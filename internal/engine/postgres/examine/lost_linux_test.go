package examine_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/postgres"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/examine"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	os.Exit(m.Run())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// connect starts plinth's own server and connects to it.
func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	user, err := launch.ServerUser()
	must(t, err)
	j, err := journal.Open(t.TempDir(), "test")
	must(t, err)
	t.Cleanup(func() { _ = j.Close() })
	parent, err := os.MkdirTemp("/tmp", "plinth-") // the user may not enter t.TempDir
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	must(t, os.Chmod(parent, 0o711))
	data, socket := filepath.Join(parent, "d"), filepath.Join(parent, "s")
	for _, dir := range []string{data, socket} {
		must(t, os.Mkdir(dir, 0o700))
		if user != nil {
			must(t, os.Chown(dir, user.UID, user.GID))
		}
	}
	server, err := postgres.Kind{}.Make(engine.Config{
		Experiment:  &experiment.Experiment{Name: "test", Settings: map[string]string{"shared_buffers": "16MB", "fsync": "off"}},
		Environment: experiment.Environment{Name: "here"}, Launcher: launch.NewLocal(), Journal: j, RunID: "test1",
		Scratch: t.TempDir(), User: user, SocketDir: socket, Places: []engine.Place{{Role: experiment.RoleData, Name: experiment.RoleData, Dir: data}},
	})
	must(t, err)
	t.Cleanup(func() { must(t, server.Remove(context.Background())) })
	must(t, server.Start(t.Context()))
	config, err := client.ConfigOf(conninfo.Conninfo("host=" + socket + " port=5432 user=plinth dbname=postgres"))
	must(t, err)
	conn, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(func() { client.Leave(conn) })
	return conn
}

// TestLostConnection checks that a part read after the connection was lost is a gap, too.
func TestLostConnection(t *testing.T) {
	conn := connect(t)
	var f examine.Facts
	examine.ReadPart(t.Context(), conn, &f, "the end", func(ctx context.Context, conn *pgx.Conn, _ *examine.Facts) error {
		return client.One(ctx, conn, "SELECT pg_terminate_backend(pg_backend_pid())::text", new(string))
	})
	examine.ReadPart(t.Context(), conn, &f, "extensions", examine.ReadExtensions)
	want := []examine.Gap{
		{What: "the end", Why: "FATAL: terminating connection due to administrator command"},
		{What: "extensions", Why: "the connection was lost earlier"},
	}
	if !slices.Equal(f.Gaps, want) {
		t.Errorf("gaps %v, want %v", f.Gaps, want)
	}
}
