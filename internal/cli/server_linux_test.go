package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"plinth/internal/engine/postgres/install"
	"plinth/internal/host/launch"
)

// server starts a PostgreSQL that plinth did not make, until the script ends. It
// listens on loopback, where loader and still, who may only read, need the
// password s3cretPW. It sets PORT and URI.
func server(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: server")
	}
	programs, err := install.FindPrograms(0)
	ts.Check(err)
	user, err := launch.ServerUser()
	ts.Check(err)
	dir, err := os.MkdirTemp("/tmp", "plinth-server-")
	ts.Check(err)
	ts.Defer(func() { _ = os.RemoveAll(dir) })
	if user != nil {
		ts.Check(os.Chown(dir, user.UID, user.GID))
	}
	data, launcher := filepath.Join(dir, "data"), launch.NewLocal()
	initdb, err := launcher.Start(launch.Command{
		Path: programs.Initdb, Dir: dir, User: user,
		Args: []string{"-D", data, "-U", "boss", "--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync", "-E", "UTF8", "--locale=C"},
	})
	ts.Check(err)
	if status, err := initdb.Wait(); err != nil || status.Code != 0 {
		ts.Fatalf("initdb: %v, %v", status, err)
	}
	port := freePort(ts)
	running, err := launcher.Start(launch.Command{
		Path: programs.Postgres, Dir: dir, User: user,
		Args: []string{"-D", data, "-h", "127.0.0.1", "-p", fmt.Sprint(port), "-k", dir, "-c", "shared_buffers=16MB"},
	})
	ts.Check(err)
	ts.Defer(func() { _ = running.Stop() })
	ts.Setenv("PORT", fmt.Sprint(port))
	ts.Setenv("SOCKETS", dir)
	ts.Setenv("URI", fmt.Sprintf("postgresql://loader:s3cretPW@127.0.0.1:%d/postgres", port))
	conn := boss(ts)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(context.Background(), `
		CREATE ROLE loader LOGIN CREATEDB PASSWORD 's3cretPW';
		CREATE ROLE still LOGIN CREATEDB PASSWORD 's3cretPW';
		ALTER ROLE still SET default_transaction_read_only = on`)
	ts.Check(err)
}

// boss is a session of the server's superuser; it waits until there can be one.
func boss(ts *testscript.TestScript) *pgx.Conn {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%s user=boss dbname=postgres", ts.Getenv("SOCKETS"), ts.Getenv("PORT")))
		if err == nil {
			return conn
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("the server of the test does not start: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// databases prints the names of the server's databases.
func databases(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: databases")
	}
	conn := boss(ts)
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(context.Background(), "SELECT datname::text FROM pg_database")
	ts.Check(err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	ts.Check(err)
	for _, name := range names {
		_, err := fmt.Fprintln(ts.Stdout(), name)
		ts.Check(err)
	}
}

func freePort(ts *testscript.TestScript) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}
