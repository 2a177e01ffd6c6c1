package device

import (
	"fmt"
	"time"

	"plinth/internal/unit"
)

// all sends the same request to each of the disks and returns when the slowest is done.
func (s *Station) all(disks []*disk, kind Kind, size int64) time.Duration {
	done := s.now
	for _, k := range disks {
		done = max(done, k.submit(s.now, kind, size))
	}
	return done
}

// mirrors returns the number of copies of each byte: the disks of a lane.
func (a Array) mirrors() int {
	switch a.Level {
	case 1:
		return a.Members
	case 10:
		return 2
	}
	return 1
}

// lane sends a request to the disks that hold the same bytes: a write to all of them, a
// read to one.
func (s *Station) lane(n int, kind Kind, size int64) time.Duration {
	width := s.array.mirrors()
	disks := s.disks[n*width : (n+1)*width]
	if kind == Write {
		return s.all(disks, kind, size)
	}
	return disks[s.reader(n, disks)].submit(s.now, kind, size)
}

// reader returns the mirror that can start a read first. Mirrors that can start at the
// same time take turns, separately in each lane: with one turn for the whole array,
// requests that touch an even number of lanes would always go to the same mirrors.
// Linux's md also reads from the least busy disk.
func (s *Station) reader(lane int, disks []*disk) int {
	best, begins := 0, time.Duration(0)
	for i := range disks {
		at := (s.turns[lane] + 1 + i) % len(disks)
		if b := disks[at].begins(s.now); i == 0 || b < begins {
			best, begins = at, b
		}
	}
	s.turns[lane] = best
	return best
}

// stripe splits a request into chunks for the lanes and returns when the slowest is
// done. The chunks of one request in the same lane are contiguous there and go as one
// request, as the kernel merges them.
func (s *Station) stripe(r Request) time.Duration {
	lanes := int64(len(s.turns))
	chunk := int64(s.array.Chunk)
	first, last := r.Offset/chunk, (r.Offset+max(r.Size, 1)-1)/chunk
	done := s.now
	for c := first; c <= min(last, first+lanes-1); c++ {
		size := ((last-c)/lanes + 1) * chunk
		if c == first {
			size -= r.Offset - first*chunk
		}
		if (last-c)%lanes == 0 {
			size -= (last+1)*chunk - (r.Offset + r.Size)
		}
		done = max(done, s.lane(int(c%lanes), r.Kind, size))
	}
	return done
}

// DefaultChunk is the default chunk size, that of mdadm.
const DefaultChunk = 512 * unit.KiB

// RAID returns an array of equal members: level 0, 1 or 10. A chunk of 0 means
// DefaultChunk, except for RAID 1. Each member has its own limits.
func RAID(level, members int, chunk unit.Size, of Device) (Device, error) {
	if chunk == 0 && level != 1 {
		chunk = DefaultChunk
	}
	durability := "loss of a member"
	if level == 0 {
		durability = "not the loss of any member"
	}
	if of.Durability != "" {
		durability += "; each member: " + of.Durability
	}
	d := Device{
		Name:       fmt.Sprintf("raid%d of %d x %s", level, members, of.Name),
		Durability: durability,
		Array:      &Array{Level: level, Members: members, Chunk: chunk, Of: &of},
	}
	return d, d.Check()
}
