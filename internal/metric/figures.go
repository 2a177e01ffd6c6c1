package metric

import (
	"slices"
	"strings"
)

// Wait is the figure that stands for those of all wait events.
const Wait = "wait.{type}.{event}"

// Figures are all figures of a run, in the order in which they are shown. Those of
// disks and of wait events depend on the run: Wait stands for the latter.
func Figures() []Figure {
	return slices.Concat(throughputFigures, walFigures, rowFigures, cacheFigures, bufferFigures, memoryFigures,
		cpuFigures, diskFigures("data"), diskFigures("wal"), pressureFigures, waitFigures, redisFigures, replicaFigures)
}

// FigureNamed is the figure of a name: "tps-peak", "wait.IO.WALSync".
func FigureNamed(name string) (Figure, bool) {
	all := Figures()
	if i := slices.IndexFunc(all, func(f Figure) bool { return f.Name == name }); i >= 0 && name != Wait {
		return all[i], true
	}
	rest, isWait := strings.CutPrefix(name, "wait.")
	kind, event, both := strings.Cut(rest, ".")
	if !isWait || !both || kind == "" || event == "" || strings.ContainsAny(rest, "{}") {
		return Figure{}, false
	}
	f := all[slices.IndexFunc(all, func(f Figure) bool { return f.Name == Wait })]
	f.Name, f.Title = name, "waits for "+event+" ("+kind+")"
	return f, true
}

// FigureNames are the names of the figures that can be compared, but for those of
// wait events.
func FigureNames() []string {
	var names []string
	for _, f := range Figures() {
		if f.Name != Wait && !f.Moment {
			names = append(names, f.Name)
		}
	}
	return names
}

// postgres are the servers whose statistics are those of PostgreSQL.
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
			"It may be below 1: the WAL writer, the checkpointer and whoever writes out a page sync WAL, too."},
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
