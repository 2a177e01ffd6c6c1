package probe

import (
	"math"

	"plinth/internal/device"
)

// Theory compares a formula's expectation with a measurement. Efficiency is Measured / Expected.
type Theory struct {
	What       string  `json:"what"`
	Formula    string  `json:"formula"`
	Expected   float64 `json:"expected"`
	Measured   float64 `json:"measured"`
	Unit       string  `json:"unit"` // "1/s", "B/s"
	Efficiency float64 `json:"efficiency"`
}

// theory compares the figures with the published formulas ("PostgreSQL OLTP Benchmark - Case
// Study"): always with those for the disk's own latency, and with those for an expected device if
// one is given. For an array, that device is its member.
func theory(r *Result, expect *device.Device) []Theory {
	var lines []Theory
	add := func(what, formula, unit string, expected, measured float64) {
		if expected > 0 && measured > 0 && !math.IsInf(expected, 0) {
			lines = append(lines, Theory{what, formula, expected, measured, unit, measured / expected})
		}
	}
	own := func(name, what string) {
		if m, ok := r.step(name); ok {
			add(what, "1 / mean latency", "1/s", 1/m.Mean.Seconds(), m.IOPS.Value)
		}
	}
	own(Read1, "reads at QD 1")
	own(Write1, "writes at QD 1")
	write, okWrite := r.step(Write1)
	flush, okFlush := r.step(Flush)
	commit, _ := r.step(Commit)
	if okWrite && okFlush {
		add("commits alone", "1 / (write + fdatasync)", "1/s", 1/(write.Mean+flush.Mean).Seconds(), commit.IOPS.Value)
	}
	if expect == nil {
		return lines
	}
	d, reads, writes, bytes := r.expected(*expect)
	e := device.Ideal(d)
	add("reads at QD 1", "1 / latency of "+expect.Name, "1/s", e.QD1Reads, r.iops(Read1))
	add("writes at QD 1", "1 / latency of "+expect.Name, "1/s", e.QD1Writes, r.iops(Write1))
	add("commits alone", "1 / (write + flush)", "1/s", e.Commits, r.iops(Commit))
	add("random reads", reads, "1/s", e.Reads, r.most(of("read-")))
	add("random writes", writes, "1/s", e.Writes, r.most(of("write-")))
	add("throughput, reads", bytes, "B/s", float64(e.Throughput), r.rate(ScanRead))
	add("throughput, writes", bytes, "B/s", float64(e.Throughput), r.rate(ScanWrite))
	return lines
}

// levels maps the RAID levels that have formulas to their numbers.
var levels = map[string]int{"raid0": 0, "raid1": 1, "raid10": 10}

// expected returns the device of the formulas, and the formulas in words.
func (r *Result) expected(d device.Device) (whole device.Device, reads, writes, bytes string) {
	array := r.Target.Array
	level, known := 0, false
	if array != nil {
		level, known = levels[array.Level]
	}
	if d.Array != nil {
		level, known = d.Array.Level, true
	} else if known && array.Members > 1 {
		member := d
		d = device.Device{Name: array.Level, Array: &device.Array{Level: level, Members: array.Members, Of: &member}}
	}
	switch {
	case !known:
		return d, "its IOPS", "its IOPS", "its throughput"
	case level == 0:
		return d, "disks x IOPS", "disks x IOPS", "disks x throughput"
	case level == 1:
		return d, "disks x IOPS", "IOPS of one", "throughput of one"
	}
	return d, "disks x IOPS", "disks x IOPS / 2", "stripes x throughput"
}

func (r *Result) iops(name string) float64 {
	m, _ := r.step(name)
	return m.IOPS.Value
}

func (r *Result) rate(name string) float64 {
	m, _ := r.step(name)
	return m.Rate.Value
}

// of returns the IOPS of steps whose names have a prefix, and 0 for others.
func of(prefix string) func(Measurement) float64 {
	return func(m Measurement) float64 {
		if len(m.Name) < len(prefix) || m.Name[:len(prefix)] != prefix {
			return 0
		}
		return m.IOPS.Value
	}
}
