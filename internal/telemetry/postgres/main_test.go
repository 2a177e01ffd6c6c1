//go:build linux

package postgres

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/telemetry"
	"plinth/internal/telemetry/telemetrytest"
)

// cluster is a real server of one version, started by the test.
type cluster struct {
	bin, dir string
	version  string
	args     []string
	cmd      *exec.Cmd
	log      *telemetry.Log // receives each line
	lines    lineBuffer
}

// TestMain lets more tests than there are CPUs wait for their servers at once.
func TestMain(m *testing.M) {
	flag.Parse()
	telemetrytest.Serve()
	_ = flag.Set("test.parallel", "5")
	code := m.Run()
	for _, dir := range templates.dirs {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// templates are data directories that tests copy: this takes a fraction of the time of
// initdb.
var templates = struct {
	mu   sync.Mutex
	dirs map[string]string // by version
}{dirs: map[string]string{}}

// template creates the data directory of a version, once.
func (c *cluster) template(t testing.TB) string {
	t.Helper()
	templates.mu.Lock()
	defer templates.mu.Unlock()
	if dir, made := templates.dirs[c.version]; made {
		return filepath.Join(dir, "data")
	}
	dir := ownDir(t)
	templates.dirs[c.version] = dir
	c.must(t, "initdb", "-A", "trust", "-U", "postgres", "-N", "-D", filepath.Join(dir, "data"))
	return filepath.Join(dir, "data")
}

// clusters returns the directories of the installed programs, by major version.
var clusters = sync.OnceValue(func() map[string]string {
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	found := map[string]string{}
	for _, bin := range append(bins, filepath.SplitList(os.Getenv("PLINTH_TEST_PG_BIN"))...) {
		out, err := exec.Command(filepath.Join(bin, "postgres"), "--version").Output()
		if words := strings.Fields(string(out)); err == nil && len(words) > 2 {
			major, _, _ := strings.Cut(words[2], ".")
			found[major] = bin
		}
	}
	return found
})

func versions(t testing.TB) map[string]string {
	t.Helper()
	if len(clusters()) == 0 {
		t.Fatal("the tests need PostgreSQL: install the package postgresql")
	}
	return clusters()
}

// oneVersion returns the version that most tests use: the packaged one.
func oneVersion(t testing.TB) string {
	t.Helper()
	all := versions(t)
	if _, found := all["15"]; found {
		return "15"
	}
	for version := range all {
		return version
	}
	return ""
}

// newCluster creates a server with settings like "fsync=off" and starts it.
func newCluster(t testing.TB, version string, settings ...string) *cluster {
	t.Helper()
	c := makeCluster(t, version, settings...)
	c.must(t, "/bin/cp", "-a", c.template(t), c.data())
	c.start(t)
	return c
}

func makeCluster(t testing.TB, version string, settings ...string) *cluster {
	t.Helper()
	dir := ownDir(t)
	c := &cluster{bin: versions(t)[version], dir: dir, version: version, log: NewLog()}
	for _, s := range append([]string{"listen_addresses=", "fsync=off", "max_connections=40", "shared_buffers=16MB"}, settings...) {
		c.args = append(c.args, "-c", s)
	}
	t.Cleanup(func() {
		c.stop(syscall.SIGQUIT)
		_ = os.RemoveAll(dir)
	})
	return c
}

// ownDir returns a directory with a short name, owned by the user that servers run as.
func ownDir(t testing.TB) string {
	t.Helper()
	parent := "/tmp"
	if _, err := os.Stat("/dev/shm"); err == nil {
		parent = "/dev/shm" // a busy disk does not delay servers there
	}
	dir, err := os.MkdirTemp(parent, "plinth-tp")
	if err != nil {
		t.Fatal(err)
	}
	if account := serverAccount(t); account != nil {
		if err := os.Chown(dir, int(account.Uid), int(account.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// serverAccount returns the user that servers run as; nil for the current user.
func serverAccount(t testing.TB) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(account.Uid)
	gid, _ := strconv.Atoi(account.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func (c *cluster) data() string { return filepath.Join(c.dir, "data") }

func (c *cluster) command(t testing.TB, program string, args ...string) *exec.Cmd {
	t.Helper()
	if !filepath.IsAbs(program) {
		program = filepath.Join(c.bin, program)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: serverAccount(t), Pdeathsig: syscall.SIGQUIT}
	return cmd
}

func (c *cluster) must(t testing.TB, program string, args ...string) string {
	t.Helper()
	out, err := c.command(t, program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", program, err, out)
	}
	return string(out)
}

// start starts the server and waits until it answers.
func (c *cluster) start(t testing.TB) {
	t.Helper()
	c.cmd = c.command(t, "postgres", append([]string{"-D", c.data(), "-k", c.dir}, c.args...)...)
	c.cmd.Stderr = &c.lines
	c.lines.each = func(line string) { c.log.Line(time.Now(), line) }
	var err error
	telemetrytest.Outside(func() { err = c.cmd.Start() }) // its log is read outside, too
	if err != nil {
		t.Fatal(err)
	}
	config := c.config(t)
	defer func() {
		if err != nil {
			t.Log(err, c.lines.String())
		}
	}()
	telemetrytest.WaitFor(t, "the server to answer", func() bool {
		telemetrytest.Outside(func() {
			var conn *pgx.Conn
			if conn, err = pgx.ConnectConfig(context.Background(), config); err == nil {
				_ = conn.Close(context.Background())
			}
		})
		return err == nil
	})
}

func (c *cluster) stop(sig os.Signal) {
	if c.cmd == nil || c.cmd.Process == nil {
		return
	}
	telemetrytest.Outside(func() {
		_ = c.cmd.Process.Signal(sig)
		_ = c.cmd.Wait()
	})
	c.cmd = nil
}

func (c *cluster) config(t testing.TB, more ...string) *pgx.ConnConfig {
	t.Helper()
	config, err := pgx.ParseConfig(c.conninfo() + " " + strings.Join(more, " "))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func (c *cluster) conninfo() string { return "host=" + c.dir + " user=postgres dbname=postgres" }

// connect returns a session of the test.
func (c *cluster) connect(t testing.TB, more ...string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), c.config(t, more...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// begin starts a statement in a separate session; it runs until it is cancelled or
// completes.
func (c *cluster) begin(t testing.TB, sql string) {
	t.Helper()
	config := c.config(t)
	telemetrytest.Begin(func() {
		conn, err := pgx.ConnectConfig(context.Background(), config)
		if err != nil {
			return // the test then times out waiting for it
		}
		_, _ = conn.Exec(context.Background(), sql) // the server may be stopped meanwhile
		_ = conn.Close(context.Background())
	})
}

func exec1(t testing.TB, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func number(t testing.TB, conn *pgx.Conn, sql string) float64 {
	t.Helper()
	var v float64
	if err := conn.QueryRow(t.Context(), "SELECT ("+sql+")::float8").Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

// pgbench drives the server and returns the number of transactions.
func (c *cluster) pgbench(t testing.TB, args ...string) (transactions float64) {
	t.Helper()
	program, err := exec.LookPath(filepath.Join(c.bin, "pgbench"))
	if err != nil { // not every package has it
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
		if len(found) == 0 {
			t.Fatal("the tests need pgbench")
		}
		program = found[0]
	}
	out, err := exec.Command(program, append(args, c.conninfo())...).CombinedOutput()
	if err != nil {
		t.Fatalf("pgbench: %v: %s", err, out)
	}
	_, after, _ := strings.Cut(string(out), "actually processed: ")
	_, _ = fmt.Sscanf(after, "%f", &transactions)
	return transactions
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
