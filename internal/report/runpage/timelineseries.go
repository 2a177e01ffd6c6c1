package runpage

import (
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// series is one row of a timeline: a column of the points and its presentation.
type series struct {
	label string  // at most nine characters, with its unit: "p99 ms"
	title string  // in tables: "p99 latency"
	unit  string  // of the column
	least bool    // low values are bad: throughput
	worst bool    // a mean has no meaning, as for percentiles: use the worst second
	share bool    // of the second
	scale float64 // the label's unit in units of the column

	column string
	values []float64 // of the window, in the column's unit
}

const (
	million = 1e6
	mebi    = 1 << 20
)

// seriesOf returns the rows of a run, the load first. A column without any value has no row.
func seriesOf(w window, volumes []record.Volume, words experiment.Terms) []series {
	all := []series{
		{column: "tps", label: words.Rate, title: words.Rate, unit: "1/s", least: true, scale: 1},
		{column: "latency_p99_ns", label: "p99 ms", title: "p99 latency", unit: "ns", worst: true, scale: million},
		{column: "meminfo.Dirty", label: "Dirty MiB", title: "Dirty", unit: "bytes", scale: mebi},
	}
	all = append(all, diskSeries(w, volumes)...)
	all = append(all,
		series{column: "wal.bytes", label: "WAL MiB/s", title: "WAL", unit: "bytes/s", scale: mebi},
		series{column: "persistence.aof_bytes", label: "AOF MiB/s", title: "append-only file", unit: "bytes/s", scale: mebi},
		series{column: "persistence.aof_rewrite_in_progress", label: "rewrite %", title: "time in rewrites", unit: "1", share: true, scale: 0.01},
		series{column: "persistence.aof_pending_bio_fsync", label: "fsync %", title: "time with an fsync under way", unit: "1", share: true, scale: 0.01},
		series{column: "info.eventloop_duration_sum", label: "busy %", title: "event loop at work", unit: "1", share: true, scale: 0.01},
		series{column: activeColumn(w), label: "active", title: "active sessions", unit: "1", scale: 1})
	var found []series
	for _, s := range all {
		if s.values = w.columns[s.column]; w.has(s.column) {
			found = append(found, s)
		}
	}
	return found
}

// activeColumn prefers the mean of several samples per second; a single sample is not
// representative.
func activeColumn(w window) string {
	if w.has("wait.active") {
		return "wait.active"
	}
	return "sessions.active"
}

// diskSeries returns the rows of the data disk, and of the WAL disk if it is another one. If
// both are unknown it uses the disk with the most writes.
func diskSeries(w window, volumes []record.Volume) []series {
	data, wal := busiest(w, record.DevicesOf(volumes, "data")), busiest(w, record.DevicesOf(volumes, "wal"))
	switch {
	case data == "" && wal == "":
		return diskRows(busiest(w, disksSeen(w)), "")
	case data == "":
		return diskRows(wal, "WAL ")
	case wal == "" || wal == data:
		return diskRows(data, "")
	}
	return append(diskRows(data, "data "), diskRows(wal, "WAL ")...)
}

func diskRows(disk, role string) []series {
	if disk == "" {
		return nil
	}
	rate, latency := "writes/s", "write ms"
	if role != "" {
		rate, latency = role+"w/s", role+"ms"
	}
	return []series{
		{column: "diskstats." + disk + ".writes", label: rate, title: disk + " writes", unit: "1/s", scale: 1},
		{column: "diskstats." + disk + ".write_latency", label: latency, title: disk + " write latency", unit: "s", scale: 1e-3},
	}
}

// disksSeen returns all disks whose writes are in the points, sorted.
func disksSeen(w window) []string {
	var disks []string
	for name := range w.columns {
		if disk, found := strings.CutPrefix(name, "diskstats."); found && strings.HasSuffix(disk, ".writes") {
			disks = append(disks, strings.TrimSuffix(disk, ".writes"))
		}
	}
	slices.Sort(disks)
	return disks
}

// busiest returns the disk with the most writes; "" without any writes.
func busiest(w window, disks []string) string {
	found, most := "", 0.0
	for _, disk := range disks {
		if writes, _ := w.sum("diskstats." + disk + ".writes"); writes > most {
			found, most = disk, writes
		}
	}
	return found
}
