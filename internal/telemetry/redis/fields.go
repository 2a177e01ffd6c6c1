package redis

import "plinth/internal/metric"

const (
	infoSource = "INFO"
	infoDoc    = "Redis, Commands, INFO"
)

// field is one number of INFO that is used as a column.
type field struct {
	metric.Metric
	name  string  // as INFO spells it
	scale float64 // converts the value to the metric's unit
	why   string  // why a server may lack it
}

// Factors from the server's units to those of the columns.
const (
	plain        = 1
	microseconds = 1e-6
	milliseconds = 1e-3
)

// Reasons why a server lacks a field.
const (
	noAOF   = "appendonly is no"
	since7  = "the server does not report it: requires Redis 7.0"
	since72 = "the server does not report it: requires Redis 7.2"
)

func of(name string, kind metric.Kind, unit string, scale float64, why, help string) field {
	return field{metric.Metric{Name: "info." + name, Kind: kind, Unit: unit, Source: infoSource, Doc: infoDoc, Help: help}, name, scale, why}
}

func gauge(name, unit, help string) field { return of(name, metric.Gauge, unit, plain, "", help) }
func rate(name, unit, help string) field  { return of(name, metric.Rate, unit, plain, "", help) }

func spent(name, why, help string) field {
	return of(name, metric.Rate, "s/s", plain, why, help)
}

func unless(why string, f field) field {
	f.why = why
	return f
}

// fields are in the order of the sections of INFO.
var fields = []field{
	gauge("connected_clients", "1", "Client connections, including plinth's own but not those of replicas."),
	gauge("blocked_clients", "1", "Clients waiting in a blocking command such as BLPOP."),

	gauge("used_memory", "bytes", "Memory allocated by the server."),
	gauge("used_memory_rss", "bytes", "Resident memory of the server, as the server last sampled it (ten times a second)."),
	gauge("used_memory_dataset", "bytes", "Memory of the data: used_memory minus the server's own overhead."),
	gauge("mem_fragmentation_ratio", "1", "used_memory_rss divided by used_memory."),
	gauge("mem_replication_backlog", "bytes", "Memory of the replication backlog."),
	gauge("mem_aof_buffer", "bytes", "Memory of the buffer for data not yet written to the append-only file."),
	gauge("mem_clients_normal", "bytes", "Memory of client buffers."),
	gauge("mem_clients_slaves", "bytes", "Memory of replica buffers; shared with the backlog from Redis 7.0 on."),

	gauge("loading", "1", "1 while a dataset is loaded from a file."),
	gauge("rdb_changes_since_last_save", "1", "Changes not yet saved in an RDB file: without an append-only file, a crash would lose them."),
	unless(since7, rate("rdb_saves", "1/s", "RDB saves started.")),
	gauge("rdb_last_cow_size", "bytes", "Memory copied during the last RDB save because it was modified (copy-on-write)."),
	gauge("aof_last_cow_size", "bytes", "Memory copied during the last rewrite of the append-only file because it was modified (copy-on-write)."),
	unless(since7, rate("aof_rewrites", "1/s", "Rewrites of the append-only file started.")),
	unless(noAOF, gauge("aof_current_size", "bytes", "Size of the append-only file: its base plus all data appended since. A rewrite shrinks it.")),
	unless(noAOF, gauge("aof_base_size", "bytes", "Size of the append-only file after its last rewrite, or when the server started.")),
	unless(noAOF, rate("aof_delayed_fsync", "1/s", "Writes to the append-only file that the server made although the previous fsync was still running: with appendfsync everysec, after waiting 2 s. They show that the disk is too slow.")),

	rate("total_connections_received", "1/s", "Connections accepted."),
	rate("total_commands_processed", "1/s", "Commands processed, including plinth's own and those of replication."),
	rate("total_net_input_bytes", "bytes/s", "Bytes received from clients."),
	rate("total_net_output_bytes", "bytes/s", "Bytes sent to clients and to replicas."),
	unless(since7, rate("total_net_repl_input_bytes", "bytes/s", "Bytes of replication received from the primary.")),
	unless(since7, rate("total_net_repl_output_bytes", "bytes/s", "Bytes of replication sent to replicas.")),
	rate("rejected_connections", "1/s", "Connections rejected because of maxclients."),
	rate("sync_full", "1/s", "Full resyncs with replicas: each transfers an RDB file of all data."),
	rate("sync_partial_ok", "1/s", "Partial resyncs accepted: a replica reconnected and continued from the backlog."),
	rate("sync_partial_err", "1/s", "Partial resyncs denied: a replica reconnected, but the backlog did not reach back far enough."),
	rate("expired_keys", "1/s", "Keys removed because they expired."),
	rate("evicted_keys", "1/s", "Keys evicted because of maxmemory: their data is lost."),
	rate("keyspace_hits", "1/s", "Key lookups that found the key."),
	rate("keyspace_misses", "1/s", "Key lookups that did not find the key."),
	of("latest_fork_usec", metric.Gauge, "s", microseconds, "", "Duration of the last fork, which blocks the server."),
	rate("total_forks", "1/s", "Forks for RDB saves, rewrites and full resyncs; from Redis 6.2 on."),
	rate("total_error_replies", "1/s", "Error replies; from Redis 6.2 on."),
	rate("total_reads_processed", "1/s", "Reads from connections."),
	rate("total_writes_processed", "1/s", "Writes to connections."),
	unless(since72, rate("eventloop_cycles", "1/s", "Event loop cycles.")),
	of("eventloop_duration_sum", metric.Rate, "s/s", microseconds, since72, "Time that the event loop was busy, including waits for disks: at 1, the server is saturated."),
	of("eventloop_duration_cmd_sum", metric.Rate, "s/s", microseconds, since72, "Part of the event loop's busy time that was spent executing commands."),
	of("instantaneous_eventloop_duration_usec", metric.Gauge, "s", microseconds, since72, "Recent mean duration of an event loop cycle."),
	of("instantaneous_eventloop_cycles_per_sec", metric.Gauge, "1/s", plain, since72, "Recent rate of event loop cycles."),

	gauge("connected_slaves", "1", "Connected replicas."),
	rate("master_repl_offset", "bytes/s", "Bytes added to the replication stream; zero before the first replica connects, but from 7.2 on, with an append-only file, one for each write."),
	gauge("repl_backlog_histlen", "bytes", "Bytes held in the replication backlog."),
	gauge("master_last_io_seconds_ago", "s", "On a replica: seconds since the last data from the primary; -1 without a link."),
	gauge("master_sync_in_progress", "1", "On a replica: 1 during a full sync from the primary."),

	spent("used_cpu_sys", "", "CPU time of the server in the kernel, over all threads."),
	spent("used_cpu_user", "", "CPU time of the server in user mode, over all threads."),
	spent("used_cpu_sys_children", "", "CPU time in the kernel of child processes for saves and rewrites, counted when each exits."),
	spent("used_cpu_user_children", "", "CPU time in user mode of child processes for saves and rewrites, counted when each exits."),
	spent("used_cpu_sys_main_thread", "the server does not report it: requires Redis 6.2 on Linux", "CPU time of the main thread in the kernel."),
	spent("used_cpu_user_main_thread", "the server does not report it: requires Redis 6.2 on Linux", "CPU time of the main thread in user mode. The main thread executes all commands."),
}

// Columns that may occur many times.
var (
	commandCalls = many("cmdstat_{command}.calls", metric.Rate, "1/s", "Calls of a command. Commands that were never called have no column, nor do those that plinth itself sends (INFO, CONFIG, LATENCY).")
	commandTime  = many("cmdstat_{command}.usec_per_call", metric.Ratio, "s", "Mean execution time of a call in the server, without queueing and network.")
	errorReplies = many("errorstat_{error}.count", metric.Rate, "1/s", "Error replies, by their prefix: MISCONF, OOM, READONLY; from Redis 6.2 on.")
	replicaBytes = many("slave{number}.offset_lag", metric.Gauge, "bytes", "Bytes of the replication stream that a replica has not acknowledged: master_repl_offset minus its offset. Replicas acknowledge once a second.")
	replicaTime  = many("slave{number}.lag", metric.Gauge, "s", "Seconds since the last acknowledgement from a replica; -1 before the first. Normally 0 or 1.")
	databaseKeys = many("db{number}.keys", metric.Gauge, "1", "Number of keys in a database.")
)

// commandPercentiles are those that a server reports by default.
var commandPercentiles = [3]struct {
	name string
	metric.Metric
}{{"p50", percentile("p50")}, {"p99", percentile("p99")}, {"p99.9", percentile("p99.9")}}

func percentile(name string) metric.Metric {
	return many("latency_percentiles_usec_{command}."+name, metric.Gauge, "s",
		"Percentile of the execution time, over all calls since the server started or since CONFIG RESETSTAT; 0 before the first call. From Redis 7.0 on.")
}

func many(name string, kind metric.Kind, unit, help string) metric.Metric {
	return metric.Metric{Name: "info." + name, Kind: kind, Unit: unit, Source: infoSource, Doc: infoDoc, Help: help}
}

var manyMetrics = []metric.Metric{
	commandCalls, commandTime, commandPercentiles[0].Metric, commandPercentiles[1].Metric, commandPercentiles[2].Metric, errorReplies, replicaBytes, replicaTime, databaseKeys,
}

// fieldAt maps names to indexes in fields.
var fieldAt = func() map[string]int {
	places := map[string]int{}
	for i, f := range fields {
		places[f.name] = i
	}
	return places
}()
