package diagnosis

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
)

// causesOf returns the causes of findings, in their order.
func causesOf(d Diagnosis) (all []string) {
	for _, f := range d.Findings {
		all = append(all, f.Cause)
	}
	return all
}

// TestNotThere: what looks like a cause, and is none, is not found, and something else comes first.
func TestNotThere(t *testing.T) {
	const mib = 1 << 20
	// The disk of the WAL at its limit, by flushes of a few bytes: each writes pages of 8 KiB.
	small := inputOf(quiet().with(disk("vdc", 0, 990, 0, 12*mib)).with(columns{
		"wait.IO.WALSync": steadily(5), "wal.bytes": steadily(mib), "wal.fpi": steadily(0), "wal.records": steadily(4000), "wal.syncs": steadily(800),
		"process.server.read_bytes": steadily(0), "process.server.write_bytes": steadily(2 * mib),
	}))
	small.Environment.Volumes = append(small.Environment.Volumes, record.Volume{Role: "wal", Device: "vdc", Disks: []string{"vdc"}})
	// Others are busy on a CPU that is not the server's.
	elsewhere := inputOf(quiet().with(columns{
		"process.others.cpu": steadily(0.9), "stat.cpu0.busy": steadily(0.95), "stat.cpu1.busy": steadily(0.9),
		"process.server.cpu": steadily(0.92), "process.server.backends.cpu": steadily(0.9), "process.server.backends.run_delay": steadily(5),
	}))
	elsewhere.Environment.Limits = &record.Limits{CPUs: "0"}
	// One backend was once seen writing a page, without synchronous commits.
	once := inputOf(quiet().with(columns{
		"wait.IO.WALSync": steadily(4), "wait.IO.DataFileWrite": inSeconds(3, 4, 0, 1), "buffers_written.backend": steadily(2),
		"buffers_written.checkpointer": steadily(0), "buffers_written.bgwriter": steadily(0),
	}))
	once.Environment.Settings["synchronous_commit"] = "off"
	// A burst that ended long before throughput fell for a lock, on a disk that has room.
	early := inputOf(quiet().with(disk("vdb", 0, 100, 0, mib)).with(columns{
		"tps": from(9, 1000, 400), "latency_mean_ns": from(9, 8e6, 20e6), "wait.IO.WALSync": from(9, 6, 2.4), "wait.Lock.relation": from(9, 0, 3.5),
	})).limits(1000, 100*mib)
	two := 2.0
	early.Run.Bursts = []record.Burst{{Volume: "data", Limit: "iops", Ended: &two}}
	// Three seconds with half the throughput are 8 % of the window's transactions.
	dip := inputOf(quiet().with(columns{
		"tps": inSeconds(8, 11, 1000, 450), "wait.IO.WALSync": inSeconds(8, 11, 6, 0.5), "wait.Lock.relation": inSeconds(8, 11, 0, 3),
	}))
	// The hypervisor takes a part of the server's CPU, while others are busy on another one.
	taken := inputOf(quiet().with(columns{
		"process.others.cpu": steadily(0.9), "stat.cpu0.busy": steadily(0.95), "stat.cpu1.busy": steadily(0.9), "stat.cpu.steal": steadily(0.5),
		"process.server.cpu": steadily(0.45), "process.server.backends.cpu": steadily(0.4), "process.server.backends.run_delay": steadily(5),
	}))
	taken.Environment.Limits = &record.Limits{CPUs: "0"}
	for _, c := range []struct {
		name, first, not string
		in               Input
	}{
		{"the hypervisor beside others", "cpu-steal", "cpu-neighbour", taken},
		{"flushes of a few bytes", "wal-disk-iops", "disk-neighbour", small.limits(1000, 500*mib)},
		{"others on other CPUs", "cpu", "cpu-neighbour", elsewhere},
		{"one write by a backend", "wal-flush", "backend-writes", once},
		{"a burst that ended before", "lock", "disk-burst", early},
		{"a page from swap", "wal-flush", "swap", inputOf(quiet().with(columns{
			"wait.IO.WALSync": steadily(6), "vmstat.pswpin": steadily(1), "pressure.memory.some": steadily(0.4),
		}))},
		{"a short dip", "wal-flush", "", dip},
		// The archive is on another disk: the archiver writes a lot, and all that the full disk transfers is the server's.
		{"an archive elsewhere", "data-disk-throughput", "archiver", inputOf(quiet().with(disk("vdb", 0, 200, 0, 8*mib)).with(columns{
			"wait.IO.WALSync": steadily(6), "process.server.archiver.cpu": steadily(0.02), "archiver.archived": steadily(0.5), "archiver.failed": steadily(0),
			"process.server.archiver.write_bytes": steadily(7.8 * mib), "process.server.read_bytes": steadily(0), "process.server.write_bytes": steadily(16 * mib),
			"wal.bytes": steadily(5 * mib), "wal.fpi": steadily(0), "wal.records": steadily(1000), "wal.syncs": steadily(380), "buffers_written.checkpointer": steadily(0),
			"buffers_written.backend": steadily(0), "buffers_written.bgwriter": steadily(0),
		})).limits(1000, 8*mib)},
	} {
		if all := causesOf(Of(c.in)); len(all) == 0 || all[0] != c.first || slices.Contains(all, c.not) {
			t.Errorf("%s: the findings are %s; want %s first, and no %s", c.name, all, c.first, c.not)
		}
	}
}

// TestThere: what resembles these, and is a cause, is found all the same.
func TestThere(t *testing.T) {
	const mib = 1 << 20
	crowded := inputOf(quiet().with(columns{
		"process.others.cpu": steadily(0.9), "stat.cpu0.busy": steadily(0.98), "stat.cpu1.busy": steadily(0.1),
		"process.server.cpu": steadily(0.4), "process.server.backends.cpu": steadily(0.4), "process.server.backends.run_delay": steadily(5),
	}))
	crowded.Environment.Limits = &record.Limits{CPUs: "0"}
	ended := inputOf(quiet().with(disk("vdb", 0, 990, 0, 8*mib)).with(columns{
		"tps": from(9, 1000, 400), "latency_mean_ns": from(9, 8e6, 20e6), "wait.IO.WALSync": steadily(6),
	})).limits(1000, 100*mib)
	nine := 9.0
	ended.Run.Bursts = []record.Burst{{Volume: "data", Limit: "iops", Ended: &nine}}
	// The disk is far below its limit, but throughput falls two seconds after the end of its burst.
	unlimited := inputOf(quiet().with(disk("vdb", 0, 300, 0, 3*mib)).with(columns{
		"tps": from(9, 1000, 400), "latency_mean_ns": from(9, 8e6, 20e6), "wait.IO.WALSync": from(9, 1, 7),
	})).limits(1000, 100*mib)
	seven := 7.0
	unlimited.Run.Bursts = []record.Burst{{Volume: "data", Limit: "iops", Ended: &seven}}
	// The CPUs are all the machine's: the load generator has them, too.
	everywhere := inputOf(quiet().with(columns{
		"process.others.cpu": steadily(1.2), "stat.cpu0.busy": steadily(1), "stat.cpu1.busy": steadily(1), "stat.cpu.user": steadily(1.6), "stat.cpu.idle": steadily(0.1),
		"process.server.cpu": steadily(0.4), "process.server.backends.cpu": steadily(0.4), "process.server.backends.run_delay": steadily(5),
	}))
	everywhere.Environment.Limits = &record.Limits{CPUs: "0-1", Shared: true}
	// Other programs write to the disk of the WAL.
	busy := inputOf(quiet().with(disk("vdc", 0, 990, 0, 60*mib)).with(columns{
		"wait.IO.WALSync": steadily(5), "wal.bytes": steadily(mib), "wal.fpi": steadily(0), "wal.records": steadily(4000), "wal.syncs": steadily(800),
		"process.server.read_bytes": steadily(0), "process.server.write_bytes": steadily(2 * mib),
	}))
	busy.Environment.Volumes = append(busy.Environment.Volumes, record.Volume{Role: "wal", Device: "vdc", Disks: []string{"vdc"}})
	// Each transaction has to write a page, and waits for its WAL.
	evicting := inputOf(quiet().with(columns{
		"wait.IO.WALSync": steadily(4), "wait.IO.DataFileWrite": steadily(1), "buffers_written.backend": steadily(1000),
		"buffers_written.checkpointer": steadily(0), "buffers_written.bgwriter": steadily(0),
	}))
	evicting.Environment.Settings["synchronous_commit"] = "off"
	// A checkpoint writes its pages into the kernel's cache at once, and syncs them from second 10 to 15.
	syncs := inputOf(quiet().with(columns{
		"tps": inSeconds(10, 16, 1000, 300), "wait.IO.WALSync": inSeconds(10, 16, 2, 7), "buffers_written.checkpointer": inSeconds(9, 10, 0, 5000),
		"checkpoints.sync_time": inSeconds(15, 16, 0, 6.4), "checkpoints.write_time": inSeconds(15, 16, 0, 0.9),
		"checkpoints.requested": steadily(0), "checkpoints.timed": inSeconds(9, 10, 0, 1),
	}))
	for _, c := range []struct {
		first string
		in    Input
	}{
		{"cpu-neighbour", crowded},
		{"cpu-neighbour", everywhere},
		{"disk-burst", ended},
		{"disk-burst", unlimited},
		{"disk-neighbour", busy.limits(1000, 500*mib)},
		{"backend-writes", evicting},
		{"checkpoint", syncs},
		{"swap", inputOf(quiet().with(columns{"vmstat.pswpin": steadily(400), "pressure.memory.some": steadily(0.8)}))},
	} {
		if all := causesOf(Of(c.in)); len(all) == 0 || all[0] != c.first {
			t.Errorf("the findings are %s; want %s first", all, c.first)
		}
	}
}

// TestUncountedWrites: up to PostgreSQL 15, the counter of backends' writes stands still until the checkpointer wakes up.
func TestUncountedWrites(t *testing.T) {
	in := inputOf(quiet().with(columns{
		"wait.IO.DataFileWrite": steadily(5), "buffers_written.backend": steadily(0),
		"buffers_written.checkpointer": steadily(0), "buffers_written.bgwriter": steadily(0),
	}))
	for _, f := range Of(in).Findings {
		if f.Cause == "backend-writes" {
			if f.Text != "backends wait while they write pages themselves" || len(f.Evidence) == 0 || f.Evidence[0].Metric != "wait.IO.DataFileWrite" {
				t.Errorf("%s: %v", f.Text, f.Evidence)
			}
			return
		}
	}
	t.Errorf("the findings are %s", causesOf(Of(in)))
}

// TestLastFreeBuffer: while shared buffers are free, a page can be read without writing another.
func TestLastFreeBuffer(t *testing.T) {
	writes := quiet().with(columns{"tps": from(8, 1000, 500), "wait.IO.DataFileWrite": from(8, 0, 6), "buffers_written.backend": from(8, 0, 400),
		"buffers_written.checkpointer": steadily(0), "buffers_written.bgwriter": steadily(0)})
	for _, c := range []struct {
		free at
		want string
	}{
		{func(s int) float64 { return max(0, 0.4-0.05*float64(s)) }, "backends write 0.8 pages for each transaction themselves, since no shared buffer is free from second 8 on"},
		{steadily(0), "backends write 0.8 pages for each transaction themselves"},
		{steadily(0.2), "backends write 0.8 pages for each transaction themselves"},
	} {
		d := Of(inputOf(writes.with(columns{"buffers_free": c.free})))
		if d.Cliff == nil || len(d.Findings) == 0 || d.Findings[0].Cause != "backend-writes" || d.Findings[0].Text != c.want {
			t.Errorf("%v: %+v; want %s", d.Cliff, d.Findings, c.want)
		}
	}
}

// TestFilesystem: ext4 is suggested only for data on XFS.
func TestFilesystem(t *testing.T) {
	for filesystem, want := range map[string]bool{"xfs": true, "ext4": false, "": false} {
		in := inputOf(quiet().with(columns{"wait.IO.DataFileWrite": steadily(5), "buffers_written.backend": steadily(400)}))
		in.Environment.Volumes[0].Filesystem = filesystem
		suggested := false
		for _, f := range Of(in).Findings {
			suggested = suggested || slices.ContainsFunc(f.Try, func(t Try) bool { return strings.HasPrefix(t.Text, "ext4:") })
		}
		if suggested != want {
			t.Errorf("data on %q: suggested: %v", filesystem, suggested)
		}
	}
}
