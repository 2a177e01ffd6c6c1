package redisload

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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

// newJob returns a second of GETs by four clients, modified by change.
func newJob(t testing.TB, uri string, change func(*driver.Job)) driver.Job {
	t.Helper()
	dir := t.TempDir()
	job := driver.Job{
		Experiment: &experiment.Experiment{Duration: unit.Duration(time.Second), Payload: 3, Keyspace: 1, Pipeline: 1, Connect: "once"},
		Workload:   mix("get"), Cell: experiment.Cell{Clients: 4, Threads: 1},
		Conninfo: uri, Keep: drivertest.In(t, dir), Scratch: dir,
	}
	if change != nil {
		change(&job)
	}
	return job
}

// mix returns a workload of tests; "get*10" has weight 10.
func mix(tests ...string) (w experiment.Workload) {
	for _, text := range tests {
		name, weight, _ := strings.Cut(text, "*")
		n, _ := strconv.Atoi(weight)
		w.Scripts = append(w.Scripts, experiment.Script{Name: name, Builtin: name, Weight: max(n, 1)})
	}
	return w
}

func drive(t testing.TB, job driver.Job) (*driver.Outcome, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return New("").Drive(ctx, launch.NewLocal(), job)
}

func mustDrive(t testing.TB, job driver.Job) *driver.Outcome {
	t.Helper()
	o, err := drive(t, job)
	if err != nil {
		words, _ := os.ReadFile(filepath.Join(drivertest.Of(job).Raw, stderrFile))
		t.Fatalf("%v\n%s", err, words)
	}
	return o
}

func requests(n int64) func(*driver.Job) {
	return func(j *driver.Job) { j.Experiment.Duration, j.Experiment.Transactions = 0, n }
}

// TestTests drives each test and asks the server what it received.
func TestTests(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, name := range Tests() {
		s.cli(t, "config", "resetstat")
		o := mustDrive(t, newJob(t, s.uri()+"&prefix=plinth:7:", func(j *driver.Job) {
			requests(300)(j)
			j.Workload, j.Experiment.Keyspace, j.Experiment.Payload = mix(name), 1000, 100
			j.Cell.Clients, j.Cell.Threads = 7, 2
		}))
		if o.Result.Transactions != 300 || o.Result.Failures != 0 {
			t.Errorf("%s: %d requests, %d failures; want 300 and 0", name, o.Result.Transactions, o.Result.Failures)
		}
		if stat := s.cli(t, "info", "commandstats"); !strings.Contains(stat, "cmdstat_"+strings.TrimSuffix(name, "-inline")+":calls=3") {
			t.Errorf("%s: 300 requests are not in %s", name, stat)
		}
	}
	for _, key := range strings.Fields(s.cli(t, "keys", "*")) {
		if !strings.HasPrefix(key, "plinth:7:") {
			t.Errorf("the key %s has not the prefix", key)
		}
	}
	if n := s.cli(t, "strlen", "plinth:7:"+s.cli(t, "--raw", "eval", "for _,k in ipairs(redis.call('keys','plinth:7:0*')) do return string.sub(k,10) end", "0")); n != "100" {
		t.Errorf("a value has %s bytes, not 100", n)
	}
}

// TestSlowServer checks that clients wait for a server that does not answer at once when they connect.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	if err := s.process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Second, func() { _ = s.process.Signal(syscall.SIGCONT) })
	o := mustDrive(t, newJob(t, s.uri(), requests(300)))
	if o.Result.Transactions != 300 || o.Result.Failures != 0 {
		t.Errorf("%d requests, %d failures; want 300 and 0", o.Result.Transactions, o.Result.Failures)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var begun time.Time
	var seen []record.Point
	job := newJob(t, s.uri(), func(j *driver.Job) {
		j.Workload = mix("set*1", "get*3")
		j.Experiment.Warmup, j.Experiment.Duration = unit.Duration(1500*time.Millisecond), unit.Duration(2*time.Second)
		j.Begun = func(at time.Time) { begun = at }
		j.Live = func(p record.Point) { seen = append(seen, p) }
	})
	o := mustDrive(t, job)
	if o.Result.Duration != 2 || !o.Begin.Equal(begun) || o.End.Sub(o.Begin) != 2*time.Second {
		t.Errorf("the window is %v from %v to %v, begun %v", o.Result.Duration, o.Begin, o.End, begun)
	}
	if len(seen) != 4 || seen[3].Second != 3.5 {
		t.Errorf("seen while it went on: %+v", seen)
	}
	if rows := o.Points.Columns[0].Values; len(rows) != 3 || rows[0] != -1 || rows[2] != 1 {
		t.Errorf("seconds %v, want -1, 0 and 1", rows)
	}
	if sum := o.Points.Columns[1].Values[1] + o.Points.Columns[1].Values[2]; int64(sum) != o.Result.Transactions {
		t.Errorf("points sum up to %g requests, the result to %d", sum, o.Result.Transactions)
	}
	n := float64(o.Result.Transactions)
	if off := float64(o.Result.Scripts[1].Transactions) - 0.75*n; math.Abs(off) > 7*math.Sqrt(n*0.75*0.25)+8 { // seven standard deviations
		t.Errorf("gets are %d of %g, want 0.75", o.Result.Scripts[1].Transactions, n)
	}
	logged(t, job, o)
}

// logged checks that the histogram log, as the library reads it, holds the same as the
// result.
func logged(t *testing.T, job driver.Job, o *driver.Outcome) {
	t.Helper()
	f, err := os.Open(drivertest.Of(job).HistogramLog)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, reader := record.NewHistogram(), hdrhistogram.NewHistogramLogReader(f)
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		all.Merge(h)
	}
	want, err := o.Result.Latency.Decode()
	if err != nil || want.TotalCount() != o.Result.Transactions || !want.Equals(all) {
		t.Errorf("the log holds %d latencies, the result %d of %d requests, %v", all.TotalCount(), want.TotalCount(), o.Result.Transactions, err)
	}
}

func TestHits(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for i := range 10 {
		s.cli(t, "set", "key:00000000000"+strconv.Itoa(i), "x")
	}
	for name, c := range map[string]struct {
		distribution string
		want         float64
	}{"uniform": {"uniform", 0.5}, "sequential": {"sequential", 0.5}, "zipfian": {"zipfian", 0.817}} {
		o := mustDrive(t, newJob(t, s.uri(), func(j *driver.Job) {
			requests(20_000)(j)
			j.Experiment.Keyspace, j.Experiment.Distribution = 20, c.distribution
		}))
		// Of 20 numbers the first 10 have 81.7 % of zipf's weights with exponent 0.99.
		if o.Result.Hits == nil || math.Abs(*o.Result.Hits-c.want) > 0.02 {
			t.Errorf("%s: hits %v, want %g", name, o.Result.Hits, c.want)
		}
		if o.KeyReads != o.Result.Transactions {
			t.Errorf("%s: %d of %d requests read a key", name, o.KeyReads, o.Result.Transactions)
		}
	}
	if o := mustDrive(t, newJob(t, s.uri(), func(j *driver.Job) { requests(10)(j); j.Workload = mix("ping") })); o.Result.Hits != nil {
		t.Errorf("pings have hits: %v", *o.Result.Hits)
	}
}

func TestLargePayloadAndPipeline(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--client-output-buffer-limit", "normal 0 0 0")
	for _, c := range []struct {
		test     string
		payload  unit.Size
		pipeline int
		n        int64
	}{{"set", 20_000_000, 1, 8}, {"get", 20_000_000, 1, 8}, {"mset", 300_000, 3, 12}, {"set", 180_000, 5, 100}, {"get", 180_000, 5, 100}, {"set", 100, 1000, 100_000}, {"incr", 1, 10_000, 40_000}} {
		o := mustDrive(t, newJob(t, s.uri(), func(j *driver.Job) {
			requests(c.n)(j)
			j.Workload, j.Experiment.Payload, j.Experiment.Pipeline = mix(c.test), c.payload, c.pipeline
		}))
		if o.Result.Transactions != c.n || o.Result.Failures != 0 {
			t.Errorf("%+v: %d requests, %d failures", c, o.Result.Transactions, o.Result.Failures)
		}
		if c.test == "set" {
			if n := s.cli(t, "strlen", "key:000000000000"); n != strconv.FormatInt(int64(c.payload), 10) {
				t.Errorf("%+v: the value has %s bytes", c, n)
			}
		}
	}
}

func TestConnectEach(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--requirepass", "geheim", "--tcp-backlog", "4")
	before := time.Now()
	o := mustDrive(t, newJob(t, s.uri()[:len(s.uri())-1]+"3", func(j *driver.Job) {
		requests(2000)(j)
		j.Experiment.Connect, j.Cell.Clients = "each", 20
		j.Env.Set = []string{"PLINTH_REDIS_PASSWORD=geheim"}
	}))
	if o.Result.Transactions != 2000 || o.Result.Failures != 0 || o.Result.Latency.Mean <= 0 {
		t.Errorf("%+v in %v", o.Result, time.Since(before))
	}
	stats := s.cli(t, "-a", "geheim", "--no-auth-warning", "info", "stats")
	if !strings.Contains(stats, "total_connections_received:20") { // somewhat more than 2000
		t.Errorf("not a connection for each request: %.200s", stats)
	}
	if text := strings.Join(o.Driver.Command, " "); strings.Contains(text, "geheim") {
		t.Errorf("a password in %s", text)
	}
}

func TestOpenLoop(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	o := mustDrive(t, newJob(t, s.uri(), func(j *driver.Job) {
		j.Cell = experiment.Cell{Clients: 9, Threads: 2, Rate: 1000}
	}))
	// 1000 are due, plus or minus 32 (Poisson).
	if n := o.Result.Transactions; n < 1 || n > 1300 || o.Result.Loop != "open" || o.Result.Lag == nil {
		t.Errorf("%d requests of 1000 in an %s loop, lag %v", n, o.Result.Loop, o.Result.Lag)
	}
	names := []string{}
	for _, c := range o.Points.Columns {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "second tps latency_mean_ns latency_p50_ns latency_p95_ns latency_p99_ns latency_p99_9_ns latency_max_ns failures schedule_lag_mean_ns schedule_lag_max_ns" {
		t.Errorf("columns %s", got)
	}
}

// TestUnfinished stops the server until the window is over. On a busy machine the stop may
// come late and miss part of the window: then the run is repeated.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for range 10 {
		var late time.Duration
		o := mustDrive(t, newJob(t, s.uri(), func(j *driver.Job) {
			j.Experiment.Duration = unit.Duration(3 * time.Second)
			j.Begun = func(at time.Time) {
				_ = s.process.Signal(syscall.SIGSTOP)
				late = time.Since(at)
			}
		}))
		_ = s.process.Signal(syscall.SIGCONT)
		if late > time.Second || o.Result.Latency.Max > int64(500*time.Millisecond) {
			t.Logf("driven again: stopped %s late, %+v", late, o.Result.Latency)
			continue
		}
		if len(o.Problems) != 1 || o.Problems[0].Rule != "unfinished" || o.Result.Duration != 3 {
			t.Errorf("problems %+v in %g s, stopped %s late", o.Problems, o.Result.Duration, late)
		}
		return
	}
	t.Fatal("the server was stopped late each time")
}

// TestEnds checks runs that cannot start or continue.
func TestEnds(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--maxmemory", "1500000", "--maxclients", "50")
	locked := startServer(t, "--requirepass", "geheim")
	replica := startServer(t, "--replicaof", "127.0.0.1 1")
	broken := startServer(t, "--save", "3600 1", "--dbfilename", "d")
	broken.cli(t, "ping")                                                                    // once it answers it has finished looking for data to load
	if err := os.Mkdir(filepath.Join(filepath.Dir(broken.socket), "d"), 0o755); err != nil { // blocks its file name
		t.Fatal(err)
	}
	broken.cli(t, "bgsave")
	for end := time.Now().Add(patience); !strings.Contains(broken.cli(t, "info", "persistence"), "rdb_last_bgsave_status:err"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a save went well")
		}
	}
	for name, c := range map[string]struct {
		uri    string
		change func(*driver.Job)
		want   string
	}{
		"no server":       {"unix:///nowhere/s", nil, "cannot finish the run: cannot connect: no such file or directory"},
		"nobody listens":  {"redis://127.0.0.1:1/0", nil, "connection refused"},
		"out of memory":   {s.uri(), func(j *driver.Job) { j.Workload, j.Experiment.Payload = mix("set"), 1_000_000 }, "the server rejected a request: OOM command not allowed"},
		"no password":     {locked.uri(), nil, "the server rejected a request: NOAUTH Authentication required."},
		"a broken disk":   {broken.uri(), func(j *driver.Job) { j.Workload = mix("ping", "set") }, "the server rejected a request: MISCONF Redis is configured to save RDB snapshots"},
		"a replica":       {replica.uri(), func(j *driver.Job) { j.Workload = mix("set") }, "the server rejected a request: READONLY You can't write against a read only replica."},
		"no database":     {strings.TrimSuffix(s.uri(), "0") + "99", nil, "the server rejected a request: ERR DB index is out of range"},
		"too many":        {s.uri(), func(j *driver.Job) { j.Cell.Clients = 60 }, "the server rejected a request: ERR max number of clients reached"},
		"rate, pipeline":  {s.uri(), func(j *driver.Job) { j.Cell.Rate, j.Experiment.Pipeline = 10, 2 }, "not in batches of 2"},
		"two lengths":     {s.uri(), func(j *driver.Job) { j.Experiment.Transactions = 2 }, "both transactions and duration"},
		"too large":       {s.uri(), func(j *driver.Job) { j.Experiment.Payload = 513 * unit.MiB }, "the payload is too large: 513"},
		"unknown test":    {s.uri(), func(j *driver.Job) { j.Workload = mix("sett") }, `unknown test "sett"`},
		"a wrong address": {"redis://h/?what=1", nil, "has an unsupported parameter"},
	} {
		o, err := drive(t, newJob(t, c.uri, c.change))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", name, o, err, c.want)
		} else if name == "out of memory" && hint.Of(err) == "" {
			t.Errorf("%s: no hint", name)
		}
	}
}

func TestServerGone(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, err := drive(t, newJob(t, s.uri(), func(j *driver.Job) {
		j.Experiment.Duration = unit.Duration(time.Hour)
		j.Begun = func(time.Time) { _ = s.process.Signal(syscall.SIGKILL) }
	}))
	if err == nil || !strings.Contains(err.Error(), "the server closed a connection") && !strings.Contains(err.Error(), "a connection to the server was lost") {
		t.Errorf("%v", err)
	}
}

// TestFailures checks that errors are counted and that the first is reported.
func TestFailures(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.cli(t, "lpush", "key:000000000000", "a")
	o := mustDrive(t, newJob(t, s.uri(), func(j *driver.Job) { requests(50)(j) }))
	if o.Result.Failures != 50 || o.Result.Transactions != 0 || len(o.Warnings) == 0 ||
		!strings.Contains(o.Warnings[0].Text, "WRONGTYPE Operation against a key holding the wrong kind of value") {
		t.Errorf("%+v, %+v", o.Result, o.Warnings)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	job := newJob(t, s.uri(), func(j *driver.Job) {
		j.Experiment.Duration = unit.Duration(time.Hour)
		j.Begun = func(time.Time) { cancel() }
	})
	if _, err := New("").Drive(ctx, launch.NewLocal(), job); err == nil || ctx.Err() == nil {
		t.Errorf("%v", err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if strings.Contains(s.cli(t, "info", "clients"), "connected_clients:1\r") {
			return
		}
		if time.Now().After(end) {
			t.Fatal("clients are left")
		}
	}
}

// TestWarmupOfRequests checks that exactly the requests sent after the warm-up are
// measured.
func TestWarmupOfRequests(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	o := mustDrive(t, newJob(t, s.uri(), func(j *driver.Job) {
		requests(1234)(j)
		j.Experiment.Warmup, j.Cell = unit.Duration(300*time.Millisecond), experiment.Cell{Clients: 5, Threads: 2}
	}))
	if o.Result.Transactions != 1234 {
		t.Errorf("%d requests are measured", o.Result.Transactions)
	}
}
