package probe

import (
	"fmt"
	"math"
	"strings"
	"time"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// model returns the device model of the figures; nil if there is none: memory and the page cache
// are not disks, and a device that was only read is not fully known.
func (r *Result) model(name string) *device.Device {
	read, okRead := r.step(Read1)
	write, okWrite := r.step(Write1)
	flush, okFlush := r.step(Flush)
	if !r.Target.Direct || r.Target.place.InMemory || !okRead || !okWrite || !okFlush || read.Operations == 0 || write.Operations == 0 {
		return nil
	}
	if name == "" {
		name = r.Target.name()
	}
	d := &device.Device{
		Name: name, Read: latency(read), Write: latency(write),
		IOPS: device.Limit{Rate: unit.Rounded(r.most(Measurement.operations))}, Throughput: device.FlowLimit{Rate: flow(r.most(Measurement.bytes))},
		Source: sourceWords(r.Target.words()), Measured: r.measuredWords(),
	}
	if r.Target.flushes(write.P50, flush.P50) {
		d.WriteCache, d.Flush = true, latency(flush)
	}
	for _, s := range r.Sustained {
		sustained(d, s)
	}
	return d
}

// sourceWords says in a model where its figures come from.
func sourceWords(disk string) string {
	return fmt.Sprintf("measured by plinth probe on %s: latencies at queue depth 1, limits as the highest rates measured", disk)
}

// measuredWords says in a model when and on which machine its figures were measured.
func (r *Result) measuredWords() string {
	return fmt.Sprintf("%s, Linux %s, %s", r.Taken.Format("2006-01-02"), r.Machine.Kernel, r.Program)
}

func (m Measurement) operations() float64 {
	if m.Block != page || m.Durable {
		return 0
	}
	return m.IOPS.Value
}

func (m Measurement) bytes() float64 { return m.Rate.Value }

// most returns the largest value over all steps.
func (r *Result) most(of func(Measurement) float64) float64 {
	most := 0.0
	for _, m := range r.Steps {
		most = max(most, of(m))
	}
	return most
}

// latency returns the model's latency for a step. Fractions of 0.1 us are noise.
func latency(m Measurement) device.Latency {
	const noise = 100 * time.Nanosecond
	return device.Latency{Median: unit.Duration(m.P50.Std().Round(noise)), P99: unit.Duration(m.P99.Std().Round(noise))}
}

// flow rounds a rate to whole KiB or MiB per second.
func flow(f float64) unit.Rate {
	step := float64(unit.MiB)
	if f < 100*step {
		step = float64(unit.KiB)
	}
	return unit.Rate(math.Round(f/step) * step)
}

// aCost is the minimum cost of a flush, as a share of a write's, to count as one if the kernel
// does not report the write cache.
const aCost = 0.2

// flushes reports whether a durable write pays for a flush in addition to the write.
func (t Target) flushes(write, flush unit.Duration) bool {
	switch t.WriteCache {
	case "write back":
		return true
	case "write through":
		return false
	}
	return float64(flush) > aCost*float64(write)
}

// sustained replaces a device's limits by its sustained rates, with a burst bucket for the time
// before the cliff. The steps had already used part of the bucket, so it may be larger.
func sustained(d *device.Device, s Sustained) {
	seconds, size := float64(s.Cliff), float64(s.Block)
	switch {
	case s.Baseline <= 0:
	case s.Block == page && s.Cliff > 0:
		d.IOPS = device.Limit{Rate: unit.Rounded(s.Baseline), BurstRate: unit.Rounded(max(s.Burst, d.IOPS.Rate)), Burst: unit.Rounded((s.Burst - s.Baseline) * seconds)}
	case s.Cliff > 0:
		d.Throughput = device.FlowLimit{Rate: flow(s.Baseline * size), BurstRate: flow(max(s.Burst*size, float64(d.Throughput.Rate))),
			Burst: unit.Size(flow((s.Burst - s.Baseline) * size * seconds))}
	}
}

// name returns a short name for the device: its model's, or the kernel's.
func (t Target) name() string {
	text := t.Model
	for _, other := range []string{t.Device, t.Filesystem, "disk"} {
		if text == "" {
			text = other
		}
	}
	text = strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '.':
			return c
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		}
		return '-'
	}, text)
	return strings.Trim(text[:min(len(text), 40)], "-.")
}

// words describes the target.
func (t Target) words() string {
	text := t.Model
	if t.Device != "" {
		text = strings.TrimSpace(text + " " + t.Device)
	}
	if t.Array != nil {
		text += fmt.Sprintf(" (%s of %d)", t.Array.Level, t.Array.Members)
	}
	if t.Filesystem != "" {
		text = strings.TrimPrefix(text+" through "+t.Filesystem, " ")
	}
	return text
}
