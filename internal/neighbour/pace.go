package neighbour

import (
	"sync"
	"time"

	"plinth/internal/unit"
)

// slack is how much that was missed, because the disk or the CPU was busy, is made
// up for. Without any a rate would never be reached, since waits end late; with
// any amount a stall would be followed by a burst that no neighbour was asked for.
const slack = 500 * time.Millisecond

// pace is a token bucket: it says when the next block is due. Workers share one.
type pace struct {
	mu       sync.Mutex
	interval time.Duration // between blocks
	next     time.Time
}

func newPace(rate unit.Rate, begin time.Time) *pace {
	return &pace{interval: time.Duration(float64(blockSize) / float64(rate) * float64(time.Second)), next: begin}
}

// take is when the block that is taken may be begun: in the past for what is made
// up for.
func (p *pace) take(now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if earliest := now.Add(-slack); p.next.Before(earliest) {
		p.next = earliest
	}
	due := p.next
	p.next = due.Add(p.interval)
	return due
}
