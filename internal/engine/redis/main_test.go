//go:build linux

package redis

import (
	"context"
	"flag"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // they mostly wait for servers
	os.Exit(m.Run())
}

var launcher = launch.NewLocal()

// patience only ends a hanging test: what tests wait for takes seconds on a busy machine.
const patience = 2 * time.Minute

// testPrograms returns all server programs that the tests can use: those of the machine, and of
// PLINTH_TEST_REDIS_BIN.
func testPrograms(t testing.TB) []Program {
	t.Helper()
	found := allPrograms()
	if len(found) == 0 {
		t.Fatal("the tests need Redis: install the package redis-server")
	}
	if len(found) < 2 && os.Getenv("CI") != "" {
		t.Fatal("PLINTH_TEST_REDIS_BIN leads to no further versions: run scripts/test-packages")
	}
	return found
}

var allPrograms = sync.OnceValue(func() []Program {
	var found []Program
	if program, err := FindProgram("", ""); err == nil {
		found = append(found, program)
	}
	for _, dir := range filepath.SplitList(os.Getenv("PLINTH_TEST_REDIS_BIN")) {
		for _, name := range []string{"redis-server", "valkey-server"} {
			if program, err := programAt(launcher, filepath.Join(dir, name)); err == nil {
				found = append(found, program)
			}
		}
	}
	return found
})

// oneInstalled returns the program that most tests use.
func oneInstalled(t testing.TB) Program { return testPrograms(t)[0] }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v (hint: %s)", err, hint.Of(err))
	}
}

// mustRefuse expects an error that contains words, and a hint that contains advice.
func mustRefuse(t *testing.T, err error, words, advice string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", words)
	}
	if !strings.Contains(err.Error(), words) || !strings.Contains(hint.Of(err), advice) || (advice == "") != (hint.Of(err) == "") {
		t.Fatalf("got  %q, hint %q\nwant %q, hint %q", err, hint.Of(err), words, advice)
	}
	for _, secret := range []string{strangerPassword, strangerPasswordURI, "wr0ng"} {
		if strings.Contains(err.Error()+hint.Of(err), secret) {
			t.Fatalf("the error shows a password: %v", err)
		}
	}
}

// freePort returns a port on loopback that has no listener.
func freePort() (int, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

func testUser(t testing.TB) *launch.User {
	t.Helper()
	user, err := launch.ServerUser()
	must(t, err)
	return user
}

// testDir creates a private directory of the server's user. It is not below t.TempDir, which that
// user may not enter, and whose name may be too long for a socket.
func testDir(t testing.TB) string {
	t.Helper()
	parent, err := os.MkdirTemp("/tmp", "plinth-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	must(t, os.Chmod(parent, 0o711))
	dir := filepath.Join(parent, "d")
	must(t, os.Mkdir(dir, 0o700))
	if user := testUser(t); user != nil {
		must(t, os.Chown(dir, user.UID, user.GID))
	}
	return dir
}

func testJournal(t testing.TB) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.TempDir(), "test")
	must(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func smallExperiment() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "test", Engine: experiment.EngineRedis, Generator: experiment.OwnGenerator,
		Dataset:   experiment.Dataset{Keys: 2000, Size: 1000},
		Workloads: []experiment.Workload{{Name: "get", Scripts: []experiment.Script{{Builtin: "get", Weight: 1}}}},
		Payload:   100, Keyspace: 500, Pipeline: 1, Transactions: 1000,
		Clients: []int{1, 4}, Threads: []int{1}, Connect: "once", Repeats: 1, Reset: resetRewrite,
		Settings: map[string]string{},
	}
}

// smallKeys is how many keys smallExperiment loads.
const smallKeys = 2500

// ownConfig returns the configuration of plinth's own small server, with settings: name, value,
// name, value.
func ownConfig(t testing.TB, settings ...string) engine.Config {
	t.Helper()
	e := smallExperiment()
	for i := 0; i < len(settings); i += 2 {
		e.Settings[settings[i]] = settings[i+1]
	}
	return engine.Config{
		Experiment: e, Environment: experiment.Environment{Name: "here"},
		Launcher: launcher, Journal: testJournal(t), RunID: "test1", Scratch: t.TempDir(), User: testUser(t),
		Places: []engine.Place{{Role: experiment.RoleData, Name: experiment.RoleData, Dir: testDir(t)}}, SocketDir: testDir(t),
	}
}

func newOwn(t testing.TB, config engine.Config, program Program) *Own {
	t.Helper()
	own, err := NewOwn(config, program)
	must(t, err)
	t.Cleanup(func() { must(t, own.Remove(context.Background())) })
	return own
}

// startOwn starts a server and removes it at the end.
func startOwn(t testing.TB, config engine.Config, program Program) *Own {
	t.Helper()
	own := newOwn(t, config, program)
	must(t, own.Start(t.Context()))
	return own
}

// reach connects as a driver would: with nothing but the target.
func reach(t testing.TB, target engine.Target) (rdb *goredis.Client, prefix string) {
	t.Helper()
	options, prefix := wayTo(t, target)
	rdb = client.New(options)
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb, prefix
}

// wayTo returns how to reach a target, with the password in its environment.
func wayTo(t testing.TB, target engine.Target) (options *goredis.Options, prefix string) {
	t.Helper()
	text, rest, _ := strings.Cut(target.Conninfo, "&prefix=")
	if rest == "" {
		text, rest, _ = strings.Cut(target.Conninfo, "?prefix=")
	}
	address, err := conninfo.Conninfo(text).Redis()
	must(t, err)
	for _, variable := range target.Env.Environ() {
		if password, found := strings.CutPrefix(variable, client.PasswordVariable+"="); found {
			address.Password = password
		}
	}
	options, err = client.AddressOptions(address)
	must(t, err)
	return options, strings.ReplaceAll(rest, "%3A", ":")
}
