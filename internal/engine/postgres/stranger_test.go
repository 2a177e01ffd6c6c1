//go:build linux

package postgres

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/engine/postgres/leftover"
	"plinth/internal/host/launch"
)

// stranger is a server that plinth did not create: it listens on loopback and requires a password
// there. The user loader is not a superuser.
type stranger struct {
	programs       install.Programs
	dir, socketDir string
	port           int
	process        launch.Process
	log            *serverLog
}

const (
	strangerPassword    = `s3cr@t /'\x`
	strangerPasswordURI = `s3cr%40t%20%2F%27%5Cx`
)

func startStranger(t *testing.T) *stranger {
	t.Helper()
	s := &stranger{programs: oneInstalled(t), dir: testDir(t), socketDir: testDir(t), port: freePort(t)}
	must(t, install.Run(t.Context(), launcher, launch.Command{
		Path: s.programs.Initdb, Env: install.Env(), Dir: s.dir, User: testUser(t),
		Args: []string{"-D", s.dir, "-U", "boss", "--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync", "-E", "UTF8", "--locale=C"},
	}))
	conf, err := os.OpenFile(filepath.Join(s.dir, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = fmt.Fprintf(conf, "listen_addresses = '127.0.0.1'\nport = %d\nunix_socket_directories = '%s'\n"+
		"shared_buffers = '16MB'\nfsync = off\nmax_connections = 20\nlc_messages = 'C'\n", s.port, s.socketDir)
	must(t, err)
	must(t, conf.Close())
	s.start(t)
	t.Cleanup(func() {
		must(t, s.process.Stop())
		must(t, leftover.Clear(context.Background(), s.dir, s.socketDir))
	})
	s.exec(t, "CREATE ROLE loader LOGIN CREATEDB PASSWORD '"+`s3cr@t /''\x`+"'")
	return s
}

// freePort returns a port on loopback that has no listener.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

func (s *stranger) start(t *testing.T) {
	t.Helper()
	must(t, leftover.Clear(t.Context(), s.dir, s.socketDir))
	s.log = newServerLog()
	process, err := launcher.Start(launch.Command{
		Path: s.programs.Postgres, Args: []string{"-D", s.dir}, Env: install.Env(), Dir: s.dir,
		User: testUser(t), Stderr: s.log, Stop: syscall.SIGQUIT,
	})
	must(t, err)
	s.process = process
	err = life.Poll(t.Context(), patience, func() bool {
		conn, err := s.connect(t)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err == nil
	})
	if err != nil {
		t.Fatalf("the server of the test does not start:\n%s", s.log)
	}
}

func (s *stranger) kill(t *testing.T) {
	t.Helper()
	must(t, s.process.Signal(syscall.SIGKILL))
	<-s.process.Done()
}

func (s *stranger) connect(t *testing.T) (*pgx.Conn, error) {
	return pgx.Connect(t.Context(), fmt.Sprintf("host=%s port=%d user=boss dbname=postgres", s.socketDir, s.port))
}

func (s *stranger) exec(t *testing.T, sql string) {
	t.Helper()
	conn, err := s.connect(t)
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	_, err = conn.Exec(t.Context(), sql)
	must(t, err)
}

// awaitAlone waits until no session is connected, including this test's own.
func (s *stranger) awaitAlone(t *testing.T) {
	t.Helper()
	title := []byte(" postgres ") // the database in the title of a backend
	alone := func() bool {
		for _, pid := range leftover.ProcessesIn(s.dir) {
			if text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.Contains(text, title) {
				return false
			}
		}
		return true
	}
	if life.Poll(t.Context(), patience, alone) != nil {
		t.Fatal("somebody stays connected")
	}
}

// databases lists those that plinth created.
func (s *stranger) databases() []string {
	conn, err := pgx.Connect(context.Background(), fmt.Sprintf("host=%s port=%d user=boss dbname=postgres", s.socketDir, s.port))
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(context.Background(), "SELECT datname::text FROM pg_database WHERE datname LIKE 'plinth%'")
	if err != nil {
		return []string{err.Error()}
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return []string{err.Error()}
	}
	return names
}
