package redis

import (
	"strings"

	"plinth/internal/telemetry"
)

// replicas are those of a primary, by their numbers.
type replicas map[string]*replica

type replica struct {
	bytes, time telemetry.Slot
	bound       bool

	there       bool   // in this reading
	state       string // "online", or what it waits for
	offset, lag float64
}

func (all replicas) clear() {
	for _, r := range all {
		r.there = false
	}
}

// take takes "ip=127.0.0.1,port=21311,state=online,offset=580023,lag=1".
func (all replicas) take(at, value string) {
	r := all[at]
	if r == nil {
		if len(all) == mostMany {
			return
		}
		r = &replica{}
		all[strings.Clone(at)] = r
	}
	r.there, r.offset, r.lag = true, number(part(value, "offset")), number(part(value, "lag"))
	if state := part(value, "state"); state != r.state {
		r.state = strings.Clone(state)
	}
}

// online says whether a replica is fed: else it has no data, or none of late.
func (r *replica) online() bool { return r.there && r.state == "online" }

// put puts how far replicas are behind a primary that is at an offset.
func (all replicas) put(b *telemetry.Board, primary float64) {
	for at, r := range all {
		if !r.bound {
			r.bytes, r.time, r.bound = b.Column(replicaBytes, at), b.Column(replicaTime, at), true
		}
		switch {
		case !r.there:
			r.unknown(b, "the replica is not connected")
		case r.state != "online":
			r.unknown(b, "the replica is sent all data first: it is not online")
		default:
			b.Put(r.bytes, max(0, primary-r.offset)) // it may confirm while the answer is made
			b.Put(r.time, r.lag)
		}
	}
}

func (r *replica) unknown(b *telemetry.Board, why string) {
	b.Unknown(r.bytes, why)
	b.Unknown(r.time, why)
}

// fed is how many replicas are online.
func (all replicas) fed() (n int) {
	for _, r := range all {
		if r.online() {
			n++
		}
	}
	return n
}
