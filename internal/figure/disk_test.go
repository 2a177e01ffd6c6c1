package figure_test

import (
	"testing"

	"plinth/internal/record"
)

// An array counts no flushes of its own: they are those of its disks. Where the
// kernel does not time it, the times are theirs, too.
func TestAnArrayWithoutTimes(t *testing.T) {
	in := input(table{
		"tps":                   each(9, 100),
		"diskstats.md0.flushes": each(9, 0), "diskstats.md0.flush_latency": each(9, gap),
		"diskstats.sda.flushes": each(9, 10), "diskstats.sda.flush_latency": each(9, 0.002),
		"diskstats.md0.writes": each(9, 5), "diskstats.md0.write_latency": each(9, 0),
		"diskstats.sda.writes": each(9, 5), "diskstats.sda.write_latency": each(9, 0.004),
		"diskstats.md0.reads": each(9, 5), "diskstats.md0.read_latency": each(9, 0.001),
		"diskstats.sda.reads": each(9, 5), "diskstats.sda.read_latency": each(9, 0.009),
	})
	in.Environment.Volumes = []record.Volume{{Role: "data", Device: "md0", Disks: []string{"sda"}}}
	figures, _ := of(t, in)
	near(t, "flushes are those of the disk", figures["data-disk-flush-latency"], 2e6)
	near(t, "so are writes that are not timed", figures["data-disk-write-latency"], 4e6)
	near(t, "reads are what the server sees", figures["data-disk-read-latency"], 1e6)
	near(t, "WAL lies with the data", figures["wal-disk-flush-latency"], 2e6)
}
