//go:build linux

package redis

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"plinth/internal/telemetry/telemetrytest"

	goredis "github.com/redis/go-redis/v9"
)

// everyVersion runs a test with a server of each installed version in parallel: they mostly
// wait.
func everyVersion(t *testing.T, test func(t *testing.T, program string)) {
	_ = installed(t)
	for version, program := range programs() {
		t.Run(strings.ReplaceAll(version, " ", "-"), func(t *testing.T) {
			t.Parallel()
			test(t, program)
		})
	}
}

// realTime returns a function that reports the real seconds since, outside of virtual time.
func realTime() (since func() float64) {
	var began time.Time
	telemetrytest.Outside(func() { began = time.Now() })
	return func() (seconds float64) {
		telemetrytest.Outside(func() { seconds = time.Since(began).Seconds() })
		return seconds
	}
}

// TestRewritesShow checks what a load of large values shows that makes the server rewrite
// its file: bytes appended, duration of rewrites, forks, memory copied, calls.
func TestRewritesShow(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, program string) {
		// A rewrite of one key takes 0.3 s, and samples come as fast as they are answered.
		s := start(t, program, "--appendonly yes", "--auto-aof-rewrite-min-size 4mb", "--rdb-key-save-delay 300000")
		synctest.Test(t, func(t *testing.T) { rewritesShow(t, s) })
	})
}

func rewritesShow(t *testing.T, s *instance) {
	const size = 180000
	took, by := realTime(), s.client(t)
	w := watch(t, Options{Client: s.options(), Log: s.log})
	w.await(1)
	writes := 0.0
	telemetrytest.WaitFor(t, "the end of a rewrite", func() bool {
		must(t, by, "set", "key", bytes.Repeat([]byte{'x'}, size))
		writes++
		w.await(1)
		return strings.Contains(s.lines.String(), "AOF rewrite finished successfully")
	})
	w.await(2)
	w.stop()
	p := w.lane.Sources[len(w.lane.Sources)-1].(*persistence)
	if told, truth := p.growth.bytes, writes*(size+32); math.Abs(told-truth) > 0.1*truth {
		t.Errorf("%.0f bytes were appended, and %.0f are told", truth, told)
	}
	if w.total("persistence.aof_rewrites") < 1 || w.most("persistence.aof_rewrite_in_progress") <= 0 || w.most("persistence.cow_bytes") <= 0 {
		t.Errorf("rewrites: %v, share %v, copied %v", w.columns["persistence.aof_rewrites"],
			w.columns["persistence.aof_rewrite_in_progress"], w.columns["persistence.cow_bytes"])
	}
	if calls := w.total("info.cmdstat_set.calls"); math.Round(calls) != writes {
		t.Errorf("%v of %v calls", calls, writes)
	}
	if each, most := w.most("info.cmdstat_set.usec_per_call"), took(); each <= 0 || each > most {
		t.Errorf("a call took %v s, and the test %v s", each, most)
	}
	begun, ended, forks := w.marks(rewriteStart), w.marks(rewriteEnd), w.marks(forked)
	if len(begun) == 0 || len(ended) == 0 || len(forks) == 0 || !strings.HasSuffix(begun[0], "% growth") || !strings.HasSuffix(ended[0], " s") {
		t.Errorf("marks: %q, %q, %q", begun, ended, forks)
	}
	if cost, most := w.told.Cost[0], took(); !cost.Known || cost.Server <= 0 || cost.Server > most {
		t.Errorf("%+v in %v s", cost, most)
	}
}

// TestSavesWithoutLog checks that saves are seen without the server's log, and that a
// failed save is marked with its consequence: here its directory is missing.
func TestSavesWithoutLog(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, program string) {
		s := start(t, program)
		dir := filepath.Join(s.dir, "data")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s.stop(syscall.SIGKILL)
		// A save of one key takes two seconds, so that samples cannot miss it on a busy
		// machine.
		s.args = []string{"--dir " + dir, "--save 3600 1", "--rdb-key-save-delay 2000000"}
		s.again(t)
		synctest.Test(t, func(t *testing.T) { savesWithoutLog(t, s, dir) })
	})
}

func savesWithoutLog(t *testing.T, s *instance, dir string) {
	by := s.client(t)
	must(t, by, "set", "a", "b")
	w := watch(t, Options{Client: s.options()})
	must(t, by, "bgsave")
	telemetrytest.WaitFor(t, "the save to end", func() bool {
		w.await(1)
		return told(t, by, "persistence", "rdb_bgsave_in_progress") == "0"
	})
	w.await(1)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	must(t, by, "bgsave")
	telemetrytest.WaitFor(t, "the save to fail", func() bool {
		w.await(1)
		return told(t, by, "persistence", "rdb_last_bgsave_status") == "err"
	})
	if err := by.Set(t.Context(), "a", "c", 0).Err(); err == nil || !strings.HasPrefix(err.Error(), "MISCONF") {
		t.Errorf("a write after a save that failed: %v", err)
	}
	w.await(2)
	w.stop()
	begun, ended := w.marks(saveStart), w.marks(saveEnd)
	// Before 7.0 saves are not counted, so one that fails at once is never seen.
	counted := w.gap("persistence.rdb_saves") == ""
	if counted && (len(begun) != 2 || len(ended) != 2 || strings.HasPrefix(ended[0], "failed") || !strings.HasPrefix(ended[1], "failed")) ||
		len(begun) < 1 || len(ended) != len(begun) || strings.HasPrefix(ended[0], "failed") {
		t.Errorf("saves: %q, %q", begun, ended)
	}
	if refused := w.marks(misconf); len(refused) != 1 || !strings.HasPrefix(refused[0], "rdb_last_bgsave_status is err") {
		t.Errorf("%q", refused)
	}
	if refused := w.total("info.errorstat_MISCONF.count"); math.Round(refused) != 1 {
		t.Errorf("%v writes were refused: %v", refused, w.columns["info.errorstat_MISCONF.count"])
	}
	if why := w.gap("persistence.aof_bytes"); why != noAOF {
		t.Errorf("without an append-only file: %q", why)
	}
}

// TestEvictionHitsAndLatency checks evicted keys, hits and misses, and the latency monitor.
func TestEvictionHitsAndLatency(t *testing.T) {
	t.Parallel()
	s := start(t, installed(t), "--maxmemory 3mb", "--maxmemory-policy allkeys-lru", "--latency-monitor-threshold 20")
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, Options{Client: s.options(), Log: s.log})
		took, by := realTime(), s.client(t)
		w.await(1)
		for i := range 300 {
			must(t, by, "set", fmt.Sprint("k", i), strings.Repeat("x", 20000))
		}
		for range 3 {
			must(t, by, "get", "k299")
		}
		_ = by.Get(t.Context(), "none").Err()
		must(t, by, "debug", "sleep", "0.05")
		w.await(2)
		w.stop()
		// Client buffers count, too: the server may evict another key later.
		if w.total("info.evicted_keys") < 100 || len(w.marks(evicting)) == 0 {
			t.Errorf("evicted: %v, %q", w.columns["info.evicted_keys"], w.marks(evicting))
		}
		if hits, misses := w.total("info.keyspace_hits"), w.total("info.keyspace_misses"); math.Round(hits) != 3 || math.Round(misses) != 1 {
			t.Errorf("%v hits, %v misses", hits, misses)
		}
		if most := w.most("latency.command"); most < 0.05 || most > took() || w.total("latency.command") > 1.9*most {
			t.Errorf("latency: %v", w.columns["latency.command"])
		}
	})
}

// TestReplica checks a replica that is fed, disconnected and back; its lag is known
// meanwhile.
func TestReplica(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, program string) {
		port := freePort(t)
		s := start(t, program, "--port "+port, "--bind 127.0.0.1", "--repl-diskless-sync-delay 0", "--repl-ping-replica-period 1")
		other := start(t, program, "--replicaof 127.0.0.1 "+port)
		synctest.Test(t, func(t *testing.T) { replicaIsSeen(t, s, other) })
	})
}

func replicaIsSeen(t *testing.T, s, other *instance) {
	by, replica := s.client(t), other.client(t)
	is := func(what string) func() bool {
		return func() bool { return strings.Contains(by.Info(t.Context(), "replication").Val(), what) }
	}
	telemetrytest.WaitFor(t, "the replica to be online", is("state=online"))
	w := watch(t, Options{Client: s.options()})
	_ = other.cmd.Process.Signal(syscall.SIGSTOP) // a query to it now would block
	must(t, by, "set", "a", strings.Repeat("x", 100000))
	telemetrytest.WaitFor(t, "the replica to be two seconds behind", func() bool {
		return number(part(told(t, by, "replication", "slave0"), "lag")) >= 2
	})
	w.await(2)
	_ = other.cmd.Process.Signal(syscall.SIGCONT)
	seen := watch(t, Options{Client: other.options(), Log: other.log})
	must(t, by, "set", "a", "b")
	w.await(2)
	must(t, replica, "replicaof", "no", "one")
	telemetrytest.WaitFor(t, "the replica to go", is("connected_slaves:0"))
	w.await(2)
	w.stop()
	seen.stop()
	if most := w.most("info.slave0.offset_lag"); most < 100000 || most > 200000 {
		t.Errorf("it was %v bytes behind: %v", most, w.columns["info.slave0.offset_lag"])
	}
	if lag := w.most("info.slave0.lag"); lag < 2 {
		t.Errorf("it was %v s behind", lag)
	}
	if down := w.marks(replicaDown); len(down) != 1 {
		t.Errorf("it went: %q", down)
	}
	if why := w.gap("info.slave0.lag"); why != "the replica is not connected" {
		t.Errorf("a replica that is not there: %q", why)
	}
	if len(seen.columns["info.master_sync_in_progress"]) == 0 {
		t.Error("the replica tells nothing of its primary")
	}
}

// TestStall checks that a server without an answer for more than a second is marked when it
// answers.
func TestStall(t *testing.T) {
	at := time.Unix(1000, 0)
	for silent, want := range map[time.Duration][]string{
		often: nil, stalled: nil, stalled + often: {"the server did not answer for 1.1 s"}, time.Minute: {"the server did not answer for 60.0 s"},
	} {
		p := newPersistence(&server{})
		p.take(at, "aof_enabled:0\r\n")
		p.take(at.Add(silent), "aof_enabled:0\r\n")
		var marks []string
		for _, m := range p.marks {
			if m.kind == stall {
				marks = append(marks, m.text)
			}
		}
		if !slices.Equal(marks, want) {
			t.Errorf("after %v: %q, want %q", silent, marks, want)
		}
	}
}

// TestTrouble checks that a restarted server is read again, and that what its ACL forbids
// is a gap with the server's words and what would allow it.
func TestTrouble(t *testing.T) {
	t.Parallel()
	s := start(t, installed(t))
	synctest.Test(t, func(t *testing.T) {
		must(t, s.client(t), "acl", "setuser", "blind", "on", ">geheim", "+ping", "+client|setname")
		o := s.options()
		o.Username, o.Password = "blind", "geheim"
		blind := watch(t, Options{Client: o})
		w := watch(t, Options{Client: s.options()})
		w.await(1)
		blind.stop()
		s.stop(syscall.SIGKILL)
		w.await(2)
		s.again(t)
		w.await(3)
		w.stop()
		if why := blind.gap("info.used_memory"); !strings.HasPrefix(why, "NOPERM") || !strings.Contains(why, "ACL SETUSER blind +info") || strings.Contains(why, "geheim") {
			t.Errorf("%q", why)
		}
		if used := w.known("info.used_memory"); len(used) < 3 || w.marks(restarted) == nil {
			t.Errorf("after a restart: %v, %+v", used, w.told.Marks)
		}
		var whys []string
		for _, g := range w.told.Gaps {
			whys = append(whys, g.Why)
		}
		if all := strings.Join(whys, "\n"); !strings.Contains(all, "cannot reach the server: connect: ") && !strings.Contains(all, "closed the connection") {
			t.Errorf("a server that is gone: %s", all)
		}
		for name, values := range w.columns {
			if strings.HasPrefix(name, "info.total_") && slices.ContainsFunc(values, func(v float64) bool { return v < 0 }) {
				t.Errorf("%s: %v", name, values)
			}
		}
	})
}

// TestLane checks that the sources have exactly the metrics that the lane may have.
func TestLane(t *testing.T) {
	lane := Lane(Options{Client: (&instance{dir: "/nowhere"}).options()})
	var names, want []string
	for _, source := range lane.Sources {
		for _, m := range source.Metrics() {
			names = append(names, m.Name)
		}
		source.Close()
	}
	for _, m := range Metrics() {
		want = append(want, m.Name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("sources have %q, the lane %q", names, want)
	}
}

// BenchmarkRound measures all of INFO, with a real server that has executed some commands.
func BenchmarkRound(b *testing.B) { benchmark(b, "all") }

// BenchmarkSample measures one sample, taken every tenth of a second.
func BenchmarkSample(b *testing.B) { benchmark(b, "persistence", "stats") }

// benchmark also reports the time that the server accounts for the queries.
func benchmark(b *testing.B, sections ...string) {
	s := start(b, installed(b), "--appendonly yes")
	by := s.client(b)
	for _, c := range []string{"set a b", "get a", "incr c", "lpush d e", "lpop d", "ping"} {
		args := []any{}
		for word := range strings.FieldsSeq(c) {
			args = append(args, word)
		}
		must(b, by, args...)
	}
	reader := newServer(Options{Client: s.options()})
	i := newInfo(reader)
	defer i.Close()
	usec := func() float64 {
		_, after, _ := strings.Cut(by.Info(b.Context(), "commandstats").Val(), "cmdstat_info:")
		line, _, _ := strings.Cut(after, "\r")
		return number(part(line, "usec"))
	}
	usec()
	before := usec()
	n := 0.0
	b.ReportAllocs()
	for b.Loop() {
		answers := make([]*goredis.StringCmd, len(sections))
		_, err := reader.do(b.Context(), func(p goredis.Pipeliner) {
			for i, section := range sections {
				answers[i] = p.Info(b.Context(), section)
			}
		})
		if err != nil {
			b.Fatal(err)
		}
		for _, answer := range answers {
			eachField(answer.Val(), func(name, value string) { _ = fieldAt[name]; _ = number(value) })
		}
		n++
	}
	b.ReportMetric((usec()-before)/n, "server-µs/op")
}
