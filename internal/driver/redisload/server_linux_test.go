package redisload

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/host/launch"
)

// server is a redis-server with its own socket.
type server struct {
	socket  string
	process launch.Process
}

// need finds a program, or skips the test; in CI, a missing program is a failure.
func need(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return path
}

func startServer(t testing.TB, settings ...string) *server {
	t.Helper()
	dir, err := os.MkdirTemp("", "redisload") // t.TempDir() is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	s := &server{socket: filepath.Join(dir, "s")}
	log := new(bytes.Buffer)
	s.process, err = launch.NewLocal().Start(launch.Command{Path: need(t, "redis-server"), Stdout: log, Stop: syscall.SIGKILL,
		Args: append([]string{"--port", "0", "--unixsocket", s.socket, "--dir", dir, "--save", "", "--appendonly", "no"}, settings...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.process.Stop()
		os.RemoveAll(dir)
	})
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("unix", s.socket); err == nil {
			_ = c.Close()
			return s
		}
		if time.Now().After(end) {
			_ = s.process.Stop() // before its output is read
			t.Fatalf("no server: %s", log)
		}
	}
}

func (s *server) uri() string { return "unix://" + s.socket + "?db=0" }

// cli runs redis-cli.
func (s *server) cli(t testing.TB, words ...string) string {
	t.Helper()
	out, err := exec.Command(need(t, "redis-cli"), append([]string{"-s", s.socket}, words...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("redis-cli %v: %v %s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}
