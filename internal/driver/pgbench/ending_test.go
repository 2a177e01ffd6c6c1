//go:build linux

package pgbench

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/record"
	"plinth/internal/unit"
)

func TestScriptError(t *testing.T) {
	t.Parallel()
	job := newJob(t, shared.get(t))
	job.Workload.Scripts = []experiment.Script{{SQL: "SELECT * FROM no_such_table;"}}
	wantError(t, job, `relation "no_such_table" does not exist`)
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	job := newJob(t, shared.get(t))
	job.Conninfo = "host=" + t.TempDir() + " user=postgres"
	wantError(t, job, "No such file or directory")
}

// A server that accepts connections but does not answer ends the run.
func TestDeafServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deaf, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = deaf.Close() })
	job := newJob(t, shared.get(t))
	job.Conninfo = "host=" + dir + " user=postgres"
	job.Env.Set = append(job.Env.Set, "PGCONNECT_TIMEOUT=2")
	wantError(t, job, "timeout expired")
	job.Env.Set = nil
	if env := withConnectTimeout(job.Env.Environ()); !slices.Contains(env, connectTimeout) {
		t.Errorf("no limit in %q", env)
	}
}

func wantError(t *testing.T, job driver.Job, want string) {
	t.Helper()
	launcher := newSpy()
	o, err := newest(t).Drive(t.Context(), launcher, job)
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "cannot finish the run: pgbench: ") {
		text, _ := os.ReadFile(filepath.Join(drivertest.Of(job).Raw, "stderr.txt"))
		t.Fatalf("got %v, %v; want an error with %q, as in\n%s", o, err, want, text)
	}
	if text, err := os.ReadFile(filepath.Join(drivertest.Of(job).Raw, "stderr.txt")); err != nil || !strings.Contains(string(text), "pgbench: error: ") {
		t.Errorf("raw standard error: %q %v", text, err)
	}
	launcher.noPipesLeft(t)
}

func (s *spy) noPipesLeft(t *testing.T) {
	t.Helper()
	if len(s.command.Pipes) == 0 {
		t.Fatal("nothing was started")
	}
	if _, err := os.Stat(filepath.Dir(s.command.Pipes[0])); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s was left behind: %v", filepath.Dir(s.command.Pipes[0]), err)
	}
}

func TestServerKilled(t *testing.T) {
	t.Parallel()
	s := ownServer(t)
	job := newJob(t, s)
	job.Experiment.Duration = unit.Duration(time.Hour)                              // it does not end on its own
	job.Live = func(record.Point) { _ = s.postgres.Process.Signal(syscall.SIGINT) } // fast shutdown
	wantError(t, job, "terminating connection due to administrator command")
}

func TestPgbenchKilled(t *testing.T) {
	t.Parallel()
	job := newJob(t, shared.get(t))
	job.Experiment.Duration = unit.Duration(time.Hour)
	launcher := newSpy()
	job.Live = func(record.Point) { // may be called before Start has returned
		<-launcher.started
		_ = launcher.process.Signal(syscall.SIGKILL)
	}
	_, err := newest(t).Drive(t.Context(), launcher, job)
	if err == nil || err.Error() != "cannot finish the run: pgbench was terminated by a signal: killed" {
		t.Errorf("got %v", err)
	}
	launcher.noPipesLeft(t)
}

// spy records what was started.
type spy struct {
	launch.Launcher
	command launch.Command
	process launch.Process
	started chan struct{} // closed once process is known
}

func newSpy() *spy { return &spy{Launcher: launch.NewLocal(), started: make(chan struct{})} }

func (s *spy) Start(c launch.Command) (p launch.Process, err error) {
	s.command = c
	s.process, err = s.Launcher.Start(c)
	close(s.started)
	return s.process, err
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	job := newJob(t, shared.get(t))
	job.Experiment.Duration = unit.Duration(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	job.Live = func(record.Point) { cancel() }
	launcher := newSpy()
	_, err := newest(t).Drive(ctx, launcher, job)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for end := time.Now().Add(patience); !errors.Is(syscall.Kill(launcher.process.PID(), 0), syscall.ESRCH); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("pgbench is still there")
		}
	}
	launcher.noPipesLeft(t)
}
