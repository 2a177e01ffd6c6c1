package device

import (
	"math"
	"math/rand/v2"
	"time"
)

// latencySize is the size of the requests that latencies are told of: only what is
// beyond it takes extra time to be transferred.
const latencySize = 8 << 10

// disk works off the requests to one device that is no array.
type disk struct {
	read, write, flush, trip curve

	cache    bool
	replicas int
	opSize   int64
	perByte  float64 // nanoseconds that a byte of a long request is on its way
	iops     bucket
	flow     bucket
	slots    slots
	random   rand.PCG
	used     Used
}

func newDisk(d Device, seed, stream uint64) *disk {
	k := &disk{
		read: newCurve(d.Read), write: newCurve(d.Write), flush: newCurve(d.Flush), trip: newCurve(d.RoundTrip),
		cache: d.WriteCache, replicas: d.Replicas, opSize: int64(d.OperationSize),
		iops: newBucket(d.IOPS), flow: newBucket(d.Throughput.Limit()),
		slots: make(slots, d.QueueDepth),
	}
	if rate := d.transfer(); rate > 0 {
		k.perByte = 1e9 / float64(rate)
	}
	k.random.Seed(seed, stream)
	return k
}

// submit is when a request that comes at now is done. It is let through by both
// buckets, waits for a slot, and then takes its latency. What waits for a bucket
// holds no slot: volumes are throttled before they work. A flush counts as no operation.
func (k *disk) submit(now time.Duration, kind Kind, size int64) time.Duration {
	if kind == Flush {
		if !k.cache {
			return now
		}
		done := k.slots.ready(now) + k.latency(Flush)
		k.slots.take(done)
		return done
	}
	ops := k.operations(size)
	start := k.admitted(now)
	k.iops.take(start, ops)
	k.flow.take(start, float64(size))
	k.used.Operations += ops
	k.used.Bytes += float64(size)
	done := k.slots.ready(start) + k.latency(kind) + k.transfer(size)
	k.slots.take(done)
	return done
}

// admitted is when both buckets let a request through that comes at now.
func (k *disk) admitted(now time.Duration) time.Duration { return k.flow.ready(k.iops.ready(now)) }

// begins is when a request that comes at now would be worked on.
func (k *disk) begins(now time.Duration) time.Duration { return k.slots.ready(k.admitted(now)) }

// operations is how many operations a request counts as.
func (k *disk) operations(size int64) float64 {
	if k.opSize == 0 || size <= k.opSize {
		return 1
	}
	return float64((size + k.opSize - 1) / k.opSize)
}

func (k *disk) transfer(size int64) time.Duration {
	return time.Duration(float64(max(size-latencySize, 0)) * k.perByte)
}

// latency is one sample. The operations that a long request counts as go side by
// side, so it has one latency. A read asks one replica; what changes something
// waits for the slowest of them.
func (k *disk) latency(kind Kind) time.Duration {
	curve := &k.read
	switch kind {
	case Write:
		curve = &k.write
	case Flush:
		curve = &k.flush
	}
	if k.replicas == 0 {
		return k.sample(curve)
	}
	copies := k.replicas
	if kind == Read {
		copies = 1
	}
	slowest := time.Duration(0)
	for range copies {
		slowest = max(slowest, k.sample(&k.trip)+k.sample(curve))
	}
	return slowest
}

// sample takes a random number only where it matters.
func (k *disk) sample(c *curve) time.Duration {
	if c.sigma == 0 {
		return time.Duration(c.median)
	}
	return c.at((float64(k.random.Uint64()>>11) + 0.5) / (1 << 53))
}

func (k *disk) refill() {
	k.iops.full, k.iops.next = clock{}, clock{}
	k.flow.full, k.flow.next = clock{}, clock{}
	clear(k.slots)
}

// emptier is the lower of two balances; one that is not there counts as full.
func emptier(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}
