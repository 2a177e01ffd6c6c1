package kernel

import (
	"bytes"
	"errors"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// diskField is a metric taken from one number of a line of /proc/diskstats.
type diskField struct {
	metric.Metric
	at     int     // the number's position after the disk's name
	factor float64 // converts the file's unit to the metric's
}

var diskFields = []diskField{
	diskRate("reads", "1/s", 0, 1, "reads completed"),
	diskRate("reads_merged", "1/s", 1, 1, "reads merged into others before they were issued"),
	diskRate("read_bytes", "bytes/s", 2, 512, "bytes read"),
	diskRate("writes", "1/s", 4, 1, "writes completed"),
	diskRate("writes_merged", "1/s", 5, 1, "writes merged into others before they were issued"),
	diskRate("write_bytes", "bytes/s", 6, 512, "bytes written"),
	diskRate("discards", "1/s", 11, 1, "discards completed; since Linux 4.18"),
	diskRate("flushes", "1/s", 15, 1, "flushes of the disk's write cache completed; since Linux 5.5, not for partitions"),
	diskRate("utilisation", "1", 9, 1e-3, "share of the second in which a request was in flight; a disk that serves many requests at once is not saturated at 1"),
	diskRate("queue", "1", 10, 1e-3, "mean number of requests in flight (avgqu-sz of iostat)"),
	{metric.Metric{Name: "diskstats.{disk}.in_flight", Kind: metric.Gauge, Unit: "1", Help: "requests in flight at the time of the reading"}, 8, 1},
}

// diskLatency is the mean time of one kind of request.
type diskLatency struct {
	metric.Metric
	time  int // position of their total time in milliseconds
	count string
}

var diskLatencies = []diskLatency{
	{latency("read_latency", "mean time of a read, including the wait in the queue (r_await of iostat)"), 3, "diskstats.{disk}.reads"},
	{latency("write_latency", "mean time of a write, including the wait in the queue (w_await of iostat)"), 7, "diskstats.{disk}.writes"},
	{latency("flush_latency", "mean time of a flush of the disk's write cache; since Linux 5.5"), 16, "diskstats.{disk}.flushes"},
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

// diskstats is the source of disk activity.
type diskstats struct {
	file  file
	disks []*disk
}

var errNoDisks = errors.New("the disks that hold the data are unknown")

func openDiskstats(m *machine) (reader, error) {
	if len(m.Disks) == 0 {
		return nil, errNoDisks
	}
	d := &diskstats{file: newFile(m.Root, "proc/diskstats")}
	for _, name := range m.Disks {
		// A disk that sysfs calls "cciss!c0d0" is "cciss/c0d0" in this file.
		d.disks = append(d.disks, &disk{name: name, inFile: []byte(strings.ReplaceAll(name, "!", "/")), paths: pathsOf(name)})
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
			disk.see(name, numbers)
		}
	}
	for _, disk := range d.disks {
		disk.put(b)
		if disk.bound || disk.missed {
			continue
		}
		disk.missed = true // not in the file, at any reading so far
		for _, m := range diskMetrics() {
			b.Absent(m, "/proc/diskstats does not list this disk", disk.name)
		}
	}
	return nil
}

// disk is one disk of /proc/diskstats.
type disk struct {
	name   string
	inFile []byte // as /proc/diskstats spells it
	own    counters
	paths  *paths // nil unless it is an NVMe disk, which can have several
	bound  bool
	missed bool             // its absence was reported
	fields []telemetry.Slot // of diskFields
	times  []telemetry.Slot // of diskLatencies: seconds
}

// counters are the first numbers of one or more lines of a reading.
type counters struct {
	numbers proc.Disk
	known   int // 0: there was no line
}

// see reads a line if it is the disk's, or that of one of its paths.
func (d *disk) see(name, line []byte) {
	if bytes.Equal(name, d.inFile) {
		d.own.known = proc.CutNumbers(line, d.own.numbers[:])
	} else if d.paths != nil {
		d.paths.see(name, line)
	}
}

// put puts the counters of a reading on the board: the disk's own or, if the kernel counts only the
// paths, theirs.
func (d *disk) put(b *telemetry.Board) {
	found := d.own
	if d.paths != nil {
		if sum := d.paths.take(); d.own.numbers == (proc.Disk{}) && sum.known > 0 {
			found = sum
		}
	}
	d.own = counters{}
	numbers, known := found.numbers, found.known
	if known < proc.FewestDisk {
		return // this disk's columns get a gap, the other disks' do not
	}
	if !d.bound {
		d.bind(b, known)
	}
	for i, f := range diskFields {
		if f.at < known {
			b.Put(d.fields[i], float64(numbers[f.at])*f.factor)
		}
	}
	for i, l := range diskLatencies {
		if l.time < known {
			b.Put(d.times[i], float64(numbers[l.time])/1e3)
		}
	}
}

// bind creates the columns; known is how many numbers this kernel provides.
func (d *disk) bind(b *telemetry.Board, known int) {
	d.bound = true
	count := map[string]telemetry.Slot{}
	for _, f := range diskFields {
		slot := b.Column(f.Metric, d.name)
		d.fields, count[f.Name] = append(d.fields, slot), slot
		d.absent(b, f.Metric, f.at < known)
	}
	for _, l := range diskLatencies {
		time := b.Counter(d.name + " " + l.Name)
		d.times = append(d.times, time)
		b.Ratio(l.Metric, time, count[l.count], d.name)
		d.absent(b, l.Metric, l.time < known)
	}
}

func (d *disk) absent(b *telemetry.Board, m metric.Metric, told bool) {
	switch {
	case !told:
		b.Absent(m, "this kernel does not count it", d.name)
	case d.missed:
		b.Absent(m, "", d.name) // it has appeared since
	}
}
