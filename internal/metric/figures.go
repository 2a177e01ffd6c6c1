package metric

// postgres lists the servers with PostgreSQL's statistics.
var postgres = []string{"PostgreSQL"}

var throughputFigures = []Figure{
	{Name: "tps-peak", Title: "peak TPS", Unit: "1/s", Better: Higher,
		Help: "TPS of the best second of the window."},
	{Name: "tps-peak-second", Title: "second of the peak TPS", Unit: "s", Moment: true,
		Help: "The first second that had it, from the start of the window."},
	{Name: "tps-lowest", Title: "lowest TPS", Unit: "1/s", Better: Higher,
		Help: "TPS of the worst second of the window."},
	{Name: "tps-lowest-second", Title: "second of the lowest TPS", Unit: "s", Moment: true,
		Help: "The first second that had it, from the start of the window."},
	{Name: "tps-drop", Title: "TPS drop", Unit: "1", Better: Lower, Share: true,
		Help: "The I/O cliff: one minus the median TPS after the change point over the median before it. " +
			"The change point is where two medians leave the least absolute deviations, of those after which TPS is lower, " +
			"with at least 5 seconds on each side (3 in a window of 8 seconds, which is the shortest). " +
			"0 where nothing drops: where two medians do not fit better than one by more than chance."},
	{Name: "tps-drop-second", Title: "second of the TPS drop", Unit: "s", Moment: true,
		Help: "The first second after the change point, from the start of the window."},
	{Name: "tps-variation", Title: "TPS variation", Unit: "1", Better: Lower, Share: true,
		Help: "Standard deviation of the seconds' TPS over their mean; it may exceed 100 %."},
}

var walFigures = only(postgres, []Figure{
	{Name: "commits-per-flush", Title: "commits a flush", Unit: "1",
		Help: "Transactions for each time that the server synced its WAL (xact_commit less plinth.transactions, over wal.syncs): how large group commits are. " +
			"It may be below 1: the WAL writer, the checkpointer and any backend that writes out a page sync WAL, too."},
	{Name: "wal-bytes-per-transaction", Title: "WAL a transaction", Unit: "bytes", Better: Lower,
		Help: "WAL that was written for each transaction of the load (wal.bytes over tps), full-page images and other work included."},
	{Name: "wal-write-latency", Title: "WAL write latency", Unit: "ns", Better: Lower,
		Help: "Mean time of a write of WAL, over all of them."},
	{Name: "wal-sync-latency", Title: "WAL sync latency", Unit: "ns", Better: Lower,
		Help: "Mean time of a sync of WAL, over all of them."},
	{Name: "wal-sync-latency-worst", Title: "worst WAL sync latency", Unit: "ns", Better: Lower,
		Help: "Mean time of a sync of WAL in the second where it was longest."},
	{Name: "wal-sync-latency-worst-second", Title: "second of the worst WAL sync latency", Unit: "s", Moment: true,
		Help: "The first second that had it, from the start of the window."},
})

var rowFigures = []Figure{
	{Name: "rows-read-share", Title: "rows read", Unit: "1", Share: true, Servers: postgres,
		Help: "Rows fetched, of all that were fetched, inserted, updated or deleted: the read to write ratio of the workload."},
	{Name: "disk-read-share", Title: "disk reads", Unit: "1", Share: true,
		Help: "Read requests, of all read and write requests of the data and WAL disks: the read to write ratio of the disks."},
}

var cacheFigures = []Figure{
	{Name: "cache-hit", Title: "cache hits", Unit: "1", Better: Higher, Share: true, Servers: postgres,
		Help: "Blocks found in shared buffers, of all blocks that the database asked for (pg_stat_database). What the kernel had cached counts as read."},
	{Name: "heap-hit", Title: "table hits", Unit: "1", Better: Higher, Share: true, Servers: postgres,
		Help: "The same for tables (pg_statio_user_tables)."},
	{Name: "index-hit", Title: "index hits", Unit: "1", Better: Higher, Share: true, Servers: postgres,
		Help: "The same for indexes (pg_statio_user_tables)."},
	{Name: "dataset-over-shared-buffers", Title: "dataset over shared_buffers", Unit: "1", Servers: postgres,
		Help: "Size of the dataset as loaded, tables and indexes, over shared_buffers."},
	{Name: "dataset-over-memory", Title: "dataset over memory", Unit: "1",
		Help: "Size of the dataset as loaded over the memory of the machine."},
}

var bufferFigures = only(postgres, []Figure{
	{Name: "buffers-backend-over-alloc", Title: "buffers_backend over buffers_alloc", Unit: "1", Better: Lower, Share: true,
		Help: "Pages that backends had to write themselves, for each buffer that was allocated; it may exceed 100 %."},
	{Name: "buffers-alloc", Title: "buffers_alloc", Unit: "1/s",
		Help: "Buffers a second that were allocated: each block that is read or added needs one."},
	{Name: "buffers-by-checkpointer", Title: "pages written by the checkpointer", Unit: "1", Share: true,
		Help: "Of all pages that checkpointer, background writer and backends wrote."},
	{Name: "buffers-by-bgwriter", Title: "pages written by the background writer", Unit: "1", Share: true,
		Help: "Of all pages that checkpointer, background writer and backends wrote."},
	{Name: "buffers-by-backend", Title: "pages written by backends", Unit: "1", Better: Lower, Share: true,
		Help: "Of all pages that checkpointer, background writer and backends wrote."},
	{Name: "buffers-clean", Title: "buffers_clean", Unit: "1/s",
		Help: "Pages a second that the background writer wrote."},
	{Name: "buffers-clean-trend", Title: "buffers_clean at the end", Unit: "1", Share: true,
		Help: "Pages a second that the background writer wrote in the last third of the window, over those of the whole window: 100 % where it writes steadily, 0 where it stopped."},
	{Name: "checkpoints", Title: "checkpoints", Unit: "1", Better: Lower,
		Help: "Checkpoints that the server counted in the window."},
})

var memoryFigures = []Figure{
	{Name: "dirty-peak", Title: "peak Dirty", Unit: "bytes", Better: Lower,
		Help: "Most memory that waited to be written back to disks (Dirty of /proc/meminfo) at the end of a second."},
	{Name: "dirty-peak-second", Title: "second of the peak Dirty", Unit: "s", Moment: true,
		Help: "The first second that had it, from the start of the window."},
	{Name: "memory-use", Title: "memory in use", Unit: "1", Share: true,
		Help: "Memory that could not be had without swapping (MemTotal less MemAvailable), of all; mean of the seconds. The page cache can be had."},
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
		Help: "Client backends that were at work or waited in the midst of it, on average. " +
			"They may be fewer than clients: one whose statement has ended, and who waits for the client's next one in the middle of a transaction, is not active."},
	{Name: "wait.CPU", Title: "no wait (CPU)", Unit: "1", Share: true,
		Help: "Share of their time in which active client backends waited for nothing: they ran, or stood in line for a CPU."},
	{Name: Wait, Title: "waits", Unit: "1", Share: true,
		Help: "Share of their time that active client backends spent in this wait event, as pg_stat_activity spells type and event. " +
			"Below 0.1 % there is none, and comparisons take it as 0."},
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
		Help: "Share of the time of all CPUs in which they idled while I/O was under way."},
	{Name: "cpu-steal", Title: "steal", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time of all CPUs that the hypervisor gave to other machines."},
}

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
			Help: "Read and write requests that the " + of + " completed a second; of several disks the sum."},
		{Name: disk + "iops-peak", Title: of + " peak IOPS", Unit: "1/s",
			Help: "The most in one second."},
		{Name: disk + "bytes", Title: of + " throughput", Unit: "bytes/s",
			Help: "What was read from and written to the " + of + " a second; of several disks the sum."},
		{Name: disk + "bytes-peak", Title: of + " peak throughput", Unit: "bytes/s",
			Help: "The most in one second."},
		{Name: disk + "read-latency", Title: of + " read latency", Unit: "ns", Better: Lower,
			Help: "Mean time of a read request, in the queue and on the disk, over all of them."},
		{Name: disk + "write-latency", Title: of + " write latency", Unit: "ns", Better: Lower,
			Help: "Mean time of a write request, in the queue and on the disk, over all of them."},
		{Name: disk + "flush-latency", Title: of + " flush latency", Unit: "ns", Better: Lower,
			Help: "Mean time of a flush of the disk's write cache, over all of them."},
		{Name: disk + "utilisation", Title: of + " busy", Unit: "1", Share: true,
			Help: "Share of the time in which the " + of + " had a request in flight; of several disks the busiest one. A disk that serves many requests at once is not full at 100 %."},
		{Name: disk + "queue", Title: of + " queue", Unit: "1",
			Help: "Requests in the queue and on the disk, on average; of several disks the sum."},
	}
	return only(servers, figures)
}

// redis lists the servers that answer INFO.
var redis = []string{"Redis", "Valkey"}

var redisFigures = only(redis, []Figure{
	{Name: "aof-bytes", Title: "append-only file", Unit: "bytes/s",
		Help: "Bytes a second that were appended to the append-only file; what rewrites write is not in it."},
	{Name: "aof-bytes-per-write", Title: "append-only file a write", Unit: "bytes", Better: Lower,
		Help: "Bytes that were appended for each command that writes, of those that redis-benchmark's tests send (SET, INCR, LPUSH, ...)."},
	{Name: "aof-rewrites", Title: "rewrites of the append-only file", Unit: "1", Better: Lower,
		Help: "Rewrites that began in the window."},
	{Name: "aof-rewrite-time", Title: "time in rewrites", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time in which the append-only file was rewritten, of ten samples a second."},
	{Name: "aof-delayed-fsyncs", Title: "delayed fsyncs", Unit: "1", Better: Lower,
		Help: "How often the server appended without waiting for the sync before any longer (aof_delayed_fsync): with appendfsync everysec, after 2 s."},
	{Name: "aof-fsync-time", Title: "time with an fsync under way", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time in which a sync of the append-only file was under way in the background, or waited to be, of ten samples a second. With appendfsync always there is none: commands wait for it."},
	{Name: "rdb-saves", Title: "RDB saves", Unit: "1", Better: Lower,
		Help: "RDB saves that began in the window, those for replicas included."},
	{Name: "rdb-save-time", Title: "time in RDB saves", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time in which an RDB file was saved, of ten samples a second."},
	{Name: "fork-time-worst", Title: "longest fork", Unit: "ns", Better: Lower,
		Help: "Time of the longest fork in the window, of the last of each second: the server does nothing else meanwhile."},
	{Name: "fork-time-worst-second", Title: "second of the longest fork", Unit: "s", Moment: true,
		Help: "The first second that had it, from the start of the window."},
	{Name: "cow-peak", Title: "copy-on-write memory", Unit: "bytes", Better: Lower,
		Help: "Most memory that was copied for one save or rewrite, because it changed meanwhile."},
	{Name: "used-memory-peak", Title: "peak used_memory", Unit: "bytes", Better: Lower,
		Help: "Most memory that the server had allocated at the end of a second."},
	{Name: "rss-peak", Title: "peak used_memory_rss", Unit: "bytes", Better: Lower,
		Help: "Most memory that the server had from the kernel at the end of a second; not that of processes that save or rewrite."},
	{Name: "keyspace-hit", Title: "keys found", Unit: "1", Better: Higher, Share: true,
		Help: "Keys that were looked up and found, of all that were looked up (keyspace_hits, keyspace_misses)."},
	{Name: "evicted-keys", Title: "evicted keys", Unit: "1", Better: Lower,
		Help: "Keys that the server removed in the window for maxmemory."},
	{Name: "eventloop-busy", Title: "event loop at work", Unit: "1", Share: true,
		Help: "Share of the time in which the event loop was at work, waiting for disks included: near 100 % the server can do no more. From Redis 7.2 on."},
	{Name: "main-thread-cpu", Title: "CPU of the main thread", Unit: "1", Share: true,
		Help: "CPU time of the thread that executes all commands, over the time. From Redis 6.2 on, on Linux."},
})

// The lag of a server's replicas, for any engine. A server without replicas has none of these.
var replicaFigures = []Figure{
	{Name: "replication-lag", Title: "replication lag", Unit: "bytes", Better: Lower,
		Help: "Bytes of changes that the replica had not taken, on average over the ends of seconds; of several replicas that which was furthest behind. " +
			"Of PostgreSQL what was not replayed (replay_lag), of Redis what was not confirmed: replicas confirm once a second."},
	{Name: "replication-lag-worst", Title: "worst replication lag", Unit: "bytes", Better: Lower,
		Help: "The most at the end of a second."},
	{Name: "replication-lag-worst-second", Title: "second of the worst replication lag", Unit: "s", Moment: true,
		Help: "The first second that had it, from the start of the window."},
	{Name: "replication-delay-worst", Title: "longest silence of a replica", Unit: "ns", Better: Lower, Servers: redis,
		Help: "Time since a replica had last confirmed anything, at most, in whole seconds: 0 or 1 while all is well."},
}
