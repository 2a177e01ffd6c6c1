//go:build linux

package kernel

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/record"
	"plinth/internal/telemetry"
)

// TestMain makes this test binary a guard or a watched program where that is requested.
func TestMain(m *testing.M) {
	launch.GuardMain()
	if helper := os.Getenv("PLINTH_TEST_HELPER"); helper != "" {
		helpers[helper]()
		os.Exit(0)
	}
	// Captured machines are thousands of small files: kept in memory, a busy disk does not
	// delay them.
	if _, err := os.Stat("/dev/shm"); err == nil {
		_ = os.Setenv("TMPDIR", "/dev/shm")
	}
	code := m.Run()
	if dirs, err := captured(); err == nil {
		_ = os.RemoveAll(dirs[""])
	}
	os.Exit(code)
}

// helpers are the programs that this test binary can be: each runs the commands it reads
// from standard input, one a line, and reports when they are done.
var helpers = map[string]func(){"worker": worker, "looker": looker}

// worker uses CPU time ("burn 200ms"), or starts a child that does so and waits for it
// ("child 200ms"), or leaves it behind ("leave 200ms").
func worker() {
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		what, long, _ := strings.Cut(in.Text(), " ")
		d, _ := time.ParseDuration(long)
		switch what {
		case "burn":
			burn(d)
		case "child":
			child(d)
		case "write":
			write(long)
		}
		fmt.Println("done")
	}
}

// burn uses that much CPU time.
func burn(d time.Duration) {
	for used := time.Duration(0); used < d; {
		used += threadTimeOf(func() {
			for begin := time.Now(); time.Since(begin) < time.Millisecond; {
				_ = math.Sqrt(float64(begin.Nanosecond()))
			}
		})
	}
}

func child(d time.Duration) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{"PLINTH_TEST_HELPER=worker"}
	cmd.Stdin = strings.NewReader("burn " + d.String() + "\n")
	if err := cmd.Run(); err != nil {
		fmt.Println(err)
	}
}

// written is how much write writes, in bytes.
const written = 4 << 20

// write writes a file and syncs it.
func write(name string) {
	file, err := os.Create(name)
	if err == nil {
		_, err = file.Write(make([]byte, written))
	}
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		fmt.Println(err)
	}
}

// work is a running worker.
type work struct {
	*exec.Cmd
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Scanner
}

func startWorker(t testing.TB) *work {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = []string{"PLINTH_TEST_HELPER=worker"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &work{cmd, t, in, bufio.NewScanner(out)}
	t.Cleanup(w.end)
	w.wait("ready")
	return w
}

// do sends a command and waits until the worker has done it.
func (w *work) do(format string, args ...any) {
	w.t.Helper()
	fmt.Fprintf(w.in, format+"\n", args...)
	w.wait("done")
}

func (w *work) wait(word string) {
	w.t.Helper()
	if !w.out.Scan() || w.out.Text() != word {
		w.t.Fatalf("a worker says %q, not %q", w.out.Text(), word)
	}
}

func (w *work) end() {
	_ = w.in.Close()
	_ = w.Wait()
}

// reading is a source that is read by hand.
type reading struct {
	t      testing.TB
	source telemetry.Source
	board  *telemetry.Board
	clock  time.Time
}

// readings returns a source that is read as if a second passed between readings.
func readings(t testing.TB, o Options, name string) *reading {
	t.Helper()
	lane := Lane(o)
	for _, source := range lane.Sources {
		if source.Name() == name {
			return &reading{t, source, telemetry.NewBoard(name), time.Unix(1000, 0)}
		}
		source.Close()
	}
	t.Fatalf("no source %s: %v", name, lane.Missing)
	return nil
}

func (r *reading) read() error {
	r.board.Begin(r.clock)
	err := r.source.Read(context.Background(), r.board)
	r.board.End(r.clock, err)
	r.clock = r.clock.Add(time.Second)
	return err
}

func (r *reading) mustRead() {
	r.t.Helper()
	if err := r.read(); err != nil {
		r.t.Fatal(err)
	}
}

// cut returns the seconds between the readings, and the gaps.
func (r *reading) cut() (map[string][]float64, []record.TelemetryGap) {
	r.t.Helper()
	begin := time.Unix(1000, 0)
	var seconds []float64
	for s := 0.0; begin.Add(time.Duration(s+1) * time.Second).Before(r.clock); s++ {
		seconds = append(seconds, s)
	}
	columns, gaps := r.board.Columns(begin, seconds)
	values := map[string][]float64{}
	for _, c := range columns {
		values[c.Name] = c.Values
	}
	return values, gaps
}

// threadTimeOf returns the CPU time that do takes.
func threadTimeOf(do func()) time.Duration { return host.ThreadTime(do) }
