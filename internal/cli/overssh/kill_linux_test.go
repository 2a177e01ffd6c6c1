package overssh

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"sync"
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

// started is a plinth that runs an experiment.
type started struct {
	l     *lab
	out   output
	ended chan error
	kill  func()
	pid   int
}

// output is what a program has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start runs endless until two more runs have finished.
func start(l *lab, flags ...string) *started {
	l.t.Helper()
	l.write("endless.yaml", endless)
	if flags == nil {
		flags = []string{"endless.yaml"}
	}
	before := len(l.runs())
	s := begin(l, flags...)
	s.await("two more runs", func() bool { return len(l.runs()) >= before+2 })
	return s
}

// begin runs plinth run.
func begin(l *lab, flags ...string) *started {
	l.t.Helper()
	s := &started{l: l, ended: make(chan error, 1)}
	c := l.command(append([]string{"run"}, flags...)...)
	c.Stdout, c.Stderr = &s.out, &s.out
	if err := c.Start(); err != nil {
		l.t.Fatal(err)
	}
	s.kill = func() { _ = c.Process.Signal(syscall.SIGKILL) }
	s.pid = c.Process.Pid
	l.t.Cleanup(s.kill)
	go func() { s.ended <- c.Wait() }()
	return s
}

func (s *started) await(what string, there func() bool) {
	s.l.t.Helper()
	if err := life.Poll(s.l.t.Context(), 2*time.Minute, there); err != nil {
		s.l.t.Fatalf("no %s: %v\n%s", what, err, s.out.String())
	}
}

// says waits until plinth has said a text.
func (s *started) says(text string) {
	s.l.t.Helper()
	s.await(text, func() bool { return strings.Contains(s.out.String(), text) })
}

// exits waits until plinth has ended with an exit code.
func (s *started) exits(code int) {
	s.l.t.Helper()
	err, got := <-s.ended, 0
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		got, err = exit.ExitCode(), nil
	}
	if err != nil || got != code {
		s.l.t.Errorf("it ended with %d, %v, want %d: %s", got, err, code, s.out.String())
	}
}

// finished checks that the record has every run that was finished.
func (s *started) finished(state record.State) {
	s.l.t.Helper()
	s.l.t.Logf("it said: %s", s.out.String())
	runs, rec := s.l.runs(), s.l.record()
	if len(rec.Runs) != len(runs) || len(runs) < 2 || rec.Summary.State != state {
		s.l.t.Errorf("the record has %d of %d runs and is %s", len(rec.Runs), len(runs), rec.Summary.State)
	}
}

// TestKillHere kills plinth where it was started: the agents put everything back by themselves.
func TestKillHere(t *testing.T) {
	t.Parallel()
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

// TestInterrupt checks that Ctrl-C ends everything on all machines, also when the record is resumed.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	l := newLab(t, "db1", "db2")
	start(l).interrupted()
	start(l, "--resume", "latest").interrupted()
}

// interrupt presses Ctrl-C.
func (s *started) interrupt() {
	s.l.t.Helper()
	if err := syscall.Kill(s.pid, syscall.SIGINT); err != nil {
		s.l.t.Fatal(err)
	}
	s.exits(130)
}

// interrupted checks that Ctrl-C ends everything on all machines.
func (s *started) interrupted() {
	l, t := s.l, s.l.t
	t.Helper()
	s.interrupt()
	l.clean("db1")
	l.clean("db2")
	s.finished(record.Interrupted)
}
