//go:build linux

package redisbench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// redisServer starts a server on a private socket and returns its path.
func redisServer(t *testing.T, options ...string) string {
	t.Helper()
	path, err := launch.FindProgram("redis-server", filepath.SplitList(os.Getenv(BinVariable))...)
	if err != nil {
		missing(t, err)
	}
	dir, err := os.MkdirTemp("", "redisbench") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	p, err := launch.NewLocal().Start(launch.Command{
		Path: path, Args: append([]string{"--port", "0", "--unixsocket", socket, "--dir", dir, "--save", ""}, options...),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Stop()
		_ = os.RemoveAll(dir)
	})
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("unix", socket); err == nil {
			_ = conn.Close()
			return socket
		}
	}
	t.Fatal("the server does not come up")
	return ""
}

// missing fails in CI, where everything must be installed, and skips elsewhere.
func missing(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// newJob returns a short run of a test.
func newJob(t *testing.T, socket, test string) driver.Job {
	t.Helper()
	dir := t.TempDir()
	return driver.Job{
		Experiment: &experiment.Experiment{Transactions: 3000, Payload: 100, Keyspace: 1, Pipeline: 1, Connect: "once", Distribution: "uniform"},
		Workload:   experiment.Workload{Name: test, Scripts: []experiment.Script{{Name: test, Builtin: test, Weight: 1}}},
		Cell:       experiment.Cell{Workload: test, Clients: 10, Threads: 1},
		Conninfo:   "unix://" + socket + "?db=0",
		Keep:       drivertest.In(t, dir), Scratch: dir,
	}
}

func newDriver(t *testing.T) *Driver {
	t.Helper()
	p, err := FindBenchmark()
	if err != nil {
		missing(t, err)
	}
	return New(p)
}

func drive(t *testing.T, job driver.Job) *driver.Outcome {
	t.Helper()
	o, err := newDriver(t).Drive(t.Context(), launch.NewLocal(), job)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range o.Problems {
		t.Errorf("problem: %s: %s", p.Rule, p.Text)
	}
	return o
}

// TestDrive checks that the numbers of each test agree with each other.
func TestDrive(t *testing.T) {
	t.Parallel()
	socket := redisServer(t)
	for _, test := range []string{"ping", "ping-inline", "set", "get", "incr", "lpush", "rpush", "lpop", "rpop", "sadd", "hset", "spop", "zadd", "mset"} {
		job := newJob(t, socket, test)
		o := drive(t, job)
		r := o.Result
		if r.Transactions != 3000 || r.Loop != "closed" || r.Hits != nil || r.Failures != 0 {
			t.Errorf("%s: %+v", test, r)
		}
		if off := r.TPS*r.Duration/float64(r.Transactions) - 1; off > 1e-6 || off < -1e-6 {
			t.Errorf("%s: %g a second in %g s", test, r.TPS, r.Duration)
		}
		l := r.Latency
		if l.Min < 0 || // redis-benchmark counts less than 8 µs as 0: its histogram begins at 10
			l.P50 <= 0 || l.Min > l.P50 || l.P50 > l.P95 || l.P95 > l.P99 || l.P99 > l.P999 || l.P999 > l.Max || l.Mean < float64(l.Min) {
			t.Errorf("%s: latencies %+v", test, l)
		}
		if got := o.End.Sub(o.Begin).Seconds(); got-r.Duration > 1e-4 || o.End.After(time.Now()) || o.Driver.Program != "redis-benchmark" {
			t.Errorf("%s: from %s to %s, by %s", test, o.Begin, o.End, o.Driver.Program)
		}
		checkLog(t, drivertest.Of(job).HistogramLog, r)
	}
}

func checkLog(t *testing.T, path string, r record.Result) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := hdrhistogram.NewHistogramLogReader(bytes.NewReader(text)).NextIntervalHistogram()
	if err != nil || h == nil || h.TotalCount() != r.Transactions {
		t.Errorf("the histogram log has %v, %v", h, err)
	}
}

// TestSeconds checks that a load of some seconds has points, shows them meanwhile, and
// reports when it began. The server blocks writes until the first second was shown.
func TestSeconds(t *testing.T) {
	t.Parallel()
	socket := redisServer(t)
	say := func(command string) {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = conn.Write([]byte(command + "\r\n"))
		if reply, err := bufio.NewReader(conn).ReadString('\n'); reply != "+OK\r\n" {
			t.Errorf("%s: %q, %v", command, reply, err)
		}
	}
	job := newJob(t, socket, "set")
	job.Cell.Clients = 1
	var shown []record.Point
	var begun time.Time
	job.Live = func(p record.Point) {
		if shown = append(shown, p); len(shown) == 1 {
			say("CLIENT UNPAUSE")
		}
	}
	job.Begun = func(at time.Time) { begun = at }
	before := time.Now()
	say("CLIENT PAUSE 600000 WRITE")
	o := drive(t, job)
	seconds := o.Points.Columns[0].Values
	if o.Result.Duration < 1 || len(seconds) != int(o.Result.Duration) {
		t.Fatalf("%d points of %g s", len(seconds), o.Result.Duration)
	}
	// Where the first line was read late, the window is moved so that it ends by now.
	if o.Begin.Before(before) || begun.Before(o.Begin) {
		t.Errorf("it began at %s, reported %s; the load was started at %s", o.Begin, begun, before)
	}
	sum := 0.0
	for _, tps := range o.Points.Columns[1].Values {
		sum += tps
	}
	if whole := sum / float64(o.Result.Transactions); whole < 0 || whole > 1.0001 {
		t.Errorf("points have %g of all requests: %v", whole, o.Points.Columns[1].Values)
	}
	if len(shown) < 1 || shown[0].Second != 1 {
		t.Errorf("shown were %+v", shown)
	}
}

// TestThreadsAndPipeline checks that the parameters are on the command line, and what
// weakens the numbers in the warnings.
func TestThreadsAndPipeline(t *testing.T) {
	t.Parallel()
	job := newJob(t, redisServer(t), "get")
	job.Experiment.Pipeline, job.Experiment.Payload = 8, unit.Size(180000)
	job.Cell.Threads = 2
	o := drive(t, job)
	command := strings.Join(o.Driver.Command, " ")
	for _, part := range []string{"--threads 2", "-P 8", "-d 180000", "-t get", "-r 1", "-k 1"} {
		if !strings.Contains(command, part) {
			t.Errorf("%s is not in %s", part, command)
		}
	}
	for _, rule := range []string{"latency-of-batch", "latency-of-first-bytes", "threads-end-late"} {
		if !slices.ContainsFunc(o.Warnings, func(n record.Note) bool { return n.Rule == rule }) {
			t.Errorf("no warning %s: %v", rule, o.Warnings)
		}
	}
}

func TestConnectEach(t *testing.T) {
	t.Parallel()
	job := newJob(t, redisServer(t), "set")
	job.Experiment.Connect, job.Experiment.Transactions = "each", 300
	o := drive(t, job)
	if o.Result.Transactions != 300 || len(o.Warnings) != 1 || o.Warnings[0].Rule != "connect-not-in-latency" {
		t.Errorf("%+v, %v", o.Result, o.Warnings)
	}
}

// TestRefusals checks that the server's error is the cause, in its words.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options []string
		want    string
	}{
		"out of memory": {[]string{"--maxmemory", "1"}, "the server rejected a request: OOM command not allowed"},
		"replica":       {[]string{"--replicaof", "127.0.0.1 1", "--port", "0"}, "READONLY"},
		"password":      {[]string{"--requirepass", "hush"}, "NOAUTH"},
	} {
		_, err := newDriver(t).Drive(t.Context(), launch.NewLocal(), newJob(t, redisServer(t, test.options...), "set"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := newDriver(t).Drive(t.Context(), launch.NewLocal(), newJob(t, "/nowhere/s", "set"))
	if err == nil || !strings.Contains(err.Error(), "Could not connect") {
		t.Errorf("no server: %v", err)
	}
}

// TestServerGoes checks that the run ends with an error when the server exits.
func TestServerGoes(t *testing.T) {
	t.Parallel()
	socket := redisServer(t)
	job := newJob(t, socket, "set")
	job.Experiment.Transactions = 100_000_000
	job.Begun = func(time.Time) {
		go func() {
			if conn, err := net.Dial("unix", socket); err == nil {
				_, _ = conn.Write([]byte("SHUTDOWN NOSAVE\r\n"))
				_ = conn.Close()
			}
		}()
	}
	d := newDriver(t)
	d.silence = 2 * time.Second
	_, err := d.Drive(t.Context(), launch.NewLocal(), job)
	if err == nil || !strings.Contains(err.Error(), "cannot finish the run: ") {
		t.Errorf("%v", err)
	}
}

// mute is a program that hangs, as version 7 does when its server exits at a bad moment.
const mute = `#!/bin/sh
case "$1" in --version) echo "redis-benchmark 7.0.15"; exit;; esac
printf 'SET: rps=100.0 (overall: 100.0) avg_msec=0.1 (overall: 0.1)\r'
exec sleep 600
`

func TestHangs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "redis-benchmark"), []byte(mute), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := findBenchmark(launch.NewLocal(), []string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := New(p)
	d.silence = time.Second
	_, err = d.Drive(t.Context(), launch.NewLocal(), newJob(t, "/nowhere", "set"))
	if err == nil || !strings.Contains(err.Error(), "redis-benchmark hangs: it printed nothing for 1s") || hint.Of(err) == "" {
		t.Errorf("%v", err)
	}
}

// TestStop checks that a stopped run leaves no process behind.
func TestStop(t *testing.T) {
	t.Parallel()
	job := newJob(t, redisServer(t), "set")
	job.Experiment.Transactions = 1_000_000_000
	ctx, cancel := context.WithCancel(t.Context())
	job.Begun = func(time.Time) { cancel() }
	_, err := newDriver(t).Drive(ctx, launch.NewLocal(), job)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	out, _ := exec.Command("pgrep", "-f", job.Conninfo[len("unix://"):strings.Index(job.Conninfo, "?")]).Output()
	for pid := range strings.FieldsSeq(string(out)) {
		command, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		if strings.HasPrefix(filepath.Base(string(command)), "redis-benchmark") {
			t.Errorf("%s still runs: %q", pid, command)
		}
	}
}

// old is a program that behaves as version 6 does when the server rejects a request: it
// prints that on its standard output, and continues.
const old = `#!/bin/sh
case "$1" in --version) echo "redis-benchmark 6.0.16"; exit;; esac
printf 'SET: 100.00\rError from server: MISCONF Redis is configured to save RDB snapshots\n'
exec sleep 600
`

func TestOldRefusal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "redis-benchmark"), []byte(old), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := findBenchmark(launch.NewLocal(), []string{dir}, nil)
	if err != nil || p.Version != "6.0.16" {
		t.Fatalf("%+v, %v", p, err)
	}
	job := newJob(t, "/nowhere", "set")
	args, err := New(p).arguments(job)
	if err != nil || !slices.Contains(args, "-e") {
		t.Errorf("%v, %v", args, err)
	}
	_, err = New(p).Drive(t.Context(), launch.NewLocal(), job)
	if err == nil || !strings.Contains(err.Error(), "rejected a request: MISCONF") {
		t.Errorf("got %v", err)
	}
	job.Conninfo = "rediss://cache:6379/0"
	if _, err := New(p).Drive(t.Context(), launch.NewLocal(), job); err == nil || !strings.Contains(err.Error(), "does not support TLS") {
		t.Errorf("TLS: %v", err)
	}
}

// TestFindBenchmark checks that the newest program is used, and that unusable ones are
// named.
func TestFindBenchmark(t *testing.T) {
	t.Parallel()
	var dirs []string
	for _, version := range []string{"redis-benchmark 7.0.15", "redis-benchmark 7.4.1 (git:0)", "redis-benchmark 5.0.6", "nonsense", "valkey-benchmark 9.0.0"} {
		dir := t.TempDir()
		name, _, _ := strings.Cut(strings.Replace(version, "nonsense", "redis-benchmark", 1), " ")
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho '"+version+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	if p, err := findBenchmark(launch.NewLocal(), nil, dirs); err != nil || p.Version != "7.4.1" || p.Name != "redis-benchmark" {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := findBenchmark(launch.NewLocal(), dirs[:1], dirs[1:]); err != nil || p.Version != "7.0.15" {
		t.Errorf("named ones come first: %+v, %v", p, err)
	}
	if p, err := findBenchmark(launch.NewLocal(), nil, dirs[4:]); err != nil || p.Name != "valkey-benchmark" || p.Version != "9.0.0" {
		t.Errorf("%+v, %v", p, err)
	}
	_, err := findBenchmark(launch.NewLocal(), nil, dirs[2:4])
	if err == nil || !strings.Contains(err.Error(), "5.0.6, older than 6") || !strings.Contains(err.Error(), "is not redis-benchmark") || hint.Of(err) == "" {
		t.Errorf("%v", err)
	}
}
