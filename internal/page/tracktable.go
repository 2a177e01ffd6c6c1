package page

// plan describes a track that a run may have: the columns it shows, and how. Column names are
// those of docs/metrics.md; a placeholder in braces matches several columns, and each becomes a
// series.
type plan struct {
	id, title, unit string
	stack, log      bool
	// worst shows the maximum of several seconds, for percentiles and maxima, which cannot be averaged.
	worst bool
	// rare omits the track if all of its values are zero.
	rare bool
	// known is a column that has a value in each observed second: there, a gap in another column
	// means zero (columns of wait events begin when the event is first seen).
	known string
	lines []line
}

// line is a series of a plan, or several: one for each column that matches its placeholder.
type line struct {
	name   string // "{}" is replaced by the text that matches the placeholder
	column string
	scale  float64 // the column's value times this is in the track's unit
	rare   bool    // omitted if it is zero throughout
}

// Factors from the units of columns to those of tracks.
const (
	one        = 1.0
	percent    = 100.0
	fromNS     = 1e-6 // to milliseconds
	fromSecond = 1e3  // to milliseconds
	toMiB      = 1.0 / (1 << 20)
)

// disk is the placeholder for each device that holds the data or the WAL, in ids, titles and
// columns.
const disk = "{disk}"

// plans lists all tracks, in the order in which a page shows them.
var plans = []plan{
	{id: "tps", title: "Throughput", unit: "1/s", lines: []line{
		{"TPS", "tps", one, false},
		{"failures", "failures", one, true},
		{"retries", "retries", one, true},
		{"skipped", "skipped", one, true},
		{"late", "late", one, true},
	}},
	{id: "tps-scripts", title: "Throughput by script", unit: "1/s", stack: true, lines: []line{
		{"{}", "script.{script}.tps", one, false},
	}},
	{id: "latency", title: "Latency", unit: "ms", log: true, worst: true, lines: []line{
		{"p50", "latency_p50_ns", fromNS, false},
		{"p95", "latency_p95_ns", fromNS, false},
		{"p99", "latency_p99_ns", fromNS, false},
		{"max", "latency_max_ns", fromNS, false},
	}},
	{id: "latency-scripts", title: "p99 latency by script", unit: "ms", log: true, worst: true, lines: []line{
		{"{}", "script.{script}.latency_p99_ns", fromNS, false},
	}},
	{id: "lag", title: "Behind schedule", unit: "ms", worst: true, rare: true, lines: []line{
		{"mean", "schedule_lag_mean_ns", fromNS, false},
		{"max", "schedule_lag_max_ns", fromNS, false},
	}},
	{id: "dirty", title: "Page cache: dirty and under write-back", unit: "MiB", lines: []line{
		{"Dirty", "meminfo.Dirty", toMiB, false},
		{"Writeback", "meminfo.Writeback", toMiB, false},
	}},
	{id: "disk-ops." + disk, title: "Disk {disk}: operations", unit: "1/s", lines: []line{
		{"reads", "diskstats.{disk}.reads", one, false},
		{"writes", "diskstats.{disk}.writes", one, false},
		{"flushes", "diskstats.{disk}.flushes", one, true},
		{"discards", "diskstats.{disk}.discards", one, true},
	}},
	{id: "disk-bytes." + disk, title: "Disk {disk}: throughput", unit: "MiB/s", lines: []line{
		{"read", "diskstats.{disk}.read_bytes", toMiB, false},
		{"written", "diskstats.{disk}.write_bytes", toMiB, false},
	}},
	{id: "disk-latency." + disk, title: "Disk {disk}: mean latency", unit: "ms", log: true, lines: []line{
		{"read", "diskstats.{disk}.read_latency", fromSecond, false},
		{"write", "diskstats.{disk}.write_latency", fromSecond, false},
		{"flush", "diskstats.{disk}.flush_latency", fromSecond, false},
	}},
	{id: "disk-queue." + disk, title: "Disk {disk}: requests in flight", unit: "requests", lines: []line{
		{"mean", "diskstats.{disk}.queue", one, false},
	}},
	{id: "disk-busy." + disk, title: "Disk {disk}: busy", unit: "%", lines: []line{
		{"busy", "diskstats.{disk}.utilisation", percent, false},
	}},
	{id: "emulated-queue", title: "Emulated devices: operations in progress", unit: "operations", lines: []line{
		{"{}", "emulator.{volume}.queue", one, false},
	}},
	{id: "emulated-used", title: "Emulated devices: use of sustained limits", unit: "%", lines: []line{
		{"{} IOPS", "emulator.{volume}.iops_used", percent, false},
		{"{} throughput", "emulator.{volume}.throughput_used", percent, false},
	}},
	{id: "emulated-balance", title: "Emulated devices: burst balance", unit: "%", lines: []line{
		{"{} IOPS", "emulator.{volume}.iops_balance", percent, false},
		{"{} throughput", "emulator.{volume}.throughput_balance", percent, false},
	}},
	{id: "credits", title: "CPU credits", unit: "credits", lines: []line{
		{"balance", "credits.balance", one, false},
		{"spent in advance", "credits.surplus", one, true},
	}},
	{id: "credits-cpus", title: "CPUs that the credits allow", unit: "CPUs", lines: []line{
		{"allowed", "credits.cpus", one, false},
	}},
	{id: "emulated-late", title: "Emulated devices: behind the model", unit: "ms", lines: []line{
		{"{}", "emulator.{volume}.late", fromSecond, false},
	}},
	{id: "emulated-longest", title: "Emulated devices: longest operation", unit: "ms", log: true, worst: true, lines: []line{
		{"{} read", "emulator.{volume}.read_latency_max", fromSecond, false},
		{"{} write", "emulator.{volume}.write_latency_max", fromSecond, false},
		{"{} flush", "emulator.{volume}.flush_latency_max", fromSecond, false},
	}},
	{id: "emulated-cpu", title: "Emulated devices: CPU of the emulator", unit: "cores", stack: true, lines: []line{
		{"{}", "emulator.{volume}.cpu", one, false},
	}},
	{id: "wal", title: "WAL", unit: "MiB/s", lines: []line{
		{"WAL", "wal.bytes", toMiB, false},
	}},
	{id: "wal-records", title: "WAL: records and page images", unit: "1/s", lines: []line{
		{"records", "wal.records", one, false},
		{"page images", "wal.fpi", one, false},
	}},
	{id: "wal-ops", title: "WAL: writes and syncs", unit: "1/s", lines: []line{
		{"writes", "wal.writes", one, false},
		{"syncs", "wal.syncs", one, false},
		{"buffers full", "wal.buffers_full", one, true},
	}},
	{id: "wal-latency", title: "WAL: mean latency", unit: "ms", log: true, lines: []line{
		{"write", "wal.write_latency", fromSecond, false},
		{"sync", "wal.sync_latency", fromSecond, false},
	}},
	{id: "aof", title: "Append-only file", unit: "MiB/s", lines: []line{
		{"appended", "persistence.aof_bytes", toMiB, false},
	}},
	{id: "aof-size", title: "Append-only file: size", unit: "MiB", rare: true, lines: []line{
		{"file", "info.aof_current_size", toMiB, false},
		{"waiting to be written, maximum", "persistence.aof_buffer_length", toMiB, true},
	}},
	{id: "persistence", title: "Persistence: share of the time", unit: "%", rare: true, lines: []line{
		{"AOF rewrite", "persistence.aof_rewrite_in_progress", percent, true},
		{"RDB save", "persistence.rdb_bgsave_in_progress", percent, true},
		{"fsync under way", "persistence.aof_pending_bio_fsync", percent, true},
	}},
	{id: "delayed", title: "Delayed fsyncs", unit: "1/s", rare: true, lines: []line{
		{"delayed", "info.aof_delayed_fsync", one, false},
	}},
	{id: "cow", title: "Copy-on-write memory", unit: "MiB", rare: true, lines: []line{
		{"copied, maximum", "persistence.cow_bytes", toMiB, false},
	}},
	{id: "fork", title: "Last fork", unit: "ms", rare: true, lines: []line{
		{"time", "info.latest_fork_usec", fromSecond, false},
	}},
	{id: "eventloop", title: "Event loop and main thread", unit: "%", lines: []line{
		{"event loop busy", "info.eventloop_duration_sum", percent, false},
		{"main thread, user mode", "info.used_cpu_user_main_thread", percent, false},
		{"main thread, kernel", "info.used_cpu_sys_main_thread", percent, false},
	}},
	{id: "commands", title: "Commands", unit: "1/s", stack: true, lines: []line{
		{"{}", "info.cmdstat_{command}.calls", one, false},
	}},
	{id: "command-time", title: "Commands: mean time in the server", unit: "ms", log: true, lines: []line{
		{"{}", "info.cmdstat_{command}.usec_per_call", fromSecond, false},
	}},
	{id: "latency-events", title: "Latency monitor", unit: "ms", worst: true, rare: true, lines: []line{
		{"{}", "latency.{event}", fromSecond, true},
	}},
	{id: "keyspace", title: "Key lookups", unit: "1/s", stack: true, rare: true, lines: []line{
		{"found", "info.keyspace_hits", one, false},
		{"not found", "info.keyspace_misses", one, false},
	}},
	{id: "evicted", title: "Keys removed by the server", unit: "1/s", rare: true, lines: []line{
		{"evicted for maxmemory", "info.evicted_keys", one, true},
		{"expired", "info.expired_keys", one, true},
	}},
	{id: "redis-memory", title: "Memory of the server", unit: "MiB", lines: []line{
		{"used_memory", "info.used_memory", toMiB, false},
		{"used_memory_rss", "info.used_memory_rss", toMiB, false},
	}},
	{id: "redis-network", title: "Traffic of clients and replicas", unit: "MiB/s", lines: []line{
		{"from clients", "info.total_net_input_bytes", toMiB, false},
		{"to clients", "info.total_net_output_bytes", toMiB, false},
		{"from the primary", "info.total_net_repl_input_bytes", toMiB, true},
		{"to replicas", "info.total_net_repl_output_bytes", toMiB, true},
	}},
	{id: "children", title: "CPU of saves and rewrites, counted when each ends", unit: "cores", stack: true, rare: true, lines: []line{
		{"user mode", "info.used_cpu_user_children", one, false},
		{"kernel", "info.used_cpu_sys_children", one, false},
	}},
	{id: "clients", title: "Clients of the server", unit: "clients", lines: []line{
		{"connected", "info.connected_clients", one, false},
		{"blocked", "info.blocked_clients", one, true},
	}},
	{id: "errors", title: "Error replies", unit: "1/s", rare: true, stack: true, lines: []line{
		{"{}", "info.errorstat_{error}.count", one, true},
	}},
	{id: "buffers", title: "Buffers written, by process", unit: "1/s", stack: true, lines: []line{
		{"checkpointer", "buffers_written.checkpointer", one, false},
		{"background writer", "buffers_written.bgwriter", one, false},
		{"backends", "buffers_written.backend", one, false},
	}},
	{id: "wait", title: "Active sessions by wait event", unit: "sessions", stack: true, known: "wait.active", lines: []line{
		{"on CPU or waiting for one", "wait.CPU", one, false},
		{"{}", "wait.{type}.{event}", one, false},
	}},
	{id: "sessions", title: "Client sessions", unit: "sessions", stack: true, lines: []line{
		{"{}", "sessions.{state}", one, false},
	}},
	{id: "cpu", title: "CPU by mode", unit: "cores", stack: true, lines: []line{
		{"user", "stat.cpu.user", one, false},
		{"system", "stat.cpu.system", one, false},
		{"nice", "stat.cpu.nice", one, true},
		{"irq", "stat.cpu.irq", one, true},
		{"softirq", "stat.cpu.softirq", one, true},
		{"iowait", "stat.cpu.iowait", one, false},
		{"steal", "stat.cpu.steal", one, true},
	}},
	{id: "cpu-owner", title: "CPU by owner", unit: "cores", stack: true, lines: []line{
		{"server", "process.server.cpu", one, false},
		{"load generator", "process.generator.cpu", one, false},
		{"plinth", "process.plinth.cpu", one, false},
		{"{}", "process.{owner}.cpu", one, true},
		{"others", "process.others.cpu", one, false},
	}},
	{id: "run-queue", title: "Run queue", unit: "threads", lines: []line{
		{"running or ready", "stat.procs_running", one, false},
		{"blocked on a disk", "stat.procs_blocked", one, false},
	}},
	{id: "cpu-wait", title: "Waiting for a CPU", unit: "threads", rare: true, lines: []line{
		{"waiting", "schedstat.run_delay", one, false},
	}},
	{id: "pressure", title: "Pressure: time with some task waiting", unit: "%", rare: true, lines: []line{
		{"CPU", "pressure.cpu.some", percent, true},
		{"I/O", "pressure.io.some", percent, true},
		{"memory", "pressure.memory.some", percent, true},
	}},
	{id: "memory", title: "Memory", unit: "MiB", lines: []line{
		{"available", "meminfo.MemAvailable", toMiB, false},
		{"page cache", "meminfo.Cached", toMiB, false},
		{"programs", "meminfo.AnonPages", toMiB, false},
	}},
	{id: "swap", title: "Swapping", unit: "pages/s", rare: true, lines: []line{
		{"in", "vmstat.pswpin", one, false},
		{"out", "vmstat.pswpout", one, false},
	}},
	{id: "throttled", title: "Throttled by the CPU quota", unit: "cores", rare: true, lines: []line{
		{"throttled", "cgroup.cpu.throttled", one, false},
	}},
	{id: "network", title: "Network", unit: "MiB/s", rare: true, lines: []line{
		{"{} in", "netdev.{interface}.rx_bytes", toMiB, true},
		{"{} out", "netdev.{interface}.tx_bytes", toMiB, true},
	}},
	{id: "temp", title: "Temporary files", unit: "MiB/s", rare: true, lines: []line{
		{"written", "pg_stat_database.temp_bytes", toMiB, false},
	}},
	{id: "locks", title: "Lock waits", unit: "locks", rare: true, lines: []line{
		{"waiting", "pg_locks.waiting", one, false},
	}},
	{id: "autovacuum", title: "Autovacuum", unit: "workers", rare: true, lines: []line{
		{"workers", "autovacuum.workers", one, false},
	}},
	{id: "replica-silence", title: "Replicas: time since the last acknowledgement", unit: "ms", worst: true, rare: true, lines: []line{
		{"replica {}", "info.slave{number}.lag", fromSecond, false},
	}},
	{id: "replication", title: "Replication lag", unit: "MiB", rare: true, lines: []line{
		{"{} flush", "replication.{standby}.flush_lag", toMiB, false},
		{"{} replay", "replication.{standby}.replay_lag", toMiB, false},
		{"replica {}", "info.slave{number}.offset_lag", toMiB, false},
	}},
}
