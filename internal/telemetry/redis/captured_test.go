package redis

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/record"
	"plinth/internal/telemetry"
)

// captured returns the recorded answers of one of several versions after redis-benchmark, a
// rewrite, a save and a replica, followed by INFO EVERYTHING.
func captured(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reading is an info that is given answers without a server.
type reading struct {
	*info
	board *telemetry.Board
	begin time.Time
}

func newReading() *reading {
	return &reading{info: newInfo(&server{}), board: telemetry.NewBoard("info"), begin: time.Unix(1000, 0)}
}

// tell passes an answer, as if read once a second.
func (r *reading) tell(answer string) {
	at := r.begin.Add(time.Duration(r.readings) * time.Second)
	r.board.Begin(at)
	r.board.At(at)
	r.put(r.board, answer)
	r.mark(at)
	r.readings++
	r.board.End(at, nil)
}

func (r *reading) columns() (map[string][]float64, []record.TelemetryGap, []record.Mark) {
	var seconds []float64
	for s := range r.readings - 1 {
		seconds = append(seconds, float64(s))
	}
	all, gaps := r.board.Columns(r.begin, seconds)
	columns := map[string][]float64{}
	for _, c := range all {
		columns[c.Name] = c.Values
	}
	return columns, gaps, r.board.Marks(r.begin)
}

// TestCapturedInfo checks that each version fills its columns, under common names, and that
// missing ones are gaps with a reason.
func TestCapturedInfo(t *testing.T) {
	newer := []string{"info.eventloop_cycles", "info.eventloop_duration_sum", "info.instantaneous_eventloop_duration_usec"}
	seven := []string{"info.rdb_saves", "info.aof_rewrites", "info.total_net_repl_output_bytes"}
	for _, c := range []struct {
		name   string
		absent []string
		want   map[string]float64
	}{
		{"redis-6.2.14", slices.Concat(seven, newer), map[string]float64{
			"info.slave0.offset_lag": 0, "info.slave0.lag": 1, "info.connected_slaves": 1, "info.db0.keys": 3,
		}},
		{"redis-7.0.15", newer, map[string]float64{"info.aof_base_size": 1537}},
		{"redis-8.2.3", nil, map[string]float64{
			"info.used_memory": 1600568, "info.aof_current_size": 511, "info.latest_fork_usec": 0.001805, "info.aof_last_cow_size": 475136,
			"info.instantaneous_eventloop_duration_usec": 0.00079, "info.connected_clients": 1, "info.db0.keys": 3,
		}},
		{"valkey-8.1.8", nil, map[string]float64{"info.connected_slaves": 1}},
	} {
		r := newReading()
		answer := captured(t, c.name+".info.txt")
		r.tell(answer)
		r.tell(answer)
		columns, gaps, _ := r.columns()
		var missing []string
		for _, g := range gaps {
			if strings.Contains(g.Why, "requires Redis") {
				missing = append(missing, g.Columns...)
			}
		}
		for _, f := range fields {
			values, there := columns[f.Name]
			lacks := slices.Contains(missing, f.Name)
			if lacks == (there && !math.IsNaN(values[0])) && !strings.HasPrefix(f.Name, "info.master_last_io") && !strings.HasPrefix(f.Name, "info.master_sync") {
				t.Errorf("%s: %s is %v, and missing: %t", c.name, f.Name, values, lacks)
			}
		}
		for _, name := range c.absent {
			if !slices.Contains(missing, name) {
				t.Errorf("%s: %s is there: %v", c.name, name, columns[name])
			}
		}
		for name, want := range c.want {
			if name == "info.aof_base_size" {
				continue
			}
			if got := columns[name]; len(got) != 1 || math.Abs(got[0]-want) > 1e-12 {
				t.Errorf("%s: %s is %v, want %v", c.name, name, got, want)
			}
		}
	}
}

// TestCapturedReplica checks the columns of a replica about its primary.
func TestCapturedReplica(t *testing.T) {
	for _, name := range []string{"redis-6.2.14", "redis-7.0.15", "redis-8.2.3", "valkey-8.1.8"} {
		r := newReading()
		r.tell(captured(t, name+".info-replica.txt"))
		r.tell(captured(t, name+".info-replica.txt"))
		columns, _, _ := r.columns()
		if r.texts.role != "slave" || r.texts.link == "" || len(columns["info.master_sync_in_progress"]) != 1 {
			t.Errorf("%s: %+v, %v", name, r.texts, columns["info.master_sync_in_progress"])
		}
	}
}

// TestCommands checks that commands have columns from their first call on, and that earlier
// calls do not count.
func TestCommands(t *testing.T) {
	r := newReading()
	base := "run_id:a\ntotal_commands_processed:1\ncmdstat_get:calls=10,usec=100\ncmdstat_info:calls=1,usec=1\n"
	r.tell(base)
	r.tell(base + "errorstat_MISCONF:count=3\n")
	r.tell("run_id:a\ntotal_commands_processed:30\ncmdstat_get:calls=14,usec=108,usec_per_call=7.71\ncmdstat_info:calls=9,usec=9\n" +
		"cmdstat_set:calls=5,usec=50\nlatency_percentiles_usec_get:p50=1.003,p99=2.007,p99.9=3.5\nerrorstat_MISCONF:count=3\n")
	columns, gaps, _ := r.columns()
	for name, want := range map[string][]float64{
		"info.cmdstat_get.calls": {0, 4}, "info.cmdstat_set.calls": {0, 5}, "info.errorstat_MISCONF.count": {3, 0},
		"info.cmdstat_get.usec_per_call": {math.NaN(), 2e-6}, "info.cmdstat_set.usec_per_call": {math.NaN(), 10e-6},
		"info.latency_percentiles_usec_get.p99": {0, 2.007e-6}, "info.latency_percentiles_usec_get.p99.9": {0, 3.5e-6},
	} {
		if got := columns[name]; !same(got, want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if columns["info.cmdstat_info.calls"] != nil {
		t.Error("plinth's own questions have a column")
	}
	for _, g := range gaps {
		if slices.ContainsFunc(g.Columns, func(c string) bool { return strings.Contains(c, "cmdstat") }) {
			t.Errorf("%+v", g)
		}
	}
}

func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) < 1e-12
	})
}

// TestCountersBeginAnew checks that a restart and CONFIG RESETSTAT reset counters: a gap
// with the reason, and no negative rate.
func TestCountersBeginAnew(t *testing.T) {
	for _, c := range []struct{ second, why string }{
		{"run_id:b\ntotal_commands_processed:500\nkeyspace_hits:7\n", "the server was restarted"},
		{"run_id:a\ntotal_commands_processed:5\nkeyspace_hits:7\n", "its statistics were reset"},
	} {
		r := newReading()
		r.tell("run_id:a\ntotal_commands_processed:100\nkeyspace_hits:3\n")
		r.tell(c.second)
		r.tell(c.second + "keyspace_hits:9\n")
		columns, gaps, marks := r.columns()
		if got := columns["info.keyspace_hits"]; !same(got, []float64{math.NaN(), 2}) {
			t.Errorf("%s: %v", c.why, got)
		}
		if !slices.ContainsFunc(gaps, func(g record.TelemetryGap) bool { return g.Why == c.why }) {
			t.Errorf("%s: %+v", c.why, gaps)
		}
		restart := slices.ContainsFunc(marks, func(m record.Mark) bool { return m.Kind == restarted })
		if restart != strings.Contains(c.why, "restarted") {
			t.Errorf("%s: %+v", c.why, marks)
		}
	}
}

// TestMarksOfInfo checks that evicted keys, refused writes, and replicas that come and go
// are marked when they change.
func TestMarksOfInfo(t *testing.T) {
	r := newReading()
	for _, answer := range []string{
		"evicted_keys:5\nsync_full:0\naof_last_write_status:ok\nrdb_last_bgsave_status:err\nrole:master\nmaster_repl_offset:100\n",
		"evicted_keys:5\naof_last_write_status:ok\nrdb_last_bgsave_status:ok\nrole:master\nsync_full:1\nslave0:ip=127.0.0.1,port=1,state=wait_bgsave,offset=0,lag=0\nmaster_repl_offset:100\n",
		"evicted_keys:9\naof_last_write_status:err\nrole:master\nsync_full:1\nslave0:ip=127.0.0.1,port=1,state=online,offset=70,lag=1\nmaster_repl_offset:100\n",
		"evicted_keys:11\naof_last_write_status:ok\nrole:master\nsync_full:1\nmaster_repl_offset:100\n",
		"evicted_keys:11\nrole:slave\nmaster_link_status:down\n",
		"evicted_keys:12\nrole:slave\nmaster_link_status:up\n",
	} {
		r.tell("run_id:a\ntotal_commands_processed:1\n" + answer)
	}
	columns, gaps, marks := r.columns()
	var got []string
	for _, m := range marks {
		got = append(got, m.Kind+": "+m.Text)
	}
	want := []string{
		"misconf: rdb_last_bgsave_status is err: writes are refused (MISCONF) where stop-writes-on-bgsave-error is yes and save is not empty",
		"misconf: rdb_last_bgsave_status is ok again", "full-resync: full sync of a replica",
		"misconf: aof_last_write_status is err: writes are refused (MISCONF) where appendonly is yes",
		"eviction: keys are evicted because of maxmemory: 4 so far", "replica-up: replicas online: 1",
		"misconf: aof_last_write_status is ok again", "replica-down: replicas online: 0",
		"replica-down: link to the primary: down",
		"eviction: keys are evicted because of maxmemory: 1 so far", "replica-up: link to the primary: up",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if lag := columns["info.slave0.offset_lag"]; !same(lag, []float64{math.NaN(), 30, math.NaN(), math.NaN(), math.NaN()}) {
		t.Errorf("lag: %v: %+v", lag, gaps)
	}
}

// FuzzInfo checks that the result of any answer can be recorded.
func FuzzInfo(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.info*.txt")
	for _, path := range paths {
		f.Add(captured(f, filepath.Base(path)))
	}
	f.Add("slave0:offset=1e400,lag=x\nused_memory:NaN\r\ncmdstat_:calls=1,usec=-1\ndb0:keys=\nerrorstat_\x00:count=1\n:\n#:1")
	f.Fuzz(func(t *testing.T, answer string) {
		r, p := newReading(), newPersistence(&server{})
		b := telemetry.NewBoard("persistence")
		for range 3 {
			r.tell(answer)
			b.Begin(r.begin)
			p.take(r.begin, answer)
			p.put(b)
			b.End(r.begin, nil)
		}
		columns, _, marks := r.columns()
		if len(columns) > len(fields)+mostMany*10 || len(marks) > 50 {
			t.Errorf("%d columns, %d marks", len(columns), len(marks))
		}
		for name, values := range columns {
			if name == "" || slices.ContainsFunc(values, func(v float64) bool { return math.IsInf(v, 0) }) {
				t.Errorf("%q: %v", name, values)
			}
		}
		names := 0
		eachField(answer, func(name, value string) {
			names++
			if name == "" || strings.ContainsAny(name+value, "\n") {
				t.Errorf("%q: %q", name, value)
			}
		})
		if names > strings.Count(answer, ":") {
			t.Errorf("%d fields of %d colons", names, strings.Count(answer, ":"))
		}
	})
}

// TestNoGarbage checks that an answer allocates nothing once its columns exist: a server
// with many commands is read each second of long runs.
func TestNoGarbage(t *testing.T) {
	r := newReading()
	answer := captured(t, "redis-8.2.3.info.txt")
	r.tell(strings.ReplaceAll(answer, "calls=5000", "calls=4000"))
	r.tell(answer)
	if n := testing.AllocsPerRun(50, func() { r.put(r.board, answer) }); n >= 1 {
		t.Errorf("%.0f allocations a reading", n)
	}
	p := newPersistence(&server{})
	if n := testing.AllocsPerRun(50, func() { p.take(r.begin, answer) }); n >= 1 {
		t.Errorf("%.0f allocations a sample", n)
	}
}
