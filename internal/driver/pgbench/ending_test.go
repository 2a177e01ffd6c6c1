//go:build linux

package pgbench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/unit"
)

func TestScriptError(t *testing.T) {
	job := newJob(t, shared.get(t))
	job.Workload.Scripts = []experiment.Script{{SQL: "SELECT * FROM no_such_table;"}}
	wantError(t, job, `relation "no_such_table" does not exist`)
}

func TestNoServer(t *testing.T) {
	job := newJob(t, shared.get(t))
	job.Conninfo = "host=" + t.TempDir() + " user=postgres"
	wantError(t, job, "No such file or directory")
}

func wantError(t *testing.T, job driver.Job, want string) {
	t.Helper()
	began := time.Now()
	launcher := newSpy()
	o, err := newest(t).Drive(t.Context(), launcher, job)
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "cannot finish the run: pgbench: ") {
		text, _ := os.ReadFile(filepath.Join(job.RawDir, "stderr.txt"))
		t.Fatalf("got %v, %v; want an error with %q, as in\n%s", o, err, want, text)
	}
	t.Log(err)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("noticed after %s", took)
	}
	if text, err := os.ReadFile(filepath.Join(job.RawDir, "stderr.txt")); err != nil || !strings.Contains(string(text), "pgbench: error: ") {
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
	job.Experiment.Duration = unit.Duration(20 * time.Second)
	job.Live = func(record.Point) { _ = s.postgres.Process.Signal(syscall.SIGINT) } // fast shutdown
	wantError(t, job, "terminating connection due to administrator command")
}

func TestPgbenchKilled(t *testing.T) {
	t.Parallel()
	job := newJob(t, shared.get(t))
	job.Experiment.Duration = unit.Duration(20 * time.Second)
	launcher := newSpy()
	job.Live = func(record.Point) { _ = launcher.process.Signal(syscall.SIGKILL) }
	_, err := newest(t).Drive(t.Context(), launcher, job)
	if err == nil || err.Error() != "cannot finish the run: pgbench was ended by a signal: killed" {
		t.Errorf("got %v", err)
	}
	launcher.noPipesLeft(t)
}

// spy remembers what was started.
type spy struct {
	host.Launcher
	command host.Command
	process host.Process
}

func newSpy() *spy { return &spy{Launcher: host.NewLocal()} }

func (s *spy) Start(c host.Command) (p host.Process, err error) {
	s.command = c
	s.process, err = s.Launcher.Start(c)
	return s.process, err
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	job := newJob(t, shared.get(t))
	job.Experiment.Duration = unit.Duration(20 * time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	job.Live = func(record.Point) { cancel() }
	began := time.Now()
	launcher := newSpy()
	_, err := newest(t).Drive(ctx, launcher, job)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("stopped after %s", took)
	}
	if err := syscall.Kill(launcher.process.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("pgbench is still there: %v", err)
	}
	launcher.noPipesLeft(t)
}
