package page

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/telemetry/credit"
	"plinth/internal/telemetry/emulated"
	"plinth/internal/telemetry/kernel"
	"plinth/internal/telemetry/postgres"
	"plinth/internal/telemetry/redis"
)

// drawn are the tracks of a run of three seconds with these columns.
func drawn(t *testing.T, columns ...record.Column) []Track {
	t.Helper()
	run := madeRun("disk", busy, 1, 100)
	run.columns = append(run.columns[:1], columns...)
	rec := written(t, run)
	d := NewDetail(rec, &rec.Runs[0], 0)
	if d.Missing != "" {
		t.Fatal(d.Missing)
	}
	return d.Tracks
}

// outline is a track in a line: "wal MiB/s: WAL [2 0 null]".
func outline(t *testing.T, track Track) string {
	t.Helper()
	text := track.ID + " " + track.Unit + ":"
	for _, s := range track.Series {
		values, err := json.Marshal(s.Values)
		must(t, err)
		text += " " + s.Name + " " + strings.ReplaceAll(string(values), ",", " ")
	}
	return text
}

func TestTracks(t *testing.T) {
	for _, c := range []struct {
		name    string
		columns []record.Column
		want    []string
	}{
		{"in the units that people read", []record.Column{
			column("latency_p99_ns", 1.5e6, 2e6, nan), column("meminfo.Dirty", 1<<20, 0, 3<<20),
			column("diskstats.vda.write_latency", 0.004, nan, 0.001), column("diskstats.vdb.utilisation", 0.5, 1, 0),
		}, []string{
			"latency ms: p99 [1.5 2 null]", "dirty MiB: Dirty [1 0 3]",
			"disk-latency.vda ms: write [4 null 1]", "disk-busy.vdb %: busy [50 100 0]",
		}},
		{"what is rare is left out where it is zero", []record.Column{
			column("tps", 10, 10, 10), column("failures", 0, 0, 0), column("retries", 0, 2, 0),
			column("cgroup.cpu.throttled", 0, 0, 0), column("pg_locks.waiting", 0, 0, 1), column("autovacuum.workers", 0, nan, 0),
		}, []string{"tps 1/s: TPS [10 10 10] retries [0 2 0]", "locks locks: waiting [0 0 1]"}},
		{"a column of which nothing is known is no series", []record.Column{
			column("tps", nan, nan, nan), column("wal.records", 5, 5, 5), column("wal.fpi", nan, nan, nan),
		}, []string{"wal-records 1/s: records [5 5 5]"}},
		{"waits: the CPU first, then the longest, and gaps in what was observed are zeros", []record.Column{
			column("wait.active", 4, 4, nan), column("wait.IO.WALSync", nan, 3, nan), column("wait.Lock.tuple", 0.5, 0.25, nan), column("wait.CPU", 1, 1, nan),
		}, []string{"wait sessions: on CPU or waiting for one [1 1 null] IO.WALSync [0 3 null] Lock.tuple [0.5 0.25 null]"}},
		{"whose the CPUs were", []record.Column{
			column("process.server.cpu", 1, 1, 1), column("process.others.cpu", 0, 0, 0), column("stat.cpu.idle", 3, 3, 3), column("stat.cpu.user", 1, 1, 1),
		}, []string{"cpu cores: user [1 1 1]", "cpu-owner cores: server [1 1 1] others [0 0 0]"}},
		{"scripts and standbys have their names", []record.Column{
			column("script.my.read.tps", 7, 7, 7), column("script.write.tps", 9, 9, 9), column("replication.far.replay_lag", 0, 1<<20, 0),
		}, []string{"tps-scripts 1/s: write [9 9 9] my.read [7 7 7]", "replication MiB: far replay [0 1 0]"}},
		{"other disks than the server's are none of its tracks", []record.Column{
			column("diskstats.vdc.writes", 100, 100, 100), column("diskstats.vda.writes", 1, 1, 1),
		}, []string{"disk-ops.vda 1/s: writes [1 1 1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, track := range drawn(t, c.columns...) {
				got = append(got, outline(t, track))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// Of many events the greatest have a layer each, and the rest one together.
func TestManyWaits(t *testing.T) {
	columns := []record.Column{column("wait.active", 100, 100, 100)}
	for n := range 11 {
		columns = append(columns, column(fmt.Sprintf("wait.IO.Event%02d", n), float64(n), nan, float64(n)))
	}
	tracks := drawn(t, columns...)
	got := outline(t, tracks[0])
	if !strings.HasPrefix(got, "wait sessions: IO.Event10 [10 0 10] IO.Event09") || !strings.HasSuffix(got, " 3 others [3 0 3]") || len(tracks[0].Series) != mostLayers+1 {
		t.Error(got)
	}
}

// A track that is no stack says what it leaves out.
func TestManyLines(t *testing.T) {
	var columns []record.Column
	for n := range mostLines + 3 {
		columns = append(columns, column(fmt.Sprintf("script.s%02d.latency_p99_ns", n), 1e6, 1e6, 1e6))
	}
	tracks := drawn(t, columns...)
	if len(tracks[0].Series) != mostLines || !strings.HasSuffix(tracks[0].Title, "(3 more not shown)") {
		t.Errorf("%s has %d series", tracks[0].Title, len(tracks[0].Series))
	}
}

// Of several seconds the greatest percentile is drawn, and the mean of all else; both
// keep their extremes.
func TestThinnedTracks(t *testing.T) {
	run := madeRun("disk", busy, 1, 100)
	run.columns = []record.Column{column("second", 0, 1, 2, 3), column("tps", 10, 30, 50, 50), column("latency_p99_ns", 1e6, 9e6, 2e6, 2e6)}
	rec := written(t, run)
	d := NewDetail(rec, &rec.Runs[0], 2)
	tps, p99 := d.Tracks[0].Series[0], d.Tracks[1].Series[0]
	if d.Step != 2 || !equal(tps.Values, []float64{20, 50}) || !equal(tps.Low, []float64{10, 50}) || !equal(tps.High, []float64{30, 50}) {
		t.Errorf("by %g: %v", d.Step, tps)
	}
	if !equal(p99.Values, []float64{9, 2}) || !equal(p99.Low, []float64{1, 2}) {
		t.Errorf("p99 is %v", p99)
	}
}

// Where it is not known which disk the server uses, the one that was written most is
// taken.
func TestUnknownDisk(t *testing.T) {
	run := madeRun("disk", busy, 1, 100)
	run.columns = append(run.columns, column("diskstats.sda.writes", 5, 5, 5), column("diskstats.sdb.writes", 9, 9, 9))
	rec := written(t, run)
	rec.Environments["disk"] = record.Environment{}
	d := NewDetail(rec, &rec.Runs[0], 0)
	if id := d.Tracks[1].ID; id != "disk-ops.sdb" || len(d.Tracks) != 2 {
		t.Errorf("%d tracks, the second is %s", len(d.Tracks), id)
	}
}

func TestRoles(t *testing.T) {
	for _, c := range []struct {
		data, wal, together bool
		want                string
	}{{true, true, false, "data, WAL"}, {true, false, true, "data, WAL"}, {true, false, false, "data"}, {false, true, false, "WAL"}} {
		if got := roles(c.data, c.wal, c.together); got != c.want {
			t.Errorf("%v is %q", c, got)
		}
	}
}

// Every column of the table is one that plinth observes, in a unit that its scale
// makes the track's unit of.
func TestPlansNameColumns(t *testing.T) {
	scales := map[string][]float64{
		"ns": {fromNS}, "s": {fromSecond}, "bytes": {toMiB}, "bytes/s": {toMiB},
		"1/s": {one}, "1": {one, percent}, "s/s": {one, percent},
	}
	for _, p := range plans {
		for _, l := range p.lines {
			if unit := unitOf(l.column); !slices.Contains(scales[unit], l.scale) {
				t.Errorf("%s draws %s, in %q, times %g", p.id, l.column, unit, l.scale)
			}
		}
		if p.known != "" && unitOf(p.known) == "" {
			t.Errorf("%s relies on %s", p.id, p.known)
		}
	}
}

var braces = regexp.MustCompile(`\\\{[a-z_]+\\\}`)

// unitOf is the unit of a column that telemetry or the load generator writes; "" of
// one that nobody does.
func unitOf(column string) string {
	for _, m := range slices.Concat(kernel.Metrics(), postgres.Metrics(), redis.Metrics(), emulated.Metrics(), credit.Metrics()) {
		pattern := braces.ReplaceAllString(regexp.QuoteMeta(m.Name), `.+`)
		if regexp.MustCompile("^" + pattern + "$").MatchString(column) {
			return m.Unit
		}
	}
	column = strings.TrimPrefix(column, "script.{script}.")
	switch {
	case strings.HasPrefix(column, "latency_"), strings.HasPrefix(column, "schedule_lag_"):
		return "ns"
	case slices.Contains([]string{"tps", "failures", "retries", "skipped", "late"}, column):
		return "1/s"
	}
	return ""
}
