package demand

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/figure/window"
	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
	"plinth/internal/record"
)

// unsteady lists what a run of Redis may not have, as the model does not have it: columns, and the most that their
// means may be.
var unsteady = []struct {
	column     string
	most       float64
	text, hint string
}{
	{"info.evicted_keys", 0, "keys were evicted", "raise maxmemory, or set a smaller keyspace"},
	{"info.expired_keys", 0, "keys expired", "measure keys that do not expire"},
	{"info.aof_delayed_fsync", 0, "requests waited for a sync of the append-only file", "measure it on a faster disk"},
	{"persistence.aof_pending_bio_fsync", 0.75, "the disk hardly kept up with the append-only file", "measure it on a faster disk"},
}

// usedByRedis reads what a run of Redis or Valkey used.
func usedByRedis(w *window.Window) (r reading, err error) {
	for _, u := range unsteady {
		if of(w, u.column) > u.most {
			return r, hint.Errorf(u.hint, "in %s %s, which the model does not cover", w.Run.Path(), u.text)
		}
	}
	if r, err = common(w, "process.generator.cpu", "process.server.cpu"); err != nil {
		return r, err
	}
	r.wal = of(w, "persistence.aof_bytes")
	r.saving = min(1, of(w, "persistence.rdb_bgsave_in_progress", "persistence.aof_rewrite_in_progress"))
	if r.replica = of(w, "process.replica.cpu"); r.replica > 0 && of(w, "info.slave0.offset_lag") > lagging*of(w, "info.master_repl_offset") {
		return r, hint.Errorf("measure it with fewer clients, or the replica on a faster disk", "in %s the replica fell behind, which the model does not cover", w.Run.Path())
	}
	// Versions before 6.2 do not report the CPU time of the thread, which then is nearly all of the process's.
	if r.backends = of(w, "info.used_cpu_sys_main_thread", "info.used_cpu_user_main_thread"); r.backends == 0 {
		if r.saving > 0 {
			return r, hint.Errorf("measure it without saves and rewrites", "the CPU time of %s includes that of its child processes: this version does not report the thread's", w.Run.Path())
		}
		r.backends = r.server
	}
	if t := w.Run.Telemetry; t != nil {
		for _, c := range t.Cost {
			r.own += c.Server / max(c.Covered, 1)
		}
	}
	return r, nil
}

const (
	// wakeTime is the time that a thread which slept takes to wake up.
	wakeTime = 10 * time.Microsecond
	// fileSyncTime is the CPU time of a sync of the append-only file in the server's thread: system calls, and waiting
	// three times. The CPU time of the thread includes it. It differed from run to run: 60 to 100 µs.
	fileSyncTime = 60 * time.Microsecond
	// talkative is how many times the server's CPU time of a request is the most that the load generator needs for
	// one: both read and write once. What its process uses beyond is that of its runtime.
	talkative = 2
)

// redis makes the system of what runs of Redis used. A transaction of it has the requests that a client sends at once.
func (c *Cell) redis(rec *record.Record, e record.Environment, r reading) error {
	exp, err := rec.Experiment()
	if err != nil {
		return err
	}
	if err := readableRedis(e, exp); err != nil {
		return err
	}
	s := closed.System{Clients: c.Clients, Threads: c.Threads, Loop: &closed.Loop{Wake: wakeTime}, Demand: closed.Demand{Statements: 1}}
	if err := c.processors(&s, rec, e); err != nil {
		return err
	}
	l := load{pipeline: float64(max(1, exp.Pipeline)), writing: c.writing(exp), reading: r}
	always := l.writing > 0 && r.wal > 0 && e.Settings["appendfsync"] == "always"
	if err := c.disks(&s, e); err != nil && always {
		return err
	}
	syncs := 0.0
	switch {
	case always:
		if syncs, err = l.synced(&s, e); err != nil {
			return err
		}
	case r.wal > 0:
		l.written(&s)
	}
	l.computed(&s, syncs)
	r.emulation(&s)
	if err := c.beside(&s, l, e, always); err != nil {
		return err
	}
	if s.Server <= 0 {
		return fmt.Errorf("the CPU time of a request is not known")
	}
	c.System = s
	c.used(r, l.batches())
	if l.pipeline > 1 {
		c.Pipeline = l.pipeline
	}
	return nil
}

// readableRedis refuses what the model of Redis does not have.
func readableRedis(e record.Environment, exp *experiment.Experiment) error {
	if n, err := strconv.Atoi(e.Settings["io-threads"]); err == nil && n > 1 {
		return hint.Errorf(`measure it with settings: {io-threads: "1"}`, "the model has one thread; %s has %d I/O threads", e.Name, n)
	}
	if exp.Connect == "each" {
		return hint.Errorf("measure it with connect: once", "each request had a connection of its own, which the model does not cover")
	}
	return nil
}

// writing returns the share of the transactions, or requests, that may change something.
func (c *Cell) writing(exp *experiment.Experiment) float64 {
	i := slices.IndexFunc(exp.Workloads, func(w experiment.Workload) bool { return w.Name == c.Workload })
	if i < 0 {
		return 1
	}
	writes, all := 0.0, 0.0
	for _, s := range exp.Workloads[i].Scripts {
		all += float64(s.Weight)
		if s.Writes() {
			writes += float64(s.Weight)
		}
	}
	return writes / max(1, all)
}

// load holds how much runs of Redis did and used.
type load struct {
	reading
	pipeline float64 // requests that a client sends at once
	writing  float64 // share of the requests that change a key
}

// batches returns how often a second clients sent requests.
func (l load) batches() float64 { return l.tps / l.pipeline }

// journals lists what a sync of a file that grew asks of the disk, after its data. The journal of ext4 writes a
// description and the inode, waits, and then writes its commit record (fs/jbd2/commit.c); that of XFS is one write
// (fs/xfs/xfs_log.c). Each commits with a flush of the disk's cache before and after, which takes no time on a disk
// without one. Counted with Linux 6.18: 3.0 writes and 2 flushes on ext4; on XFS 2.0 and 2, and a third write, beside
// the first, where a new block begins.
var journals = map[string][]device.Request{
	"ext4": {{Kind: device.Write, Size: 8 << 10}, {Kind: device.Flush}, {Kind: device.Write, Size: 4 << 10}, {Kind: device.Flush}},
	"xfs":  {{Kind: device.Flush}, {Kind: device.Write, Size: 1 << 10}, {Kind: device.Flush}},
}

// fewer is the share of the expected operations of a disk below which it is not known what a sync takes.
const fewer = 0.8

// synced adds the syncs that requests wait for, with appendfsync always, and returns how many there were a second.
func (l load) synced(s *closed.System, e record.Environment) (syncs float64, err error) {
	i := slices.IndexFunc(e.Volumes, func(v record.Volume) bool { return v.Role == "data" })
	if i < 0 {
		return 0, fmt.Errorf("the disk of the append-only file is not known")
	}
	filesystem := e.Volumes[i].Filesystem
	journal, known := journals[filesystem]
	if !known {
		return 0, hint.Errorf("measure it on ext4 or xfs", "what a sync of the append-only file asks of a disk with %s is not known", filesystem)
	}
	s.Loop.Metadata = journal
	s.Commits = 1 - math.Pow(1-l.writing, l.pipeline)
	s.WALBytes = l.wal / l.batches() / s.Commits
	// The disk's writes show how many there were. All clients can be in one sync; while it lasts, the others gather,
	// so that each is in every second sync at least, if all of them write.
	operations := 1.0
	for _, r := range journal {
		if r.Kind == device.Write {
			operations++
		}
	}
	clients, writes := float64(s.Clients), l.batches()*s.Commits
	least, most := writes/clients, writes
	if s.Commits == 1 {
		most = min(writes, 2*writes/clients)
	}
	if l.writes < fewer*operations*least {
		return 0, fmt.Errorf("a sync on %s takes %.0f writes, but the disk had only %.1f for each request of all clients", filesystem, operations, l.writes/least)
	}
	syncs = min(max(l.writes/operations, least), most)
	if s.Commits == 1 && clients > 1 {
		s.Loop.Together = max(0, 2*writes/syncs/clients-1)
	}
	return syncs, nil
}

// chunk is the size of a write of the append-only file in the background, in bytes, if the disk had none yet.
const chunk = 512 << 10

// written adds what is written in the background: with appendfsync everysec by a thread of the server, with no by the
// kernel. Requests wait only if the disk is slower than the file grows, which prediction refuses.
func (l load) written(s *closed.System) {
	s.WriteSize = chunk
	if l.writes > 1 {
		s.WriteSize = int64(min(max(closed.PageSize, l.writeBytes/l.writes), 1<<20))
	}
	s.Writes = l.wal / l.batches() / float64(s.WriteSize)
}

// computed adds the CPU times.
func (l load) computed(s *closed.System, syncs float64) {
	each := func(used float64) time.Duration { return time.Duration(used / l.batches() * 1e9) }
	thread := max(0, l.backends-l.own)
	if syncs > 0 {
		s.Sync = min(fileSyncTime, time.Duration(thread/2/syncs*1e9)) // never more than half
	}
	s.Server = each(thread - syncs*s.Sync.Seconds())
	s.Client = min(each(l.generator), talkative*s.Server)
	runtime := max(0, l.generator-s.Client.Seconds()*l.batches())
	s.Background = max(0, l.server-l.backends) + l.own + max(0, l.plinth-l.emulators) + l.others + runtime
}
