package device

import (
	"math"
	"time"
)

// Station processes the requests to a device in model time. It has no clock: the caller
// passes the arrival time of a request and gets its completion time. The same seed and
// the same requests give the same results.
//
// Requests start in the order of the calls (first come, first served) and may complete
// in another order, as latencies differ. A call takes well under a microsecond and does
// not allocate. A Station is not safe for concurrent use.
type Station struct {
	array Array // zero Members: one disk
	disks []*disk
	turns []int // for each lane, the mirror that was read last
	now   time.Duration
}

// NewStation returns a station with all buckets full for a device that Check accepts.
func NewStation(d Device, seed uint64) *Station {
	if d.Array == nil {
		return &Station{disks: []*disk{newDisk(d, seed, 0)}}
	}
	s := &Station{array: *d.Array, turns: make([]int, d.Array.Members/d.Array.mirrors())}
	for i := range d.Array.Members {
		s.disks = append(s.disks, newDisk(*d.Array.Of, seed, uint64(i)))
	}
	return s
}

// Submit returns the completion time, at or after now, of a request that arrives at now. Time never
// goes back: if now is before that of an earlier call, Submit uses the earlier call's now instead.
func (s *Station) Submit(now time.Duration, r Request) (done time.Duration) {
	s.now = max(s.now, now)
	switch {
	case s.array.Members == 0:
		return s.disks[0].submit(s.now, r.Kind, r.Size)
	case r.Kind == Flush:
		return s.all(s.disks, Flush, 0)
	case s.array.Level == 1:
		return s.lane(0, r.Kind, r.Size)
	}
	return s.stripe(r)
}

// Refill fills all buckets and empties the queues, as after a long idle period. The
// counters of Used continue.
func (s *Station) Refill() {
	for _, k := range s.disks {
		k.refill()
	}
}

// Balances returns how full the burst buckets are at now.
func (s *Station) Balances(now time.Duration) Balances {
	all := Balances{math.NaN(), math.NaN()}
	now = max(now, s.now)
	for _, k := range s.disks {
		all = Balances{emptier(all.IOPS, k.iops.balance(now)), emptier(all.Throughput, k.flow.balance(now))}
	}
	return all
}

// Used returns the operations and bytes since the station was created. Their increase
// per second, divided by Device.Provisioned, is the utilization of the limits.
func (s *Station) Used() Used {
	var all Used
	for _, k := range s.disks {
		all.Operations += k.used.Operations
		all.Bytes += k.used.Bytes
	}
	return all
}

// slots is the queue depth of a device: the times at which its slots become free, the
// earliest first (a binary heap, without container/heap's allocations). If it is empty,
// the depth is unlimited.
type slots []time.Duration

// ready returns when a request that arrived at now gets a slot.
func (s slots) ready(now time.Duration) time.Duration {
	if len(s) == 0 {
		return now
	}
	return max(now, s[0])
}

// take assigns the earliest slot to a request that completes at done.
func (s slots) take(done time.Duration) {
	if len(s) == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child+1 < len(s) && s[child+1] < s[child] {
			child++
		}
		if child >= len(s) || s[child] >= done {
			break
		}
		s[i], i = s[child], child
	}
	s[i] = done
}

// Kind is the kind of a request.
type Kind int

// The kinds of requests. A flush empties the write cache; without a cache it takes no
// time.
const (
	Read Kind = iota
	Write
	Flush
)

// String returns the name of the kind, in lower case.
func (k Kind) String() string {
	switch k {
	case Read:
		return "read"
	case Write:
		return "write"
	}
	return "flush"
}

// Request is one request to a device. Offset and Size are in bytes; a flush has neither.
type Request struct {
	Kind         Kind
	Offset, Size int64
}

// Balances holds the fill levels of the burst buckets, from 0 to 1; NaN if there is no burst. For
// an array, they are the lowest of its members.
type Balances struct {
	IOPS, Throughput float64
}

// Used counts operations and bytes as the limits count them: a long request is several
// operations, and a mirrored write counts once for each copy.
type Used struct {
	Operations, Bytes float64
}
