package overssh

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/engine/life"
	"plinth/internal/record"
)

// endless has runs of a second and one that does not end by itself.
const endless = `name: endless
workloads: [select-only]
clients: [2]
duration: 1s
warmup: 0s
repeats: 900
dataset: {scale: 1}
environments:
  one: {at: ssh://db1, storage: {data: /tmp/data}}
  two: {at: ssh://db2, storage: {data: /tmp/data}}
`

// started is a plinth that runs endless.
type started struct {
	l     *lab
	out   bytes.Buffer
	ended chan error
	kill  func()
	pid   int
}

// start runs endless until two more runs have finished.
func start(l *lab, flags ...string) *started {
	l.t.Helper()
	l.write("endless.yaml", endless)
	s := &started{l: l, ended: make(chan error, 1)}
	if flags == nil {
		flags = []string{"endless.yaml"}
	}
	finished := func() int {
		runs, _ := filepath.Glob(filepath.Join(l.dir, "results", "*", "runs", "*", "*", "*", "*", "run.json"))
		return len(runs)
	}
	before := finished()
	c := l.command(append([]string{"run"}, flags...)...)
	c.Stdout, c.Stderr = &s.out, &s.out
	if err := c.Start(); err != nil {
		l.t.Fatal(err)
	}
	s.kill = func() { _ = c.Process.Signal(syscall.SIGKILL) }
	s.pid = c.Process.Pid
	l.t.Cleanup(s.kill)
	go func() { s.ended <- c.Wait() }()
	s.await("two more runs", func() bool { return finished() >= before+2 })
	return s
}

func (s *started) await(what string, there func() bool) {
	s.l.t.Helper()
	if err := life.Poll(s.l.t.Context(), 2*time.Minute, there); err != nil {
		s.l.t.Fatalf("no %s: %v\n%s", what, err, s.out.String())
	}
}

// failed waits until plinth has ended because it lost a machine.
func (s *started) failed() {
	s.l.t.Helper()
	if exit := new(exec.ExitError); !errors.As(<-s.ended, &exit) || exit.ExitCode() != 1 {
		s.l.t.Errorf("it ended with %v: %s", exit, s.out.String())
	}
}

// finished checks that the record has every run that was finished.
func (s *started) finished(state record.State) {
	s.l.t.Helper()
	s.l.t.Logf("it said: %s", s.out.String())
	runs, _ := filepath.Glob(filepath.Join(s.l.dir, "results", "*", "runs", "*", "*", "*", "*", "run.json"))
	rec := s.l.record()
	if len(rec.Runs) != len(runs) || len(runs) < 2 || rec.Summary.State != state {
		s.l.t.Errorf("the record has %d of %d runs and is %s", len(rec.Runs), len(runs), rec.Summary.State)
	}
}

// TestKillHere kills plinth where it was started: the agents put everything back by themselves.
func TestKillHere(t *testing.T) {
	l := newLab(t, "db1", "db2")
	s := start(l)
	s.kill()
	if err := <-s.ended; err == nil {
		t.Error("it was not killed")
	}
	for _, host := range []string{"db1", "db2"} {
		s.await("end of the agent on "+host, func() bool { return l.left(host) == "" })
	}
	s.finished(record.Interrupted)
}

// TestKillThere kills an agent: what it started ends at once, and the next plinth there undoes the
// rest.
func TestKillThere(t *testing.T) {
	l := newLab(t, "db1", "db2")
	s := start(l)
	l.hosts["db1"].Run("pkill -9 -f 'plinth-[0-9a-f]* agent'")
	s.failed()
	if said := s.out.String(); !strings.Contains(said, "ssh://db1") {
		t.Errorf("it said %s", said)
	}
	s.await("end of the servers on db1", func() bool { return l.processes("db1") == "" })
	l.clean("db2")
	s.finished(record.Interrupted)
	if said, code := l.plinth("clean", "--on", "ssh://db1"); code != 0 || !strings.Contains(said, "an earlier plinth process crashed") {
		t.Errorf("exit code %d: %s", code, said)
	}
	l.clean("db1")
}

// TestCut cuts the connection without a word to either side: both ends notice after the lease.
func TestCut(t *testing.T) {
	l := newLab(t, "db1", "db2")
	s := start(l)
	l.hosts["db1"].Cut()
	s.failed()
	s.await("end of the agent on db1", func() bool { return l.left("db1") == "" })
	l.clean("db2")
	s.finished(record.Interrupted)
}

// TestInterrupt checks that Ctrl-C ends everything on all machines, also when the record is resumed.
func TestInterrupt(t *testing.T) {
	l := newLab(t, "db1", "db2")
	start(l).interrupt()
	start(l, "--resume", "latest").interrupt()
}

func (s *started) interrupt() {
	l, t := s.l, s.l.t
	t.Helper()
	process, err := os.FindProcess(s.pid)
	if err == nil {
		err = process.Signal(syscall.SIGINT)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; err == nil {
		t.Error("it was not interrupted")
	}
	l.clean("db1")
	l.clean("db2")
	s.finished(record.Interrupted)
}
