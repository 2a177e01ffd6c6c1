package kernel

import (
	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// disk is one disk of /proc/diskstats.
type disk struct {
	name   string
	inFile []byte // as /proc/diskstats spells it
	bound  bool
	missed bool             // it was told that it is not there
	fields []telemetry.Slot // of diskFields
	times  []telemetry.Slot // of diskLatencies: seconds
}

func (d *disk) read(line []byte, b *telemetry.Board) {
	var numbers proc.Disk
	known := proc.CutNumbers(line, numbers[:])
	if known < proc.FewestDisk {
		return // the disk's columns are gaps then, the other disks' are not
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

// bind makes the columns; known is how many numbers this kernel tells.
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
		b.Absent(m, "", d.name) // it is there by now
	}
}

// miss tells of a disk that is not there and has never been.
func (d *disk) miss(b *telemetry.Board) {
	if d.bound || d.missed {
		return
	}
	d.missed = true
	for _, m := range diskMetrics() {
		b.Absent(m, "/proc/diskstats has no such disk", d.name)
	}
}
