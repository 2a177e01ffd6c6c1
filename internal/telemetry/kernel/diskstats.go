package kernel

import (
	"bytes"
	"errors"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// diskField is a metric that is one number of a line of /proc/diskstats.
type diskField struct {
	metric.Metric
	at     int     // the number's place after the disk's name
	factor float64 // from what the file tells to the unit
}

var diskFields = []diskField{
	diskRate("reads", "1/s", 0, 1, "reads that were completed"),
	diskRate("reads_merged", "1/s", 1, 1, "reads that were merged into others before"),
	diskRate("read_bytes", "bytes/s", 2, 512, "bytes read"),
	diskRate("writes", "1/s", 4, 1, "writes that were completed"),
	diskRate("writes_merged", "1/s", 5, 1, "writes that were merged into others before"),
	diskRate("write_bytes", "bytes/s", 6, 512, "bytes written"),
	diskRate("discards", "1/s", 11, 1, "discards that were completed; since 4.18"),
	diskRate("flushes", "1/s", 15, 1, "flushes of the disk's cache that were completed; since 5.5, not of partitions"),
	diskRate("utilisation", "1", 9, 1e-3, "share of the second in which a request was in flight; 1 says nothing of a disk that does many at once"),
	diskRate("queue", "1", 10, 1e-3, "mean number of requests in flight (avgqu-sz of iostat)"),
	{metric.Metric{Name: "diskstats.{disk}.in_flight", Kind: metric.Gauge, Unit: "1", Help: "requests in flight at that moment"}, 8, 1},
}

// diskLatency is the mean time of the requests of one kind.
type diskLatency struct {
	metric.Metric
	time  int // where the milliseconds of them are
	count string
}

var diskLatencies = []diskLatency{
	{latency("read_latency", "mean time of a read, the wait in the queue included (r_await of iostat)"), 3, "diskstats.{disk}.reads"},
	{latency("write_latency", "mean time of a write, the wait in the queue included (w_await of iostat)"), 7, "diskstats.{disk}.writes"},
	{latency("flush_latency", "mean time of a flush of the disk's cache; since 5.5"), 16, "diskstats.{disk}.flushes"},
}

func diskRate(name, unit string, at int, factor float64, help string) diskField {
	return diskField{metric.Metric{Name: "diskstats.{disk}." + name, Kind: metric.Rate, Unit: unit, Help: help}, at, factor}
}

func latency(name, help string) metric.Metric {
	return metric.Metric{Name: "diskstats.{disk}." + name, Kind: metric.Ratio, Unit: "s", Help: help}
}

func diskMetrics() []metric.Metric {
	var all []metric.Metric
	for _, f := range diskFields {
		all = append(all, f.Metric)
	}
	for _, l := range diskLatencies {
		all = append(all, l.Metric)
	}
	return from("/proc/diskstats", "Documentation/admin-guide/iostats.rst", all...)
}

// diskstats is the source of what disks do.
type diskstats struct {
	file  file
	disks []*disk
}

var errNoDisks = errors.New("which disks are under the data is not known")

func openDiskstats(m *machine) (reader, error) {
	if len(m.Disks) == 0 {
		return nil, errNoDisks
	}
	d := &diskstats{file: newFile(m.Root, "proc/diskstats")}
	for _, name := range m.Disks {
		// Where sysfs has "cciss!c0d0", this file has "cciss/c0d0".
		d.disks = append(d.disks, &disk{name: name, inFile: []byte(strings.ReplaceAll(name, "!", "/"))})
	}
	return d, nil
}

func (d *diskstats) close() { d.file.close() }

func (d *diskstats) readTo(b *telemetry.Board) error {
	text, err := d.file.read()
	if err != nil {
		return err
	}
	for len(text) > 0 {
		var line []byte
		line, text = proc.CutLine(text)
		name, numbers := proc.CutDisk(line)
		for _, disk := range d.disks {
			if bytes.Equal(name, disk.inFile) {
				disk.read(numbers, b)
			}
		}
	}
	for _, disk := range d.disks {
		disk.miss(b)
	}
	return nil
}
