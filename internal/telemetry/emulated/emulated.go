// Package emulated reads the counters of emulated devices once a second: the requests
// they received, how much of their limits was used, how late requests completed, and the
// longest single requests.
package emulated

import (
	"context"
	"time"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

const (
	readFrom = "plinth's emulator"
	document = "docs/devices.md"
)

// The columns of each device; {volume} is its role.
var (
	reads         = rate("reads", "1/s", "reads requested")
	writes        = rate("writes", "1/s", "writes requested")
	flushes       = rate("flushes", "1/s", "flushes of the device's write cache; zero if the model has no write cache")
	readBytes     = rate("read_bytes", "bytes/s", "bytes read")
	writeBytes    = rate("write_bytes", "bytes/s", "bytes written")
	queue         = rate("queue", "s/s", "mean number of operations in progress")
	iopsUsed      = share("iops_used", "operations per second, as a share of the sustained IOPS limit; above 1 during a burst")
	flowUsed      = share("throughput_used", "bytes per second, as a share of the sustained throughput limit; above 1 during a burst")
	iopsBalance   = gauge("iops_balance", "fill level of the IOPS burst bucket: 1 is full")
	flowBalance   = gauge("throughput_balance", "fill level of the throughput burst bucket: 1 is full")
	late          = metric.Metric{Name: "emulator.{volume}.late", Kind: metric.Ratio, Unit: "s", Source: readFrom, Doc: document, Help: "mean time by which operations completed later than the model specifies"}
	cpu           = rate("cpu", "s/s", "CPU time of the emulator itself; not part of the server's CPU time")
	longestRead   = longest("read", "longest single read answered in the second, from its arrival at the device to its answer, plus the calibrated cost of the path; without the time in the kernel's queue above the device")
	longestWrite  = longest("write", "longest single write, likewise")
	longestFlush  = longest("flush", "longest single flush, likewise; a write that must be durable (FUA) is a write")
	failures      = rate("errors", "1/s", "operations that failed because the underlying disk is full or broken, or because plinth cut the device's power")
	deviceMetrics = []metric.Metric{reads, writes, flushes, readBytes, writeBytes, queue, iopsUsed, flowUsed, iopsBalance, flowBalance, late, cpu, failures, longestRead, longestWrite, longestFlush}
)

func named(name string, kind metric.Kind, unit, help string) metric.Metric {
	return metric.Metric{Name: "emulator.{volume}." + name, Kind: kind, Unit: unit, Source: readFrom, Doc: document, Help: help}
}

func rate(name, unit, help string) metric.Metric { return named(name, metric.Rate, unit, help) }
func share(name, help string) metric.Metric      { return named(name, metric.Rate, "1", help) }
func longest(kind, help string) metric.Metric {
	return named(kind+"_latency_max", metric.Max, "s", help)
}
func gauge(name, help string) metric.Metric { return named(name, metric.Gauge, "1", help) }

// Metrics returns all metrics of an emulated device, for documentation.
func Metrics() []metric.Metric { return deviceMetrics }

// Device is one emulated device.
type Device struct {
	Volume string // its role: "data", "wal"; with a number appended where there are several
	Model  device.Device
	Read   func(context.Context) (emulator.Reading, error)
}

// Lane returns a lane that reads the devices one after the other.
func Lane(devices []Device) telemetry.Lane {
	lane := telemetry.Lane{Name: "emulator"}
	for _, d := range devices {
		lane.Sources = append(lane.Sources, &source{device: d})
	}
	return lane
}

type source struct {
	device   Device
	slots    []slot
	maxima   []maximum
	previous emulator.Reading
}

// maximum is a column of the longest operation of a kind.
type maximum struct {
	telemetry.Slot
	of func(emulator.Longest) time.Duration
}

// slot is a column, and how to take it from a reading.
type slot struct {
	telemetry.Slot
	of func(emulator.Reading) float64
}

// Name returns the prefix of the names of its columns.
func (s *source) Name() string { return "emulator." + s.device.Volume }

// Metrics returns those of a device.
func (s *source) Metrics() []metric.Metric { return deviceMetrics }

// Close does nothing: the device belongs to its volume.
func (s *source) Close() {}

// Read asks the emulator for its counters.
func (s *source) Read(ctx context.Context, b *telemetry.Board) error {
	reading, err := s.device.Read(ctx)
	if err != nil {
		return err
	}
	if s.slots == nil {
		s.bind(b)
	}
	for _, slot := range s.slots {
		b.Put(slot.Slot, slot.of(reading))
	}
	s.putLongest(b, reading)
	return nil
}

// putLongest puts the longest operations since the previous reading of this source that succeeded:
// the first one has none.
func (s *source) putLongest(b *telemetry.Board, reading emulator.Reading) {
	first := s.previous.Number == 0
	all, known := emulator.LongestSince(s.previous, reading)
	for _, m := range s.maxima {
		switch longest := m.of(all); {
		case !known && !first:
			b.Unknown(m.Slot, "too many other readings of the emulator came since the previous one")
		case first || longest == 0:
			b.None(m.Slot)
		default:
			b.Put(m.Slot, longest.Seconds())
		}
	}
	s.previous = reading
}

// bind creates the columns. A device without a limit has no share of it, and one without a
// burst has no balance.
func (s *source) bind(b *telemetry.Board) {
	m, volume := s.device.Model, s.device.Volume
	add := func(column metric.Metric, of func(emulator.Reading) float64) {
		s.slots = append(s.slots, slot{b.Column(column, volume), of})
	}
	add(reads, func(r emulator.Reading) float64 { return float64(r.Reads) })
	add(writes, func(r emulator.Reading) float64 { return float64(r.Writes) })
	add(flushes, func(r emulator.Reading) float64 { return float64(r.Flushes) })
	add(readBytes, func(r emulator.Reading) float64 { return float64(r.ReadBytes) })
	add(writeBytes, func(r emulator.Reading) float64 { return float64(r.WriteBytes) })
	add(queue, func(r emulator.Reading) float64 { return r.Queue })
	iops, flow := m.Provisioned()
	if iops > 0 {
		add(iopsUsed, func(r emulator.Reading) float64 { return r.UsedOperations / iops })
	}
	if flow > 0 {
		add(flowUsed, func(r emulator.Reading) float64 { return r.UsedBytes / float64(flow) })
	}
	m = m.Member()
	if m.IOPS.Burst > 0 {
		add(iopsBalance, func(r emulator.Reading) float64 { return r.IOPSBalance })
	}
	if m.Throughput.Burst > 0 {
		add(flowBalance, func(r emulator.Reading) float64 { return r.ThroughputBalance })
	}
	add(cpu, func(r emulator.Reading) float64 { return r.CPU.Seconds() })
	add(failures, func(r emulator.Reading) float64 { return float64(r.Errors) })
	sum, count := b.Counter(volume+" late"), b.Counter(volume+" answered")
	s.slots = append(s.slots,
		slot{sum, func(r emulator.Reading) float64 { return r.Late.Sum.Seconds() }},
		slot{count, func(r emulator.Reading) float64 { return float64(r.Late.Count) }})
	b.Ratio(late, sum, count, volume)
	s.maxima = []maximum{
		{b.Column(longestRead, volume), func(l emulator.Longest) time.Duration { return l.Read }},
		{b.Column(longestWrite, volume), func(l emulator.Longest) time.Duration { return l.Write }},
		{b.Column(longestFlush, volume), func(l emulator.Longest) time.Duration { return l.Flush }},
	}
}
