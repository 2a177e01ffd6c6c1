//go:build linux

package redis

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"plinth/internal/telemetry"
	"plinth/internal/telemetry/telemetrytest"
)

// TestMain silences the client library's log, as tests stop servers. It lets more tests
// than there are CPUs wait for their servers at once.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "8")
	logging.Disable()
	telemetrytest.Serve()
	os.Exit(m.Run())
}

// programs returns the available servers by version: the installed one, and those of
// PLINTH_TEST_REDIS_BIN, directories with a redis-server or a valkey-server.
var programs = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	for _, dir := range append(filepath.SplitList(os.Getenv("PLINTH_TEST_REDIS_BIN")), "/usr/bin", "/usr/local/bin") {
		for _, name := range []string{"redis-server", "valkey-server"} {
			program := filepath.Join(dir, name)
			out, err := exec.Command(program, "--version").Output() // Redis server v=7.0.15 sha=...
			_, after, is := strings.Cut(string(out), " v=")
			version, _, _ := strings.Cut(after, " ")
			if err == nil && is {
				found[strings.TrimSuffix(name, "-server")+" "+version] = program
			}
		}
	}
	return found
})

// installed returns the program that most tests use.
func installed(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal("the tests need redis-server: install the package redis-server")
	}
	return program
}

// instance is a real server.
type instance struct {
	program, dir string
	args         []string
	cmd          *exec.Cmd
	log          *telemetry.Log // receives each line
	lines        lineBuffer
}

// start starts a server with settings like "--appendonly yes", on a private socket.
func start(t testing.TB, program string, args ...string) *instance {
	t.Helper()
	parent := "/tmp"
	if _, err := os.Stat("/dev/shm"); err == nil {
		parent = "/dev/shm" // a busy disk does not delay servers there
	}
	dir, err := os.MkdirTemp(parent, "plinth-tr")
	if err != nil {
		t.Fatal(err)
	}
	s := &instance{program: program, dir: dir, log: NewLog(), args: args}
	t.Cleanup(func() {
		s.stop(syscall.SIGKILL)
		_ = os.RemoveAll(dir)
	})
	s.again(t)
	return s
}

// again starts the server with its existing files.
func (s *instance) again(t testing.TB) {
	t.Helper()
	args := []string{"--port", "0", "--unixsocket", s.socket(), "--dir", s.dir, "--save", "", "--enable-debug-command", "yes"}
	if strings.Contains(version(s.program), " 6.") {
		args = args[:len(args)-2]
	}
	for _, a := range s.args {
		args = append(args, strings.Fields(a)...)
	}
	s.cmd = exec.Command(s.program, args...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	s.cmd.Stdout = &s.lines
	s.lines.each = func(line string) { s.log.Line(time.Now(), line) }
	var err error
	telemetrytest.Outside(func() { err = s.cmd.Start() }) // its log is read outside, too
	if err != nil {
		t.Fatal(err)
	}
	client := s.client(t)
	defer func() {
		if err != nil {
			t.Log(err, s.lines.String())
		}
	}()
	telemetrytest.WaitFor(t, "the server to answer", func() bool {
		err = client.Ping(t.Context()).Err()
		return err == nil
	})
}

func version(program string) string {
	for v, p := range programs() {
		if p == program {
			return v
		}
	}
	return ""
}

func (s *instance) stop(sig os.Signal) {
	if s.cmd == nil {
		return
	}
	telemetrytest.Outside(func() {
		_ = s.cmd.Process.Signal(sig)
		_ = s.cmd.Wait()
	})
	s.cmd = nil
}

func (s *instance) socket() string { return filepath.Join(s.dir, "s") }

func (s *instance) options() *goredis.Options {
	return &goredis.Options{Network: "unix", Addr: s.socket()}
}

// client returns a client of the test.
func (s *instance) client(t testing.TB) *goredis.Client {
	t.Helper()
	o := s.options()
	o.Protocol, o.DisableIdentity, o.MaxRetries, o.ReadTimeout = 2, true, -1, -1
	c := goredis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func must(t testing.TB, c *goredis.Client, args ...any) any {
	t.Helper()
	v, err := c.Do(context.Background(), args...).Result()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return v
}

// told returns a field of INFO, as the server spells it.
func told(t testing.TB, c *goredis.Client, section, name string) string {
	t.Helper()
	text, err := c.Info(context.Background(), section).Result()
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(text, "\n"+name+":")
	value, _, _ := strings.Cut(after, "\r")
	return value
}

// freePort returns an unused loopback port below the ephemeral ones: the kernel gives those to the
// connections of other programs before the server listens, or while it is restarted.
func freePort(t testing.TB) string {
	t.Helper()
	for range 100 {
		port := fmt.Sprint(10000 + rand.IntN(20000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// lineBuffer keeps what is written to it, and passes it on line by line.
type lineBuffer struct {
	mu   sync.Mutex
	all  bytes.Buffer
	rest bytes.Buffer
	each func(string)
}

func (b *lineBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all.Write(p)
	b.rest.Write(p)
	for {
		line, err := b.rest.ReadString('\n')
		if errors.Is(err, io.EOF) {
			b.rest.Reset()
			b.rest.WriteString(line)
			return len(p), nil
		}
		b.each(strings.TrimSuffix(line, "\n"))
	}
}

func (b *lineBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}
