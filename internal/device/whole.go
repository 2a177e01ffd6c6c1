package device

import (
	"math/rand/v2"
	"slices"
	"time"
)

// MeanSeconds is how long an operation of 8 KiB takes in the mean when nothing else
// goes on, replicas and mirrors included, in seconds. What waits for several copies
// is the mean of samples: there is no formula for the slowest of several sums.
func (d Device) MeanSeconds(kind Kind) float64 {
	one, copies := d.one(), d.waitsFor(kind)
	switch {
	case kind == Flush && !one.WriteCache:
		return 0
	case copies > 1:
		sum := 0.0
		for _, sample := range one.slowest(kind, copies) {
			sum += sample.Seconds()
		}
		return sum / wholeSamples
	case one.Replicas > 0:
		return (one.latency(kind).Mean() + one.RoundTrip.Mean()).Seconds()
	}
	return one.latency(kind).Mean().Seconds()
}

// Quantile is how long the share p of all operations of 8 KiB takes at most when
// nothing else goes on, replicas and mirrors included.
func (d Device) Quantile(kind Kind, p float64) time.Duration {
	one, copies := d.one(), d.waitsFor(kind)
	switch {
	case kind == Flush && !one.WriteCache:
		return 0
	case copies < 2 && one.Replicas == 0:
		return one.latency(kind).Quantile(p)
	}
	samples := one.slowest(kind, copies)
	slices.Sort(samples)
	return samples[int(min(max(p, 0), 1)*(wholeSamples-1))]
}

// one is the disk that an array is made of, or the device itself.
func (d Device) one() Device {
	if d.Array != nil {
		return *d.Array.Of
	}
	return d
}

// waitsFor is how many samples an operation waits for the slowest of.
func (d Device) waitsFor(kind Kind) int {
	if d.Array == nil {
		if kind == Read {
			return 1
		}
		return max(d.Replicas, 1)
	}
	mirrors := 1
	switch {
	case kind == Flush:
		mirrors = d.Array.Members
	case kind == Write && d.Array.Level == 1:
		mirrors = d.Array.Members
	case kind == Write && d.Array.Level == 10:
		mirrors = 2
	}
	return mirrors * d.Array.Of.waitsFor(kind)
}

func (d Device) latency(kind Kind) Latency {
	switch kind {
	case Write:
		return d.Write
	case Flush:
		return d.Flush
	}
	return d.Read
}

// wholeSamples are enough for a mean within half a per cent; their seed is fixed, so
// that theory says the same each time.
const wholeSamples = 1 << 14

// slowest are samples of an operation that waits for the slowest of so many copies.
func (d Device) slowest(kind Kind, copies int) []time.Duration {
	own, trip := newCurve(d.latency(kind)), newCurve(d.RoundTrip)
	random := rand.New(rand.NewPCG(1, 1))
	samples := make([]time.Duration, wholeSamples)
	for i := range samples {
		for range copies {
			samples[i] = max(samples[i], own.at(random.Float64())+trip.at(random.Float64()))
		}
	}
	return samples
}
