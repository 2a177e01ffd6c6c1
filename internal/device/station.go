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
	for _, k := range s.disks {
		b := k.balances(max(now, s.now))
		all = Balances{emptier(all.IOPS, b.IOPS), emptier(all.Throughput, b.Throughput)}
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
