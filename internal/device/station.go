package device

import (
	"math"
	"time"
)

// Station works off the requests to a device in the model's time. It has no clock:
// the caller says when a request comes, and is told when it is done. The same seed
// and the same requests give the same answers.
//
// What it does is taken in the order of the calls (first come, first served); what
// it answers may be in another order, as latencies differ. A call takes well under
// a microsecond and allocates nothing. It is not safe for concurrent use.
type Station struct {
	array Array // zero Members: one disk
	disks []*disk
	turns []int // of each lane: which of its mirrors was read last
	now   time.Duration
}

// NewStation is a station of a device that Check accepts, with all buckets full.
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

// Submit is when a request that comes at now is done, never before now. Time goes
// forward only: a now that is before an earlier one counts as that.
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

// Refill makes all buckets full and the queues empty, as if nothing had been asked
// for in a long time. What was used goes on being counted.
func (s *Station) Refill() {
	for _, k := range s.disks {
		k.refill()
	}
}

// Balances is how full the bursts' buckets are at now.
func (s *Station) Balances(now time.Duration) Balances {
	all := Balances{math.NaN(), math.NaN()}
	now = max(now, s.now)
	for _, k := range s.disks {
		all = Balances{emptier(all.IOPS, k.iops.balance(now)), emptier(all.Throughput, k.flow.balance(now))}
	}
	return all
}

// Used is what went through since the station was made. What it grows by in a
// second, divided by Device.Provisioned, is the share that was used.
func (s *Station) Used() Used {
	var all Used
	for _, k := range s.disks {
		all.Operations += k.used.Operations
		all.Bytes += k.used.Bytes
	}
	return all
}

// slots are what a device works on at once: when each of them is free, the
// earliest first (a binary heap, without container/heap's allocations). None at all
// stand for any number.
type slots []time.Duration

// ready is when a request that came at now gets a slot.
func (s slots) ready(now time.Duration) time.Duration {
	if len(s) == 0 {
		return now
	}
	return max(now, s[0])
}

// take gives the earliest slot to a request that is done then.
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

// Kind is what a request wants.
type Kind int

// The kinds of requests. A flush empties the write cache, and takes no time where
// there is none.
const (
	Read Kind = iota
	Write
	Flush
)

// String is the name of the kind, in lower case.
func (k Kind) String() string {
	switch k {
	case Read:
		return "read"
	case Write:
		return "write"
	}
	return "flush"
}

// Request is one request to a device: where, and how many bytes. A flush has
// neither.
type Request struct {
	Kind         Kind
	Offset, Size int64
}

// Balances is how full the buckets of bursts are, from 0 to 1; NaN where there is
// no burst. An array tells of its emptiest member.
type Balances struct {
	IOPS, Throughput float64
}

// Used is what was let through until now, as limits count it: a long request is
// several operations, a mirrored write two.
type Used struct {
	Operations, Bytes float64
}
