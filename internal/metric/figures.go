package metric

// postgres lists the servers with PostgreSQL's statistics.
var postgres = []string{"PostgreSQL"}

var throughputFigures = []Figure{
	{Name: "tps-peak", Title: "peak TPS", Unit: "1/s", Better: Higher,
		Help: "TPS of the best second of the window."},
	{Name: "tps-peak-second", Title: "second of the peak TPS", Unit: "s", Moment: true,
		Help: "The first second with this value, counted from the start of the window."},
	{Name: "tps-lowest", Title: "lowest TPS", Unit: "1/s", Better: Higher,
		Help: "TPS of the worst second of the window."},
	{Name: "tps-lowest-second", Title: "second of the lowest TPS", Unit: "s", Moment: true,
		Help: "The first second with this value, counted from the start of the window."},
	{Name: "tps-drop", Title: "TPS drop", Unit: "1", Better: Lower, Share: true,
		Help: "The I/O cliff: one minus the ratio of the median TPS after the change point to the median before it. " +
			"The change point is chosen so that the sum of the absolute deviations from the two medians is smallest. TPS must be lower after it, " +
			"and each side must have at least 5 seconds (3 in a window of 8 seconds, the shortest possible). " +
			"0 if TPS does not drop, that is, if two medians do not fit significantly better than one median."},
	{Name: "tps-drop-second", Title: "second of the TPS drop", Unit: "s", Moment: true,
		Help: "The first second after the change point, counted from the start of the window."},
	{Name: "tps-variation", Title: "TPS variation", Unit: "1", Better: Lower, Share: true,
		Help: "Standard deviation of TPS over the seconds of the window, divided by the mean; may exceed 100 %."},
}

var walFigures = only(postgres, []Figure{
	{Name: "commit-latency", Title: "COMMIT latency", Unit: "ns", Better: Lower,
		Help: "Mean latency of COMMIT (END in pgbench's built-in scripts), as the client measures it, over the whole run including the warm-up."},
	{Name: "commits-per-flush", Title: "commits per flush", Unit: "1",
		Help: "Transactions per sync of the WAL (xact_commit minus plinth.transactions, over wal.syncs): how large group commits are. " +
			"May be below 1: the WAL writer, the checkpointer and backends that write out pages also sync the WAL."},
	{Name: "wal-bytes-per-transaction", Title: "WAL per transaction", Unit: "bytes", Better: Lower,
		Help: "WAL generated per transaction of the load (wal.bytes over tps), including full-page images and the WAL of other activity."},
	{Name: "wal-write-latency", Title: "WAL write latency", Unit: "ns", Better: Lower,
		Help: "Mean time of a WAL write, over all writes."},
	{Name: "wal-sync-latency", Title: "WAL sync latency", Unit: "ns", Better: Lower,
		Help: "Mean time of a WAL sync, over all syncs."},
	{Name: "wal-sync-latency-worst", Title: "worst WAL sync latency", Unit: "ns", Better: Lower,
		Help: "Mean time of a WAL sync in the second in which it was longest."},
	{Name: "wal-sync-latency-worst-second", Title: "second of the worst WAL sync latency", Unit: "s", Moment: true,
		Help: "The first second with this value, counted from the start of the window."},
	{Name: "wal-sync-time", Title: "time in WAL syncs", Unit: "ns",
		Help: "Total time of all WAL syncs in the window (wal_sync_time of pg_stat_wal, from PostgreSQL 18 on fsync_time of pg_stat_io). " +
			"Only with track_wal_io_timing, from PostgreSQL 14 on, and if every second of the window is known."},
})

var rowFigures = []Figure{
	{Name: "rows-read-share", Title: "rows read", Unit: "1", Share: true, Servers: postgres,
		Help: "Rows fetched, as a share of all rows fetched, inserted, updated or deleted: how read-heavy the workload is."},
	{Name: "disk-read-share", Title: "disk reads", Unit: "1", Share: true,
		Help: "Read requests, as a share of all read and write requests of the data and WAL disks."},
}

var cacheFigures = []Figure{
	{Name: "cache-hit", Title: "cache hits", Unit: "1", Better: Higher, Share: true, Servers: postgres,
		Help: "Blocks found in shared buffers, as a share of all blocks that the database requested (pg_stat_database). A block read from the kernel's page cache counts as a miss."},
	{Name: "heap-hit", Title: "table hits", Unit: "1", Better: Higher, Share: true, Servers: postgres,
		Help: "Like cache-hit, for tables only (pg_statio_user_tables)."},
	{Name: "index-hit", Title: "index hits", Unit: "1", Better: Higher, Share: true, Servers: postgres,
		Help: "Like cache-hit, for indexes only (pg_statio_user_tables)."},
	{Name: "dataset-over-shared-buffers", Title: "dataset over shared_buffers", Unit: "1", Servers: postgres,
		Help: "Size of the dataset as loaded (tables and indexes), divided by shared_buffers."},
	{Name: "dataset-over-memory", Title: "dataset over memory", Unit: "1",
		Help: "Size of the dataset as loaded, divided by the memory of the machine."},
}

var bufferFigures = only(postgres, []Figure{
	{Name: "buffers-backend-over-alloc", Title: "buffers_backend over buffers_alloc", Unit: "1", Better: Lower, Share: true,
		Help: "Pages that backends had to write themselves, per allocated buffer; may exceed 100 %."},
	{Name: "buffers-alloc", Title: "buffers_alloc", Unit: "1/s",
		Help: "Buffers allocated per second: each block that is read or added needs one."},
	{Name: "buffers-by-checkpointer", Title: "pages written by the checkpointer", Unit: "1", Share: true,
		Help: "Share of all pages that the checkpointer, the background writer and backends wrote."},
	{Name: "buffers-by-bgwriter", Title: "pages written by the background writer", Unit: "1", Share: true,
		Help: "Share of all pages that the checkpointer, the background writer and backends wrote."},
	{Name: "buffers-by-backend", Title: "pages written by backends", Unit: "1", Better: Lower, Share: true,
		Help: "Share of all pages that the checkpointer, the background writer and backends wrote."},
	{Name: "buffers-clean", Title: "buffers_clean", Unit: "1/s",
		Help: "Pages per second that the background writer wrote."},
	{Name: "buffers-clean-trend", Title: "buffers_clean at the end", Unit: "1", Share: true,
		Help: "Pages per second that the background writer wrote in the last third of the window, divided by the rate over the whole window: 100 % if it wrote steadily, 0 if it stopped."},
	{Name: "checkpoints", Title: "checkpoints", Unit: "1", Better: Lower,
		Help: "Checkpoints that the server counted in the window."},
	{Name: "checkpoint-sync-max", Title: "longest file sync of a checkpoint", Unit: "ns", Better: Lower,
		Help: "Longest sync of a single file by a checkpoint that completed in the window, to the millisecond, from the server's log (log_checkpoints). " +
			"Only for servers that plinth starts."},
})

var memoryFigures = []Figure{
	{Name: "dirty-peak", Title: "peak Dirty", Unit: "bytes", Better: Lower,
		Help: "Maximum memory waiting for write-back (Dirty in /proc/meminfo), at the end of a second."},
	{Name: "dirty-peak-second", Title: "second of the peak Dirty", Unit: "s", Moment: true,
		Help: "The first second with this value, counted from the start of the window."},
	{Name: "memory-use", Title: "memory in use", Unit: "1", Share: true,
		Help: "Share of the memory that was not available without swapping (MemTotal minus MemAvailable); mean over the seconds. The page cache counts as available."},
}

var pressureFigures = []Figure{
	{Name: "cpu-pressure", Title: "CPU pressure", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time in which some task waited for a CPU (PSI, some)."},
	{Name: "io-pressure", Title: "I/O pressure", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time in which some task waited for I/O (PSI, some)."},
	{Name: "memory-pressure", Title: "memory pressure", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time in which some task waited for memory (PSI, some)."},
}

var waitFigures = only(postgres, []Figure{
	{Name: "active-sessions", Title: "active sessions", Unit: "1",
		Help: "Mean number of client backends that were executing a statement, whether running or waiting. " +
			"It may be lower than the number of clients: a backend that waits for its client's next statement, even within a transaction, is not active."},
	{Name: "wait.CPU", Title: "no wait (CPU)", Unit: "1", Share: true,
		Help: "Share of the time of active client backends in which they were in no wait event: they ran on a CPU, or waited for one."},
	{Name: Wait, Title: "waits", Unit: "1", Share: true,
		Help: "Share of the time of active client backends that they spent in this wait event; type and event are those of pg_stat_activity. " +
			"A share below 0.1 % is omitted, and comparisons treat it as 0."},
})

// The CPU time of a machine divides into owners, steal, iowait and idle time.
var cpuFigures = []Figure{
	{Name: "cpu-use", Title: "CPU use", Unit: "1", Share: true,
		Help: "Share of the time of all CPUs in which they ran processes of this machine: neither idle, nor waiting for I/O, nor stolen."},
	{Name: "cpu-by-server", Title: "CPU use by the server", Unit: "1", Share: true,
		Help: "Share of the time of all CPUs that the server's processes used."},
	{Name: "cpu-by-generator", Title: "CPU use by the load generator", Unit: "1", Share: true,
		Help: "Share of the time of all CPUs that the load generator used."},
	{Name: "cpu-by-plinth", Title: "CPU use by plinth", Unit: "1", Share: true,
		Help: "Share of the time of all CPUs that plinth itself used, its telemetry included."},
	{Name: "cpu-by-others", Title: "CPU use by others", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time of all CPUs that anything else on the machine used, kernel threads included."},
	{Name: "cpu-iowait", Title: "iowait", Unit: "1", Share: true,
		Help: "Share of the time of all CPUs in which they were idle while I/O was in progress."},
	{Name: "cpu-steal", Title: "steal", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time of all CPUs that the hypervisor gave to other virtual machines."},
}

// processorFigures are those of events that the processor counts.
var processorFigures = []Figure{
	{Name: "cycles-per-transaction", Title: "cycles per transaction", Unit: "1", Better: Lower,
		Help: "CPU cycles per transaction (perf.cycles over tps)" + wholeMachine},
	{Name: "instructions-per-transaction", Title: "instructions per transaction", Unit: "1", Better: Lower,
		Help: "Retired instructions per transaction (perf.instructions over tps)" + wholeMachine},
	{Name: "instructions-per-cycle", Title: "instructions per cycle", Unit: "1",
		Help: "Retired instructions per CPU cycle. More is not always better: waiting in a loop (a spinlock) executes many instructions per cycle."},
	{Name: "dtlb-misses-per-transaction", Title: "dTLB load misses per transaction", Unit: "1", Better: Lower,
		Help: "Loads whose address was in no data TLB, per transaction (perf.dTLB-load-misses over tps): fewer with huge pages" + wholeMachine},
	{Name: "llc-misses-per-transaction", Title: "LLC load misses per transaction", Unit: "1", Better: Lower,
		Help: "Loads that missed the last-level cache, per transaction (perf.LLC-load-misses over tps)" + wholeMachine},
	{Name: "remote-numa-share", Title: "remote NUMA loads", Unit: "1", Better: Lower, Share: true,
		Help: "Loads from the memory of other NUMA nodes, as a share of all loads from memory: perf.node-load-misses over perf.node-loads plus perf.node-load-misses. " +
			"On Intel's processors before Haswell, perf.node-loads includes the misses, and the share is too low, by up to half."},
}

// wholeMachine is the end of the help text of figures per transaction.
const wholeMachine = ". All processes of the machine count, such as the load generator."

// diskFigures returns the figures of the disks of one role: "data" or "wal". If WAL is with the
// data, both describe the same disks, so that a comparison with WAL on its own disks has two
// sides.
func diskFigures(role string) []Figure {
	disk, of, servers := role+"-disk-", "data disk", []string(nil)
	if role == "wal" {
		of, servers = "WAL disk", postgres
	}
	figures := []Figure{
		{Name: disk + "iops", Title: of + " IOPS", Unit: "1/s",
			Help: "Read and write requests that the " + of + " completed per second; for several disks, their sum."},
		{Name: disk + "iops-peak", Title: of + " peak IOPS", Unit: "1/s",
			Help: "Maximum IOPS of the " + of + " in one second."},
		{Name: disk + "reads", Title: of + " reads", Unit: "1/s",
			Help: "Read requests that the " + of + " completed per second; for several disks, their sum."},
		{Name: disk + "writes", Title: of + " writes", Unit: "1/s",
			Help: "Write requests that the " + of + " completed per second; for several disks, their sum."},
		{Name: disk + "iops-use", Title: of + " IOPS, share of the limit", Unit: "1", Share: true,
			Help: "IOPS as a share of the sustained limit of the " + of + ", without bursts; for several disks, the highest share. The limit is known if the disk is emulated, or if the volume's is: key gives its model."},
		{Name: disk + "bytes", Title: of + " throughput", Unit: "bytes/s",
			Help: "Bytes read from and written to the " + of + " per second; for several disks, their sum."},
		{Name: disk + "bytes-peak", Title: of + " peak throughput", Unit: "bytes/s",
			Help: "Maximum throughput of the " + of + " in one second."},
		{Name: disk + "throughput-use", Title: of + " throughput, share of the limit", Unit: "1", Share: true,
			Help: "Throughput as a share of the sustained limit of the " + of + ", without bursts; for several disks, the highest share. The limit is known if the disk is emulated, or if the volume's is: key gives its model."},
		{Name: disk + "read-latency", Title: of + " read latency", Unit: "ns", Better: Lower,
			Help: "Mean time of a read request, in the queue and on the disk, over all read requests."},
		{Name: disk + "write-latency", Title: of + " write latency", Unit: "ns", Better: Lower,
			Help: "Mean time of a write request, in the queue and on the disk, over all write requests."},
		{Name: disk + "flush-latency", Title: of + " flush latency", Unit: "ns", Better: Lower,
			Help: "Mean time of a flush of the disk's write cache, over all flushes."},
		{Name: disk + "read-latency-max", Title: of + " longest read", Unit: "ns", Better: Lower, Help: longestHelp("read", of)},
		{Name: disk + "write-latency-max", Title: of + " longest write", Unit: "ns", Better: Lower, Help: longestHelp("write", of)},
		{Name: disk + "flush-latency-max", Title: of + " longest flush", Unit: "ns", Better: Lower, Help: longestHelp("flush", of)},
		{Name: disk + "utilisation", Title: of + " busy", Unit: "1", Share: true,
			Help: "Share of the time in which the " + of + " had a request in flight; for several disks, the busiest one. A disk that serves many requests at once is not saturated at 100 %."},
		{Name: disk + "queue", Title: of + " queue", Unit: "1",
			Help: "Mean number of requests in the queue and on the disk; for several disks, their sum."},
	}
	return only(servers, figures)
}

func longestHelp(kind, disk string) string {
	return "Longest single " + kind + " in the window, if the " + disk + " is emulated, from its arrival at the device to its answer, plus the calibrated cost of the path. " +
		"Time in the kernel's queue above the device is not included, so the mean latency, which includes it, may be higher. For an array, the longest of any member."
}

// redis lists the servers that answer INFO.
var redis = []string{"Redis", "Valkey"}

var redisFigures = only(redis, []Figure{
	{Name: "aof-bytes", Title: "append-only file", Unit: "bytes/s",
		Help: "Bytes appended to the append-only file per second, not counting those that rewrites write."},
	{Name: "aof-bytes-per-write", Title: "append-only file per write", Unit: "bytes", Better: Lower,
		Help: "Bytes appended per write command, counting the commands that redis-benchmark's tests send (SET, INCR, LPUSH, ...)."},
	{Name: "aof-rewrites", Title: "rewrites of the append-only file", Unit: "1", Better: Lower,
		Help: "Rewrites that began in the window."},
	{Name: "aof-rewrite-time", Title: "time in rewrites", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time in which the append-only file was being rewritten, from ten samples a second."},
	{Name: "aof-delayed-fsyncs", Title: "delayed fsyncs", Unit: "1", Better: Lower,
		Help: "How often the server wrote to the append-only file although the previous sync was still running (aof_delayed_fsync): with appendfsync everysec, after waiting 2 s."},
	{Name: "aof-fsync-time", Title: "time with an fsync under way", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time in which a sync of the append-only file was running or queued in the background, from ten samples a second. With appendfsync always, the share is 0, because commands wait for the sync."},
	{Name: "rdb-saves", Title: "RDB saves", Unit: "1", Better: Lower,
		Help: "RDB saves that began in the window, including those for replicas."},
	{Name: "rdb-save-time", Title: "time in RDB saves", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time in which an RDB file was being saved, from ten samples a second."},
	{Name: "fork-time-worst", Title: "longest fork", Unit: "ns", Better: Lower,
		Help: "Duration of the longest fork in the window; of several forks in one second, only the last is seen. The server does nothing else during a fork."},
	{Name: "fork-time-worst-second", Title: "second of the longest fork", Unit: "s", Moment: true,
		Help: "The first second with this value, counted from the start of the window."},
	{Name: "cow-peak", Title: "copy-on-write memory", Unit: "bytes", Better: Lower,
		Help: "Maximum memory copied during one save or rewrite because it was modified."},
	{Name: "used-memory-peak", Title: "peak used_memory", Unit: "bytes", Better: Lower,
		Help: "Maximum memory that the server had allocated at the end of a second."},
	{Name: "rss-peak", Title: "peak used_memory_rss", Unit: "bytes", Better: Lower,
		Help: "Maximum resident memory of the server at the end of a second, without the child processes that save or rewrite."},
	{Name: "keyspace-hit", Title: "keys found", Unit: "1", Better: Higher, Share: true,
		Help: "Key lookups that found the key, as a share of all key lookups (keyspace_hits, keyspace_misses)."},
	{Name: "evicted-keys", Title: "evicted keys", Unit: "1", Better: Lower,
		Help: "Keys that the server evicted in the window to stay within maxmemory."},
	{Name: "eventloop-busy", Title: "event loop at work", Unit: "1", Share: true,
		Help: "Share of the time in which the event loop was busy, including waits for disks: near 100 %, the server is saturated. From Redis 7.2 on."},
	{Name: "main-thread-cpu", Title: "CPU of the main thread", Unit: "1", Share: true,
		Help: "CPU time of the thread that executes all commands, divided by the elapsed time. From Redis 6.2 on, on Linux."},
})

// The lag of a server's replicas, for any engine. A server without replicas has none of these.
var replicaFigures = []Figure{
	{Name: "replication-lag", Title: "replication lag", Unit: "bytes", Better: Lower,
		Help: "Mean number of bytes of changes that the replica had not applied at the end of a second; with several replicas, of the one furthest behind. " +
			"PostgreSQL: changes not replayed (replay_lag). Redis: changes not acknowledged; replicas acknowledge once a second."},
	{Name: "replication-lag-worst", Title: "worst replication lag", Unit: "bytes", Better: Lower,
		Help: "Maximum replication lag at the end of a second."},
	{Name: "replication-lag-worst-second", Title: "second of the worst replication lag", Unit: "s", Moment: true,
		Help: "The first second with this value, counted from the start of the window."},
	{Name: "replication-delay-worst", Title: "longest silence of a replica", Unit: "ns", Better: Lower, Servers: redis,
		Help: "Longest time since a replica last acknowledged anything, in whole seconds: 0 or 1 in normal operation."},
}
