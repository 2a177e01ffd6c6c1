//go:build linux

package redis

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// everyVersion runs a test with a server of each version at hand, beside each other:
// they mostly wait.
func everyVersion(t *testing.T, test func(t *testing.T, program string)) {
	_ = installed(t)
	for version, program := range programs() {
		t.Run(strings.ReplaceAll(version, " ", "-"), func(t *testing.T) {
			t.Parallel()
			test(t, program)
		})
	}
}

// A load of large values that makes the server rewrite its file again and again shows:
// what was appended, how long it was rewritten, forks, what was copied, calls.
func TestRewritesShow(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, program string) {
		const size = 180000
		s := start(t, program, "--appendonly yes", "--auto-aof-rewrite-min-size 16mb")
		w := watch(t, Options{Client: s.options(), Log: s.log})
		stop := s.set(t, size)
		w.await(4)
		writes := float64(stop())
		w.await(2)
		p := w.lane.Sources[len(w.lane.Sources)-1].(*persistence)
		w.stop()
		if told, truth := p.growth.bytes, writes*(size+32); math.Abs(told-truth) > 0.1*truth {
			t.Errorf("%.0f bytes were appended, and %.0f are told", truth, told)
		}
		if w.total("persistence.aof_rewrites") < 1 || w.most("persistence.aof_rewrite_in_progress") <= 0 || w.most("persistence.cow_bytes") <= 0 {
			t.Errorf("rewrites: %v, share %v, copied %v", w.columns["persistence.aof_rewrites"],
				w.columns["persistence.aof_rewrite_in_progress"], w.columns["persistence.cow_bytes"])
		}
		if calls := w.total("info.cmdstat_set.calls"); calls < 0.3*writes || calls > 1.1*writes {
			t.Errorf("%.0f of %.0f calls", calls, writes)
		}
		if each := w.most("info.cmdstat_set.usec_per_call"); each <= 0 || each > 0.1 {
			t.Errorf("a call took %v s", each)
		}
		begun, ended, forks := w.marks(rewriteStart), w.marks(rewriteEnd), w.marks(forked)
		if len(begun) == 0 || len(ended) == 0 || len(forks) == 0 || !strings.HasSuffix(begun[0], "% growth") || !strings.HasSuffix(ended[0], " s") {
			t.Errorf("marks: %q, %q, %q", begun, ended, forks)
		}
		if cost := w.told.Cost[0]; !cost.Known || cost.Server <= 0 || cost.Server > 0.1*cost.Covered {
			t.Errorf("%+v", cost)
		}
	})
}

// Without its log a server's saves are seen all the same, and one that fails is told
// with what it means: the directory is gone.
func TestSavesWithoutLog(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, program string) {
		s := start(t, program)
		dir := filepath.Join(s.dir, "data")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s.stop(syscall.SIGKILL)
		// A save of one key lasts 0.3 s, so that samples cannot miss it on a busy machine.
		s.args = []string{"--dir " + dir, "--save 3600 1", "--rdb-key-save-delay 300000"}
		s.again(t)
		by := s.client(t)
		must(t, by, "set", "a", "b")
		w := watch(t, Options{Client: s.options()})
		must(t, by, "bgsave")
		w.await(2)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		must(t, by, "bgsave")
		w.await(2)
		if err := by.Set(t.Context(), "a", "c", 0).Err(); err == nil || !strings.HasPrefix(err.Error(), "MISCONF") {
			t.Errorf("a write after a save that failed: %v", err)
		}
		w.await(2)
		w.stop()
		begun, ended := w.marks(saveStart), w.marks(saveEnd)
		// Before 7.0 saves are not counted, so that one that fails at once is never seen.
		counted := w.gap("persistence.rdb_saves") == ""
		if counted && (len(begun) != 2 || len(ended) != 2 || strings.HasPrefix(ended[0], "failed") || !strings.HasPrefix(ended[1], "failed")) ||
			len(begun) < 1 || len(ended) != len(begun) || strings.HasPrefix(ended[0], "failed") {
			t.Errorf("saves: %q, %q", begun, ended)
		}
		if refused := w.marks(misconf); len(refused) != 1 || !strings.HasPrefix(refused[0], "rdb_last_bgsave_status is err") {
			t.Errorf("%q", refused)
		}
		if w.total("info.errorstat_MISCONF.count") != 1 {
			t.Errorf("%v", w.columns["info.errorstat_MISCONF.count"])
		}
		if why := w.gap("persistence.aof_bytes"); why != noAOF {
			t.Errorf("without an append-only file: %q", why)
		}
	})
}

// Keys that vanish, hits and misses, and what the latency monitor keeps.
func TestEvictionHitsAndLatency(t *testing.T) {
	t.Parallel()
	s := start(t, installed(t), "--maxmemory 3mb", "--maxmemory-policy allkeys-lru", "--latency-monitor-threshold 20")
	w := watch(t, Options{Client: s.options(), Log: s.log})
	by := s.client(t)
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
	if w.total("info.evicted_keys") < 100 || len(w.marks(evicting)) != 1 {
		t.Errorf("evicted: %v, %q", w.columns["info.evicted_keys"], w.marks(evicting))
	}
	if hits, misses := w.total("info.keyspace_hits"), w.total("info.keyspace_misses"); math.Round(hits) != 3 || math.Round(misses) != 1 {
		t.Errorf("%v hits, %v misses", hits, misses)
	}
	if most := w.most("latency.command"); most < 0.05 || most > 5 || w.total("latency.command") > 1.9*most {
		t.Errorf("latency: %v", w.columns["latency.command"])
	}
}

// A replica is fed, is cut off and comes back; what it is behind is known meanwhile.
func TestReplica(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, program string) {
		port := freePort(t)
		s := start(t, program, "--port "+port, "--bind 127.0.0.1", "--repl-diskless-sync-delay 0", "--repl-ping-replica-period 1")
		other := start(t, program, "--replicaof 127.0.0.1 "+port)
		by, replica := s.client(t), other.client(t)
		online := func(what string) {
			t.Helper()
			for deadline := time.Now().Add(15 * time.Second); !strings.Contains(by.Info(t.Context(), "replication").Val(), what); {
				if time.Now().After(deadline) {
					t.Fatalf("%s: %s", what, by.Info(t.Context(), "replication").Val())
				}
				<-time.After(20 * time.Millisecond)
			}
		}
		online("state=online")
		w, seen := watch(t, Options{Client: s.options()}), watch(t, Options{Client: other.options(), Log: other.log})
		_ = other.cmd.Process.Signal(syscall.SIGSTOP)
		must(t, by, "set", "a", strings.Repeat("x", 100000))
		w.await(3)
		_ = other.cmd.Process.Signal(syscall.SIGCONT)
		must(t, by, "set", "a", "b")
		w.await(2)
		must(t, replica, "replicaof", "no", "one")
		online("connected_slaves:0")
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
		if silent := seen.marks(stall); len(silent) == 0 {
			t.Error("the replica was stopped, and nothing is marked")
		}
	})
}

// A server that is restarted is read on; what it does not let anybody ask is a gap
// with its words and what would allow it.
func TestTrouble(t *testing.T) {
	t.Parallel()
	s := start(t, installed(t))
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
}

// BenchmarkRound is all of INFO, with a real server that has executed some commands.
func BenchmarkRound(b *testing.B) { benchmark(b, "all") }

// BenchmarkSample is one sample of a tenth of a second.
func BenchmarkSample(b *testing.B) { benchmark(b, "persistence", "stats") }

// benchmark also says what the server itself counts as the time of the questions.
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
