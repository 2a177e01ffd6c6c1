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
	since7  = "the server does not tell it: it came with Redis 7.0"
	since72 = "the server does not tell it: it came with Redis 7.2"
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
	gauge("connected_clients", "1", "Connections of clients, plinth's own included; those of replicas are not."),
	gauge("blocked_clients", "1", "Clients that wait in a blocking command such as BLPOP."),

	gauge("used_memory", "bytes", "Memory that the server has allocated."),
	gauge("used_memory_rss", "bytes", "Memory that it has from the kernel, as it was last looked at (ten times a second)."),
	gauge("used_memory_dataset", "bytes", "Memory of the data: used_memory less what the server needs for itself."),
	gauge("mem_fragmentation_ratio", "1", "used_memory_rss over used_memory."),
	gauge("mem_replication_backlog", "bytes", "Memory of the replication backlog."),
	gauge("mem_aof_buffer", "bytes", "Memory of what is to be appended to the append-only file."),
	gauge("mem_clients_normal", "bytes", "Memory of the buffers of clients."),
	gauge("mem_clients_slaves", "bytes", "Memory of the buffers of replicas; shared with the backlog from Redis 7.0 on."),

	gauge("loading", "1", "1 while a dataset is loaded from a file."),
	gauge("rdb_changes_since_last_save", "1", "Changes that no RDB file has yet: what a loss of the server loses without an append-only file."),
	unless(since7, rate("rdb_saves", "1/s", "RDB files that were begun.")),
	gauge("rdb_last_cow_size", "bytes", "Memory that was copied in the last RDB save because it changed meanwhile."),
	gauge("aof_last_cow_size", "bytes", "Memory that was copied in the last rewrite of the append-only file because it changed meanwhile."),
	unless(since7, rate("aof_rewrites", "1/s", "Rewrites of the append-only file that were begun.")),
	unless(noAOF, gauge("aof_current_size", "bytes", "Size of the append-only file: of its base and all that was appended. A rewrite makes it small.")),
	unless(noAOF, gauge("aof_base_size", "bytes", "Its size when it was rewritten last, or at the start of the server.")),
	unless(noAOF, rate("aof_delayed_fsync", "1/s", "Appends that did not wait for the sync before any longer: with appendfsync everysec, after 2 s. The disk is too slow.")),

	rate("total_connections_received", "1/s", "Connections that were accepted."),
	rate("total_commands_processed", "1/s", "Commands that were processed, plinth's own and those of replication included."),
	rate("total_net_input_bytes", "bytes/s", "Bytes that came from clients."),
	rate("total_net_output_bytes", "bytes/s", "Bytes that went to clients; up to Redis 6.2 to replicas, too."),
	unless(since7, rate("total_net_repl_input_bytes", "bytes/s", "Bytes of replication that came from the primary.")),
	unless(since7, rate("total_net_repl_output_bytes", "bytes/s", "Bytes of replication that went to replicas.")),
	rate("rejected_connections", "1/s", "Connections that were refused for maxclients."),
	rate("sync_full", "1/s", "Full resyncs with replicas: each is an RDB file of all data."),
	rate("sync_partial_ok", "1/s", "Replicas that came back and went on from the backlog."),
	rate("sync_partial_err", "1/s", "Replicas that came back, and the backlog did not reach far enough."),
	rate("expired_keys", "1/s", "Keys that were removed because their time was over."),
	rate("evicted_keys", "1/s", "Keys that were removed for maxmemory: data that is gone."),
	rate("keyspace_hits", "1/s", "Keys that were looked up and found."),
	rate("keyspace_misses", "1/s", "Keys that were looked up and not found."),
	of("latest_fork_usec", metric.Gauge, "s", microseconds, "", "Time of the last fork: nothing else is done meanwhile."),
	rate("total_forks", "1/s", "Forks for RDB saves, rewrites and full resyncs; from Redis 6.2 on."),
	rate("total_error_replies", "1/s", "Replies that were errors; from Redis 6.2 on."),
	rate("total_reads_processed", "1/s", "Reads from connections."),
	rate("total_writes_processed", "1/s", "Writes to connections."),
	unless(since72, rate("eventloop_cycles", "1/s", "Rounds of the event loop.")),
	of("eventloop_duration_sum", metric.Rate, "s/s", microseconds, since72, "Time in which the event loop was at work, waiting for nothing to do left out: 1 is a server that can do no more. A disk that it waits for is in it."),
	of("eventloop_duration_cmd_sum", metric.Rate, "s/s", microseconds, since72, "Time of that in commands."),
	of("instantaneous_eventloop_duration_usec", metric.Gauge, "s", microseconds, since72, "Mean time of a round of the event loop, of late."),
	of("instantaneous_eventloop_cycles_per_sec", metric.Gauge, "1/s", plain, since72, "Rounds of the event loop a second, of late."),

	gauge("connected_slaves", "1", "Replicas that are connected."),
	rate("master_repl_offset", "bytes/s", "Bytes of changes that replicas get; none are counted before the first replica."),
	gauge("repl_backlog_histlen", "bytes", "What the replication backlog holds."),
	gauge("master_last_io_seconds_ago", "s", "Of a replica: seconds since the primary said something; -1 without a link."),
	gauge("master_sync_in_progress", "1", "Of a replica: 1 while it is sent all data."),

	spent("used_cpu_sys", "", "CPU time of the server in the kernel, all threads."),
	spent("used_cpu_user", "", "CPU time of the server in its own code, all threads."),
	spent("used_cpu_sys_children", "", "CPU time in the kernel of processes for saves and rewrites, counted when each has ended."),
	spent("used_cpu_user_children", "", "CPU time in their own code of processes for saves and rewrites, counted when each has ended."),
	spent("used_cpu_sys_main_thread", "the server does not tell it: it came with Redis 6.2, on Linux", "CPU time of the main thread in the kernel."),
	spent("used_cpu_user_main_thread", "the server does not tell it: it came with Redis 6.2, on Linux", "CPU time of the main thread in its own code: it executes all commands."),
}

// Columns that may occur many times.
var (
	commandCalls = many("cmdstat_{command}.calls", metric.Rate, "1/s", "Calls of a command. A command that nobody has called has no column; neither has what plinth itself asks (INFO, CONFIG, LATENCY).")
	commandTime  = many("cmdstat_{command}.usec_per_call", metric.Ratio, "s", "Mean time of a call in the server, without waiting for its turn and for the network.")
	errorReplies = many("errorstat_{error}.count", metric.Rate, "1/s", "Replies that were errors, by their first word: MISCONF, OOM, READONLY; from Redis 6.2 on.")
	replicaBytes = many("slave{number}.offset_lag", metric.Gauge, "bytes", "Bytes of changes that a replica has not confirmed yet: master_repl_offset less its offset. Replicas confirm once a second.")
	replicaTime  = many("slave{number}.lag", metric.Gauge, "s", "Seconds since a replica last confirmed anything; -1 before it does. It is 0 or 1 while all is well.")
	databaseKeys = many("db{number}.keys", metric.Gauge, "1", "Keys of a database.")
)

// commandPercentiles are those that a server reports by default.
var commandPercentiles = [3]struct {
	name string
	metric.Metric
}{{"p50", percentile("p50")}, {"p99", percentile("p99")}, {"p99.9", percentile("p99.9")}}

func percentile(name string) metric.Metric {
	return many("latency_percentiles_usec_{command}."+name, metric.Gauge, "s",
		"Percentile of the time of a call, of all calls since the server was started or CONFIG RESETSTAT, 0 before the first; from Redis 7.0 on.")
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
