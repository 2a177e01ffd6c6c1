//go:build linux

package postgres

import (
	"cmp"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"plinth/internal/engine"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	flag.Parse()
	_ = flag.Set("test.parallel", "6") // they mostly wait for servers
	backups := lendBasebackup()
	code := m.Run()
	launcher.remove()
	_ = os.RemoveAll(backups)
	os.Exit(code)
}

// launcher copies what initdb created before; local runs it each time.
var (
	local    = launch.NewLocal()
	launcher = &templates{Launcher: local, made: map[string]*template{}}
)

// patience only ends a hanging test: what tests wait for takes seconds on a busy machine.
const patience = 2 * time.Minute

// testPrograms returns all installations that the tests can use: one of each version, from the
// machine and from PLINTH_TEST_PG_BIN.
func testPrograms(t testing.TB) []install.Programs {
	t.Helper()
	found := allPrograms()
	if len(found) == 0 {
		t.Fatal("the tests need PostgreSQL: install the package postgresql")
	}
	return found
}

var allPrograms = sync.OnceValue(func() []install.Programs {
	dirs := slices.Concat(install.BinDirs(), install.PackageDirs(), filepath.SplitList(os.Getenv("PLINTH_TEST_PG_BIN")))
	found, _ := install.Installations(launcher, dirs)
	slices.SortStableFunc(found, func(a, b install.Programs) int { return cmp.Compare(a.Version, b.Version) })
	found = slices.CompactFunc(found, func(a, b install.Programs) bool { return a.Version == b.Version })
	return found
})

// lendBasebackup lets test installations without pg_basebackup find the latest one, through a
// directory at the end of PATH that holds nothing else.
func lendBasebackup() (dir string) {
	dir, err := os.MkdirTemp("", "plinth-")
	if err != nil {
		return ""
	}
	const name = "pg_basebackup"
	for _, programs := range allPrograms() { // they are sorted
		path := filepath.Join(filepath.Dir(programs.Postgres), name)
		if _, err := os.Stat(path); err == nil {
			_ = os.Remove(filepath.Join(dir, name))
			_ = os.Symlink(path, filepath.Join(dir, name))
		}
	}
	_ = os.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+dir)
	return dir
}

// oneInstalled returns the version that most tests use.
func oneInstalled(t testing.TB) install.Programs { return testPrograms(t)[0] }

func testPgbench(t testing.TB) string {
	t.Helper()
	path, err := onePgbench()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var onePgbench = sync.OnceValues(func() (string, error) {
	path, _, err := install.FindPgbench()
	return path, err
})

func testUser(t testing.TB) *launch.User {
	t.Helper()
	user, err := launch.ServerUser()
	if err != nil {
		t.Fatal(err)
	}
	return user
}

// testDir creates a private directory of the server's user. It is not below t.TempDir, which that
// user may not enter, and whose name may be too long for a socket.
func testDir(t testing.TB) string {
	t.Helper()
	parent, dir, err := privateDir(testUser(t))
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// privateDir creates a directory of a user in one that others may enter.
func privateDir(user *launch.User) (parent, dir string, err error) {
	if parent, err = os.MkdirTemp("/tmp", "plinth-"); err != nil {
		return "", "", err
	}
	dir = filepath.Join(parent, "d")
	if err = os.Mkdir(dir, 0o700); err == nil && user != nil {
		err = os.Chown(dir, user.UID, user.GID)
	}
	if err == nil {
		err = os.Chmod(parent, 0o711)
	}
	return parent, dir, err
}

func testJournal(t testing.TB) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func smallExperiment() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "test", Dataset: experiment.Dataset{Scale: 1, Fillfactor: 100},
		Clients: []int{1, 4}, Threads: []int{1}, Protocol: "simple", Connect: "once",
		Settings: map[string]string{"shared_buffers": "16MB", "max_wal_size": "64MB"},
	}
}

// ownConfig returns the configuration of a small server of plinth's own. It runs without fsync:
// the machine stays up, and the disk may be busy.
func ownConfig(t testing.TB, programs install.Programs) Config {
	t.Helper()
	exp := smallExperiment()
	exp.Settings["fsync"] = "off"
	return Config{
		Config: engine.Config{
			Experiment: exp, Environment: experiment.Environment{Name: "here"},
			Launcher: launcher, Journal: testJournal(t), RunID: "test1", Scratch: t.TempDir(), User: testUser(t), SocketDir: testDir(t),
		},
		Pgbench: testPgbench(t), Programs: programs, DataDir: testDir(t),
	}
}

// bareConfig returns the configuration of a server without a dataset.
func bareConfig(t testing.TB, programs install.Programs) Config {
	t.Helper()
	config := ownConfig(t, programs)
	config.Experiment.Dataset.Scale = 0
	return config
}

// startOwn starts a server and removes it at the end.
func startOwn(t *testing.T, config Config) *Own {
	t.Helper()
	own, err := NewOwn(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := own.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return own
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
