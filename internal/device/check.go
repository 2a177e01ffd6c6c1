package device

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// The bounds of a model. Beyond them its arithmetic would not be exact, or the value is
// a typing error.
const (
	mostLatency  = unit.Duration(time.Minute)
	mostIOPS     = 1e9
	mostFlow     = 1e13 // bytes a second
	mostRefill   = 366 * 24 * time.Hour
	mostDepth    = 1 << 16
	mostReplicas = 16
	mostMembers  = 64
	leastChunk   = 4 * unit.KiB
	mostChunk    = unit.GiB
	leastOp      = 512 // bytes: a sector
)

// Mistake is an impossible value in a model. Field is the key in the model file, with
// dots: "array.of.read.p99".
type Mistake struct {
	Field, Text string
}

// Error returns the field and the text.
func (m *Mistake) Error() string { return m.Field + " " + m.Text }

// Check returns an error for an impossible model. It reports the first mistake in the order of the
// model file. The error is a *Mistake, for errors.As.
func (d Device) Check() error { return d.check("") }

func (d Device) check(prefix string) error {
	if err := firstOf(d.checkName(prefix), d.Disk.check(prefix)); err != nil {
		return err
	}
	if d.Array != nil {
		return d.checkArray(prefix)
	}
	return firstOf(
		d.Read.check(prefix+"read"),
		d.Write.check(prefix+"write"),
		d.Flush.check(prefix+"flush"),
		d.checkFlush(prefix),
		d.IOPS.check(prefix+"iops", mostIOPS),
		d.Throughput.Limit().check(prefix+"throughput", mostFlow),
		d.checkCounts(prefix),
		d.RoundTrip.check(prefix+"round_trip"),
		d.checkReplicas(prefix),
	)
}

func (d Device) checkName(prefix string) error {
	switch {
	case strings.TrimSpace(d.Name) == "":
		return mistake(prefix+"name", "is missing: give the device a short name")
	case strings.ContainsAny(d.Name, "/\\") || strings.HasPrefix(d.Name, ".") || strings.ContainsFunc(d.Name, unicode.IsControl):
		return mistake(prefix+"name", "cannot be part of the name of a file: %q", d.Name) // plinth probe writes NAME.device.yaml
	case len(d.Name) > 100:
		return mistake(prefix+"name", "is longer than 100 bytes")
	}
	return nil
}

func (l Latency) check(field string) error {
	switch {
	case l.Median < 0:
		return mistake(field+".median", "is negative: %s", l.Median)
	case l.P99 < 0:
		return mistake(field+".p99", "is negative: %s", l.P99)
	case l.Median > mostLatency:
		return mistake(field+".median", "is %s: it can be at most %s", l.Median, mostLatency)
	case l.P99 > mostLatency:
		return mistake(field+".p99", "is %s: it can be at most %s", l.P99, mostLatency)
	case l.P99 != 0 && l.P99 < l.Median:
		return mistake(field+".p99", "of %s is below the median of %s", l.P99, l.Median)
	case l.P99 != 0 && l.Median == 0:
		return mistake(field+".p99", "is set without a median")
	}
	return nil
}

func (d Device) checkFlush(prefix string) error {
	if d.Flush != (Latency{}) && !d.WriteCache {
		err := mistake(prefix+"flush", "is set without write_cache: there is no cache to flush")
		return hint.Wrap(err, "set write_cache: true, or leave flush out")
	}
	return nil
}

func (d Device) checkCounts(prefix string) error {
	switch {
	case d.OperationSize < 0:
		return mistake(prefix+"operation_size", "is negative")
	case d.OperationSize > 0 && d.OperationSize < leastOp:
		return mistake(prefix+"operation_size", "is less than %dB", leastOp)
	case d.QueueDepth < 0:
		return mistake(prefix+"queue_depth", "is negative")
	case d.QueueDepth > mostDepth:
		return mistake(prefix+"queue_depth", "is more than %d", mostDepth)
	case d.Replicas < 0:
		return mistake(prefix+"replicas", "is negative")
	case d.Replicas > mostReplicas:
		return mistake(prefix+"replicas", "is more than %d", mostReplicas)
	}
	return nil
}

func (d Device) checkReplicas(prefix string) error {
	behind := d.RoundTrip != (Latency{})
	switch {
	case d.Replicas > 0 && d.RoundTrip.Median == 0:
		return mistake(prefix+"round_trip", "is missing: replicas need a round trip")
	case d.Replicas == 0 && behind:
		return mistake(prefix+"replicas", "is missing: a round trip needs replicas")
	}
	return nil
}

func mistake(field, format string, args ...any) error {
	return &Mistake{field, fmt.Sprintf(format, args...)}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// check returns an error for an impossible limit. No device has a rate above most.
func (l Limit) check(field string, most float64) error {
	for _, value := range []struct {
		key string
		is  float64
	}{{"rate", l.Rate}, {"burst_rate", l.BurstRate}, {"burst", l.Burst}} {
		switch {
		case math.IsNaN(value.is):
			return mistake(field+"."+value.key, "is not a number")
		case value.is < 0:
			return mistake(field+"."+value.key, "is negative")
		case value.key != "burst" && value.is > most:
			return mistake(field+"."+value.key, "is more than any device can do")
		}
	}
	return l.checkBurst(field)
}

func (l Limit) checkBurst(field string) error {
	bursts := l.Burst != 0 || l.BurstRate != 0
	switch {
	case bursts && l.Rate == 0:
		return mistake(field+".rate", "is missing: nothing would refill the burst")
	case l.BurstRate != 0 && l.BurstRate < l.Rate:
		return mistake(field+".burst_rate", "is below the rate")
	case l.BurstRate != 0 && l.Burst == 0:
		return mistake(field+".burst", "is missing: burst_rate needs the size of the burst")
	case l.Burst != 0 && l.BurstRate == 0:
		return mistake(field+".burst_rate", "is missing: burst needs the rate of the burst")
	case bursts && l.Burst/l.Rate > mostRefill.Seconds():
		return mistake(field+".burst", "takes more than a year to refill")
	case l.Rate != 0 && l.Rate < 1e-3:
		return mistake(field+".rate", "is below 0.001 a second")
	}
	return nil
}

func (d Device) checkArray(prefix string) error {
	a, field := d.Array, prefix+"array."
	if d.hasFigures() {
		return mistake(prefix+"array", "takes its figures from its members: put latencies and limits into array.of")
	}
	if err := a.checkShape(field); err != nil {
		return err
	}
	switch {
	case a.Of == nil:
		return mistake(field+"of", "is missing: an array needs a member device")
	case a.Of.Array != nil:
		return mistake(field+"of.array", "is an array of arrays, which the model does not support")
	}
	return a.Of.check(field + "of.")
}

func (a Array) checkShape(field string) error {
	switch {
	case a.Level != 0 && a.Level != 1 && a.Level != 10:
		return mistake(field+"level", "is %d: it can be 0, 1 or 10", a.Level)
	case a.Members < 2 || a.Members > mostMembers:
		return mistake(field+"members", "is %d: it can be 2 to %d", a.Members, mostMembers)
	case a.Level == 10 && a.Members%2 != 0:
		return mistake(field+"members", "is %d: RAID 10 needs an even number", a.Members)
	case a.Level == 10 && a.Members < 4:
		return mistake(field+"members", "is %d: RAID 10 needs at least 4; for two use RAID 1", a.Members)
	}
	return a.checkChunk(field + "chunk")
}

func (a Array) checkChunk(field string) error {
	power := a.Chunk&(a.Chunk-1) == 0
	switch {
	case a.Level == 1 && a.Chunk != 0:
		return mistake(field, "is set, but RAID 1 has no chunks")
	case a.Level != 1 && (a.Chunk < leastChunk || a.Chunk > mostChunk || !power):
		return mistake(field, "is %s: it must be a power of two from %s to %s", a.Chunk.Exact(), leastChunk, mostChunk)
	}
	return nil
}

// hasFigures reports whether an array device also has figures of its own.
func (d Device) hasFigures() bool {
	d.Name, d.Durability, d.Source, d.Measured, d.Disk, d.Array = "", "", "", "", Disk{}, nil
	return d != Device{}
}
