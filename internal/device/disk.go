package device

import (
	"math"
	"math/rand/v2"
	"time"
)

// latencySize is the request size that latencies refer to. Only bytes beyond it take
// additional transfer time.
const latencySize = 8 << 10

// disk processes the requests to one device that is not an array.
type disk struct {
	read, write, flush, trip curve

	cache    bool
	replicas int
	opSize   int64
	perByte  float64 // transfer time of a byte beyond latencySize, in nanoseconds
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

// submit returns the completion time of a request that arrives at now. The request
// passes both buckets, waits for a slot, and then takes its latency. A flush passes no
// bucket and does not count as an operation, but it waits for the slots of all requests
// before it, also of those that a bucket holds back.
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

// admitted returns when both buckets admit a request that arrives at now.
func (k *disk) admitted(now time.Duration) time.Duration { return k.flow.ready(k.iops.ready(now)) }

// begins returns when the disk would start to process a request that arrives at now.
func (k *disk) begins(now time.Duration) time.Duration { return k.slots.ready(k.admitted(now)) }

// operations returns the number of operations that a request counts as.
func (k *disk) operations(size int64) float64 {
	if k.opSize == 0 || size <= k.opSize {
		return 1
	}
	return float64((size + k.opSize - 1) / k.opSize)
}

func (k *disk) transfer(size int64) time.Duration {
	return time.Duration(float64(max(size-latencySize, 0)) * k.perByte)
}

// latency returns one sample. The operations of a long request run in parallel, so it
// has one latency. A read goes to one replica; a write or a flush waits for the slowest.
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

// sample draws a random number only if the latency is not constant.
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

// emptier returns the lower of two balances; a NaN counts as full.
func emptier(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}
