package diagnosis

import (
	"math"
	"slices"
	"strings"
	"testing"

	"plinth/internal/diagnosis/share"
	"plinth/internal/record"
)

// TestCauses plants each cause in the columns of a made run, and checks that it comes first, with its share.
func TestCauses(t *testing.T) {
	const mib = 1 << 20
	busy := columns{"stat.cpu.user": steadily(1.5), "stat.cpu.system": steadily(0.45), "stat.cpu.idle": steadily(0.05)}
	for _, c := range []struct {
		cause  string
		share  float64 // of the response time; 0 for any
		in     Input
		within string // of the text
	}{
		{"wal-flush", 0.5, inputOf(quiet().with(columns{"wait.IO.WALSync": steadily(1), "wait.LWLock.WALWrite": steadily(3)})), "commits wait for the WAL"},
		{"cpu", 0.81, inputOf(quiet().with(busy).with(columns{"process.server.backends.cpu": steadily(1.5), "process.server.backends.run_delay": steadily(4.85)})), "saturated (1.95 of 2)"},
		{"cpu-work", 0.85, inputOf(quiet().with(columns{"process.server.backends.cpu": steadily(1.4), "process.server.backends.run_delay": steadily(5.4)})), "busy for 25 % of the time"},
		{"cpu-quota", 0.9, inputOf(quiet().with(columns{"cgroup.cpu.nr_throttled": steadily(9.5), "process.server.backends.run_delay": steadily(5)})), "9.5 of 10 periods"},
		// A quota that leaves the CPUs for 0.6 of the time: of 5.3 threads that are ready, half queue on each.
		{"cpu-quota", 0.4, inputOf(quiet().with(columns{
			"cgroup.cpu.nr_throttled": steadily(9.5), "cgroup.cpu.throttled": steadily(1.2), "process.server.run_delay": steadily(5),
			"process.server.backends.run_delay": steadily(5),
		})), "9.5 of 10 periods"},
		// Transactions also wait for a flush by a backend that may not run.
		{"cpu-quota", 0.64, inputOf(quiet().with(columns{
			"cgroup.cpu.nr_throttled": steadily(9.5), "cgroup.cpu.throttled": steadily(1.8), "process.server.run_delay": steadily(2),
			"process.server.backends.run_delay": steadily(2), "wait.LWLock.WALWrite": steadily(3.5),
		})), "9.5 of 10 periods"},
		{"checkpoint", 0.48, inputOf(quiet().with(disk("vdb", 0, 200, 0, 8*mib)).with(columns{
			"wait.IO.WALSync": steadily(6), "process.server.read_bytes": steadily(0), "process.server.write_bytes": steadily(8 * mib),
			"checkpoints.requested": steadily(0.5), "checkpoints.timed": steadily(0), "buffers_written.checkpointer": steadily(384),
			"buffers_written.backend": steadily(0), "buffers_written.bgwriter": steadily(0),
			"wal.bytes": steadily(4 * mib), "wal.fpi": steadily(448), "wal.records": steadily(1000),
		})).limits(1000, 10*mib), "a checkpoint begins every 2.0 s"},
		// Sessions wait for one that fills a segment in three of five seconds of I/O.
		{"wal-segments", 0.53, inputOf(quiet().with(columns{
			"wait.IO.WalInitWrite": steadily(0.1), "wait.IO.WalInitSync": steadily(0.5), "wait.IO.WalSync": steadily(0.4), "wait.LWLock.WALWrite": steadily(6),
		})), "during 60 % of the time"},
		{"archiver", 0.3, inputOf(quiet().with(busy).with(columns{
			"process.server.archiver.cpu": steadily(0.975), "archiver.archived": steadily(0.4), "archiver.failed": steadily(0),
			"process.server.backends.run_delay": steadily(4.8),
		})), "the archiver archives 0.40 segments of the WAL a second, and uses 0.97 CPUs"},
		{"archiver", 0.41, inputOf(quiet().with(disk("vdb", 0, 200, 0, 8*mib)).with(columns{
			"wait.IO.WALSync": steadily(6), "process.server.archiver.cpu": steadily(0.02), "archiver.archived": steadily(0.2), "archiver.failed": steadily(0),
			"process.server.archiver.write_bytes": steadily(5 * mib), "process.server.read_bytes": steadily(0), "process.server.write_bytes": steadily(8 * mib),
			"wal.bytes": steadily(3.2 * mib), "wal.fpi": steadily(0), "wal.records": steadily(1000), "wal.syncs": steadily(50), "buffers_written.checkpointer": steadily(0),
			"buffers_written.backend": steadily(0), "buffers_written.bgwriter": steadily(0),
		})).limits(1000, 8*mib), "and writes 4.4 MiB/s to the data disk"},
		{"cpu-neighbour", 0.5, inputOf(quiet().with(busy).with(columns{"process.others.cpu": steadily(1.5), "process.server.backends.run_delay": steadily(5)})), "1.50 CPUs, and the server 0.30"},
		{"cpu-steal", 0.6, inputOf(quiet().with(columns{"stat.cpu.steal": steadily(1), "stat.cpu.idle": steadily(0.5), "process.server.backends.run_delay": steadily(5)})), "takes 1.00 CPUs"},
		{"cache", 0.7, inputOf(quiet().with(columns{"wait.IO.DataFileRead": steadily(5.6)})), "not in memory"},
		{"row-lock", 0.7, inputOf(quiet().with(columns{"wait.Lock.transactionid": steadily(5), "wait.Lock.tuple": steadily(0.6)})), "Lock.transactionid"},
		{"lock", 0.7, inputOf(quiet().with(columns{"wait.Lock.advisory": steadily(5.6)})), "Lock.advisory"},
		{"extension", 0.5, inputOf(quiet().with(columns{"wait.Lock.extend": steadily(4)})), "extended"},
		{"standby", 0.75, inputOf(quiet().with(columns{"wait.IPC.SyncRep": steadily(6)})), "standby"},
		{"lwlock", 0.5, inputOf(quiet().with(columns{"wait.LWLock.SubtransSLRU": steadily(4)})), "LWLock.SubtransSLRU"},
		{"buffer-content", 0.5, inputOf(quiet().with(columns{"wait.LWLock.BufferContent": steadily(4)})), "pages that others change"},
		{"connections", 0, inputOf(quiet().with(columns{"stat.processes": steadily(1001)})), "opens a connection"},
		{"generator", 0.9, inputOf(quiet().with(columns{"process.generator.cpu": steadily(0.98)})), "threads are busy: 0.98 of 1"},
		{"outside", 0.9, inputOf(quiet()), "no session was seen at work"},
		{"temp-files", 0, inputOf(quiet().with(columns{"wait.IO.BuffileWrite": steadily(5), "pg_stat_database.temp_bytes": steadily(200 * mib), "pg_stat_database.temp_files": steadily(1000)})), "0.2 MiB to temporary files each (1.0 files)"},
		{"data-disk-iops", 0.6, inputOf(quiet().with(disk("vdb", 900, 90, 9*mib, mib)).with(columns{"wait.IO.DataFileRead": steadily(5), "process.server.read_bytes": steadily(9 * mib), "process.server.write_bytes": steadily(mib)})).limits(1000, 500*mib), "99 % of its limit of 1000 IOPS"},
		{"data-disk-throughput", 0.6, inputOf(quiet().with(disk("vdb", 90, 9, 9*mib, mib)).with(columns{"wait.IO.DataFileRead": steadily(5), "process.server.read_bytes": steadily(9 * mib), "process.server.write_bytes": steadily(mib)})).limits(1000, 10*mib), "100 % of its limit of 10 MiB/s"},
		// The bytes of the background load are known: those of the server may count a page more than once.
		{"disk-neighbour", 0.6, inputOf(quiet().with(disk("vdb", 90, 90, 0, 10*mib)).with(columns{"wait.IO.WALSync": steadily(5), "process.server.read_bytes": steadily(0), "process.server.write_bytes": steadily(3 * mib), "process.neighbour.read_bytes": steadily(0), "process.neighbour.write_bytes": steadily(9.6 * mib)})).limits(1000, 10*mib), "9.6 MiB/s of 10 MiB/s are not the server's"},
		{"disk-neighbour", 0.5, inputOf(quiet().with(disk("vdb", 90, 90, 0, 10*mib)).with(columns{"wait.IO.WALSync": steadily(5), "process.server.read_bytes": steadily(0), "process.server.write_bytes": steadily(2 * mib)})).limits(1000, 10*mib), "8.0 MiB/s of 10 MiB/s are not the server's"},
	} {
		d := Of(c.in)
		if len(d.Findings) == 0 {
			t.Errorf("%s: nothing was found: %+v", c.cause, d)
			continue
		}
		f := d.Findings[0]
		if f.Cause != c.cause || c.share != 0 && math.Abs(f.Share-c.share) > 0.06 || !strings.Contains(f.Text, c.within) {
			t.Errorf("%s: first is %s (%.2f): %s; want %.2f, %q", c.cause, f.Cause, f.Share, f.Text, c.share, c.within)
		}
		if len(f.Evidence) == 0 || f.Title == "" || f.Basis == "" || len(f.Try) == 0 {
			t.Errorf("%s: it lacks something: %+v", c.cause, f)
		}
	}
}

// TestEveryRuleHasItsCause: a rule without an entry in causes.yaml would have no title.
func TestEveryRuleHasItsCause(t *testing.T) {
	used := map[string]bool{}
	for _, r := range rules {
		used[r.name] = true
		if c := causes[r.name]; c.Title == "" || c.Source == "" || len(c.Try) == 0 || !slices.Contains([]Basis{Counted, Sampled, Correlated}, c.Basis) {
			t.Errorf("causes.yaml lacks something of %s: %+v", r.name, c)
		}
	}
	for name := range causes {
		if !used[name] {
			t.Errorf("no rule looks for %s", name)
		}
	}
}

// TestCliff: what comes after a fall of throughput is diagnosed, and the cause of the fall comes first.
func TestCliff(t *testing.T) {
	d := Of(inputOf(quiet().with(columns{
		"tps": from(9, 1000, 400), "latency_mean_ns": from(9, 8e6, 20e6),
		"wait.IO.WALSync": from(9, 6, 2.4), "wait.Lock.relation": from(9, 0, 3.5),
	})))
	switch {
	case d.Cliff == nil || d.Cliff.Second != 9 || d.Cliff.Before != 1000 || d.Cliff.After != 400 || d.Cliff.Until != nil:
		t.Errorf("the cliff is %+v", d.Cliff)
	case d.Division == nil || d.Division.Seconds != 11:
		t.Errorf("the division is %+v", d.Division)
	case len(d.Findings) < 2 || d.Findings[0].Cause != "lock" || d.Findings[0].From == nil || *d.Findings[0].From != 9:
		t.Errorf("the findings are %+v", d.Findings)
	case math.Abs(d.Findings[0].Fall-3.5/4.8) > 0.05: // of 8 x (1 - 0.4) sessions
		t.Errorf("it explains %.2f of the fall", d.Findings[0].Fall)
	}
}

// TestCliffAtAnEvent: a fall names the event of the experiment that began with it.
func TestCliffAtAnEvent(t *testing.T) {
	in := inputOf(quiet().with(columns{"tps": from(9, 1000, 400), "latency_mean_ns": from(9, 8e6, 20e6)}))
	in.Run.Events = []record.Event{{Name: "early", At: 3}, {Name: "load", At: 8.4}, {Name: "late", At: 15}}
	if d := Of(in); d.Cliff == nil || d.Cliff.Event != "load" {
		t.Errorf("%+v", d.Cliff)
	}
}

// TestFewClients: if no more than two clients have two CPUs, they wait for others alone.
func TestFewClients(t *testing.T) {
	in := inputOf(quiet().with(columns{
		"tps": steadily(250), "process.others.cpu": steadily(1.5), "process.server.cpu": steadily(0.4), "process.server.backends.cpu": steadily(0.4),
		"process.server.backends.run_delay": steadily(1.4), "stat.cpu.user": steadily(1.5), "stat.cpu.system": steadily(0.45), "stat.cpu.idle": steadily(0.05),
	}))
	in.Run.Clients = 2
	if d := Of(in); len(d.Findings) == 0 || d.Findings[0].Cause != "cpu-neighbour" || math.Abs(d.Findings[0].Share-0.72) > 0.03 {
		t.Errorf("%+v", d.Findings)
	}
}

// TestDip: a fall that passes has an end, and its cause comes first.
func TestDip(t *testing.T) {
	d := Of(inputOf(quiet().with(columns{
		"tps": inSeconds(8, 14, 1000, 0), "wait.IO.WALSync": inSeconds(8, 14, 6, 0), "wait.Lock.relation": inSeconds(8, 14, 0, 8),
	})))
	if d.Cliff == nil || d.Cliff.Second != 8 || d.Cliff.Until == nil || *d.Cliff.Until != 14 {
		t.Fatalf("the cliff is %+v", d.Cliff)
	}
	f := d.Findings[0]
	if f.Cause != "lock" || f.From == nil || *f.From != 8 || f.Seconds != 6 || f.Fall < 0.9 {
		t.Errorf("the first finding is %+v", f)
	}
}

// TestDuring: what comes and goes is claimed by what transactions need longer while it is there.
func TestDuring(t *testing.T) {
	on := func(otherwise, then float64) at {
		return func(s int) float64 {
			if s%4 == 3 {
				return then
			}
			return otherwise
		}
	}
	d := Of(inputOf(quiet().with(columns{
		"tps": on(1000, 200), "wait.IO.WALSync": on(2, 7), "autovacuum.workers": on(0, 1),
	})))
	i := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Cause == "autovacuum" })
	if i < 0 {
		t.Fatalf("autovacuum was not found: %+v", d.Considered)
	}
	// A quarter of the seconds, in which four fifths of the time were lost.
	if f := d.Findings[i]; math.Abs(f.Share-0.2) > 0.03 || f.Seconds != 5 || *f.From != 3 || f.Basis != Correlated {
		t.Errorf("it is %+v", f)
	}
	d = Of(inputOf(quiet().with(columns{"tps": steadily(1000), "autovacuum.workers": on(0, 1)})))
	if slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Cause == "autovacuum" }) {
		t.Error("autovacuum was found although throughput is the same")
	}
}

// TestGaps: a second in which something is unknown is neither one with it nor one without it, and what is not explained in it is
// unknown, too.
func TestGaps(t *testing.T) {
	in := inputOf(quiet().with(columns{"autovacuum.workers": func(second int) float64 {
		switch {
		case second < 2:
			return 1
		case second < 12:
			return math.NaN()
		}
		return 0
	}}))
	want := "it happened in 2 of 10 seconds"
	if d := Of(in); !slices.ContainsFunc(d.Considered, func(r Reason) bool { return r.Cause == "autovacuum" && strings.HasPrefix(r.Why, want) }) {
		t.Errorf("want %s: %+v", want, d.Considered)
	}
	unknown := math.NaN()
	o := &observation{timeline: &share.Timeline{InFlight: []float64{8, 8, 8}, Parts: map[string][]float64{"cpu": {unknown, 2, 3}, "wait": {1, 1, unknown}}}}
	for part, want := range map[string][]float64{"cpu": {2, 3}, "wait": {1, 1}, share.Unexplained: {5}} {
		if got := o.levels(part, []int{0, 1, 2}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", part, got, want)
		}
	}
}

// TestUnknown: a rule that lacks a source is skipped, and is not said to be fine.
func TestUnknown(t *testing.T) {
	d := Of(inputOf(quiet().without("cgroup.cpu.nr_throttled", "stat.cpu.steal")))
	for _, cause := range []string{"cpu-quota", "cpu-steal", "data-disk-iops", "reclaim"} {
		if !slices.ContainsFunc(d.Skipped, func(r Reason) bool { return r.Cause == cause && r.Why != "" }) {
			t.Errorf("%s was not skipped: %+v", cause, d.Skipped)
		}
	}
	if slices.ContainsFunc(d.Considered, func(r Reason) bool { return r.Cause == "cpu-quota" }) {
		t.Error("the quota is said not to bind")
	}
}

// TestUndivided: a run that cannot be divided says why, and nothing is found in it.
func TestUndivided(t *testing.T) {
	short := inputOf(quiet())
	for i := range short.Points.Columns {
		short.Points.Columns[i].Values = short.Points.Columns[i].Values[:6]
	}
	blind := inputOf(columns{"tps": steadily(1000), "latency_mean_ns": steadily(8e6)})
	other := inputOf(quiet())
	other.Environment.Server = "Oracle"
	for _, c := range []struct {
		in   Input
		want string
	}{
		{short, "6 seconds are too few"},
		{blind, "nothing is recorded for wait.active"},
		{Input{Run: short.Run, Environment: short.Environment, Points: record.Points{}}, "no second of the window was recorded"},
		{other, "only the response times of PostgreSQL, Redis and Valkey"},
	} {
		if d := Of(c.in); !strings.Contains(d.Undivided, c.want) || d.Division != nil || len(d.Findings) > 0 {
			t.Errorf("%q: %+v", c.want, d)
		}
	}
}

// TestNothingIsSpread: what is not explained stays so, and no finding claims more than all of the time.
func TestNothingIsSpread(t *testing.T) {
	d := Of(inputOf(quiet().with(columns{"wait.IO.WALSync": steadily(9), "process.server.backends.run_delay": steadily(3)})))
	if p := d.Division.Part(share.Unexplained); p.Share > -0.4 {
		t.Errorf("times that count twice leave %.2f", p.Share)
	}
	for _, f := range d.Findings {
		if f.Share > 1 {
			t.Errorf("%s is %.2f of the response time", f.Cause, f.Share)
		}
	}
}

// TestOpenLoop: in an open loop, throughput does not depend on the response time.
func TestOpenLoop(t *testing.T) {
	in := inputOf(quiet().with(columns{"wait.IO.WALSync": steadily(4)}))
	in.Run.Result.Loop = "open"
	if d := Of(in); len(d.Findings) == 0 || d.Findings[0].Most != 0 {
		t.Errorf("%+v", d.Findings)
	}
}
