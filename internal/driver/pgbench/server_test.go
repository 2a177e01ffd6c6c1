//go:build linux

package pgbench

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// server is a real PostgreSQL server, started by the tests.
type server struct {
	bin, dir string
	cred     *syscall.SysProcAttr
	postgres *exec.Cmd
}

// shared is the server that most tests drive.
var shared sharedServer

type sharedServer struct {
	once   sync.Once
	server *server
	err    error
}

func (s *sharedServer) get(t testing.TB) *server {
	t.Helper()
	s.once.Do(func() { s.server, s.err = startServer() })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.server
}

func (s *sharedServer) stop() {
	if s.server != nil {
		s.server.stop()
	}
}

func ownServer(t testing.TB) *server {
	t.Helper()
	s, err := startServer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// binDirs returns the directories with PostgreSQL programs: the installed ones, and those
// that PLINTH_TEST_PG_BIN lists.
func binDirs() []string {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(dirs)
	return append(dirs, filepath.SplitList(os.Getenv("PLINTH_TEST_PG_BIN"))...)
}

func startServer() (_ *server, err error) {
	bins := binDirs()
	if len(bins) == 0 {
		return nil, fmt.Errorf("no PostgreSQL found")
	}
	dir, err := os.MkdirTemp("/tmp", "pgb")
	if err != nil {
		return nil, err
	}
	s := &server{bin: bins[0], dir: dir, cred: &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if os.Getuid() == 0 {
		if err := s.becomePostgres(); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(dir, "data")
	if out, err := s.command("initdb", "-A", "trust", "-U", "postgres", "-N", "-D", data).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %s", out)
	}
	s.postgres = s.command("postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "max_connections=60", "-c", "autovacuum=off")
	if err := s.postgres.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		out, err := s.command("pgbench", "-i", "-q", "-s", "1", s.conninfo()).CombinedOutput()
		if err == nil {
			return s, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("pgbench -i: %s", out)
		}
	}
}

func (s *server) becomePostgres() error {
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	s.cred.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(s.dir, uid, gid)
}

func (s *server) command(program string, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(s.bin, program), args...)
	c.SysProcAttr, c.Dir = s.cred, "/"
	return c
}

func (s *server) conninfo() string {
	return "host=" + s.dir + " user=postgres dbname=postgres"
}

func (s *server) stop() {
	if s.postgres != nil && s.postgres.Process != nil {
		_ = s.postgres.Process.Signal(syscall.SIGQUIT)
		_ = s.postgres.Wait()
	}
	_ = os.RemoveAll(s.dir)
}

// pgbenches returns all installed pgbench programs, by version.
func pgbenches(t testing.TB) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, dir := range binDirs() {
		out, err := exec.Command(filepath.Join(dir, "pgbench"), "--version").Output()
		if words := strings.Fields(string(out)); err == nil && len(words) > 2 {
			found[words[2]] = filepath.Join(dir, "pgbench")
		}
	}
	if len(found) == 0 {
		t.Fatal("no pgbench found")
	}
	return found
}
