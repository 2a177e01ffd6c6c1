package device

import (
	"math/rand/v2"
	"slices"
	"time"
)

// MeanSeconds returns the mean latency in seconds of an operation of 8 KiB on an idle
// device, including replicas and mirrors. For operations that wait for several copies
// it is the mean of samples: there is no formula for the maximum of several sums.
func (d Device) MeanSeconds(kind Kind) float64 {
	one, copies := d.Member(), d.waitsFor(kind)
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

// DurableSeconds returns the mean latency in seconds of a durable write on an idle device: a write, and a flush
// of the write cache if there is one.
func (d Device) DurableSeconds() float64 { return d.MeanSeconds(Write) + d.MeanSeconds(Flush) }

// Quantile returns the p-quantile of the latency of an operation of 8 KiB on an idle
// device, including replicas and mirrors. p is from 0 to 1.
func (d Device) Quantile(kind Kind, p float64) time.Duration {
	one, copies := d.Member(), d.waitsFor(kind)
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

// Member returns the model of each member of an array; of another device, the device itself.
func (d Device) Member() Device {
	if d.Array != nil {
		return *d.Array.Of
	}
	return d
}

// waitsFor returns the number of copies whose slowest an operation waits for.
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

// wholeSamples is enough for a mean within half a per cent. Their seed is fixed, so that
// the result is reproducible.
const wholeSamples = 1 << 14

// slowest returns samples of the latency of the slowest of so many copies.
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
