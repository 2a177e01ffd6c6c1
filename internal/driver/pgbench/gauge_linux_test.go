package pgbench

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/driver/drivertest"
	"plinth/internal/host/launch"
)

// lazy reads a pipe only once it is full: pgbench waits for plinth.
type lazy struct {
	*os.File
	awake bool
}

func (l *lazy) Read(p []byte) (int, error) {
	raw, err := l.SyscallConn()
	if err != nil {
		return 0, err
	}
	for deadline := time.Now().Add(patience); !l.awake; {
		<-time.After(time.Millisecond)
		l.awake = pipeHolds(raw) == pipeCapacity(raw) || time.Now().After(deadline)
	}
	return l.File.Read(p)
}

type lazyProcess struct{ launch.Process }

func (p lazyProcess) Pipe(i int) (io.ReadCloser, error) {
	r, err := p.Process.Pipe(i)
	if f, ok := r.(*os.File); ok {
		return &lazy{File: f}, err
	}
	return r, err
}

type lazyLauncher struct{ launch.Launcher }

func (l lazyLauncher) Start(c launch.Command) (launch.Process, error) {
	p, err := l.Launcher.Start(c)
	return lazyProcess{p}, err
}

// longLog returns 2 MB: more than a pipe holds.
func longLog() string {
	return strings.Repeat("0 1 500 0 100 0\n", 125_000) + "0 2 500 0 101 100000\n"
}

const longSummary = "number of transactions actually processed: 125001\nlatency average = 0.500 ms\n"

// TestStalledReader has plinth make pgbench wait. Nothing else is wrong with the run.
func TestStalledReader(t *testing.T) {
	o, err := fake(t, longLog(), longSummary).Drive(t.Context(), lazyLauncher{launch.NewLocal()}, fakeJob(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Problems) != 1 || o.Problems[0].Rule != "generator-stalled" || !strings.Contains(o.Problems[0].Text, " s; pgbench had to wait") {
		t.Errorf("problems %v", o.Problems)
	}
}

func TestGauge(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	now := time.Now()
	g := newGauge(read)
	g.read = now
	fill := func(n int) {
		if _, err := write.Write(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	fill(40 << 10)
	buf := make([]byte, 16<<10)
	for range 3 {
		n, err := read.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
		g.after(n, len(buf), now)
	}
	if g.stalled != 0 {
		t.Errorf("a pipe that was not full: %s", g.stalled)
	}
	fill(64 << 10)
	n, err := read.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	g.after(n, len(buf), now.Add(3*time.Second))
	if g.stalled != 3*time.Second {
		t.Errorf("stalled for %s, want 3 s", g.stalled)
	}
	if g := newGauge(strings.NewReader("")); g.full != 0 {
		t.Errorf("what is no pipe has a size: %+v", g)
	}
}

// TestTinyPipe checks a pipe of one page, which is full whenever pgbench has written.
func TestTinyPipe(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	if _, err := unix.FcntlInt(read.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize()); err != nil {
		t.Fatal(err)
	}
	if g := newGauge(read); g.full != 0 {
		t.Errorf("%+v", g)
	}
}

// TestSlowStore keeps the log in a file that accepts nothing until pgbench has exited:
// reading must continue.
func TestSlowStore(t *testing.T) {
	job := fakeJob(t)
	job.Experiment.KeepLog = true
	kept := filepath.Join(drivertest.Of(job).Raw, "transactions-0.log")
	if err := syscall.Mkfifo(kept, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := os.OpenFile(kept, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	launcher := &announcing{Launcher: launch.NewLocal(), started: make(chan launch.Process, 1)}
	got := make(chan string, 1)
	log := longLog()
	go func() {
		p := <-launcher.started
		<-p.Done()
		b := make([]byte, len(log))
		n, _ := io.ReadFull(store, b)
		got <- string(b[:n])
	}()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := fake(t, log, longSummary).Drive(ctx, launcher, job); err != nil {
		t.Fatal(err)
	}
	if <-got != log {
		t.Error("what was kept is not the log")
	}
}

type announcing struct {
	launch.Launcher
	started chan launch.Process
}

func (a *announcing) Start(c launch.Command) (launch.Process, error) {
	p, err := a.Launcher.Start(c)
	if err == nil {
		a.started <- p
	}
	return p, err
}
