package emulator

import (
	"runtime"
	"time"
)

// nap is how a thread that must not be late sleeps: it is woken earlier by as much
// as it usually wakes up late, and it keeps Go's runtime quiet.
//
// The runtime watches for code that does not come back to it for 10 ms. It then
// looks every 20 µs, which costs 6 % of a CPU, and takes the thread's right to run Go
// code away. So for a while after work a sleep is shorter than that, and the
// runtime is visited once in that time.
type nap struct {
	oversleep time.Duration // by how much it wakes up late: a moving average
	idle      int           // sleeps without work
	visited   time.Time     // when it was last in Go's scheduler
}

const (
	// mostEarly bounds what is spent awake before an answer is due.
	mostEarly = 60 * time.Microsecond
	// longNap is the longest sleep after work.
	longNap = 4 * time.Millisecond
	// activeNaps is how many of them come after work before sleep may be long.
	activeNaps = 50
	// night is the longest sleep of all.
	night = time.Hour
)

// restedNap is that of a thread that has no work yet.
func restedNap() nap { return nap{idle: activeNaps} }

// early is how long before its time it has to be woken.
func (n *nap) early() time.Duration { return n.oversleep }

// longest is how long it may sleep when nothing is due.
func (n *nap) longest() time.Duration {
	if n.idle < activeNaps {
		return longNap
	}
	return night
}

func (n *nap) idled() {
	n.idle++
	n.visit()
}

func (n *nap) worked() {
	n.idle = 0
	n.visit()
}

// visit goes through Go's scheduler, now and then: it wakes a thread to look for
// work each time.
func (n *nap) visit() {
	if now := time.Now(); now.Sub(n.visited) > longNap {
		n.visited = now
		runtime.Gosched()
	}
}

// overslept learns from a sleep that ended late.
func (n *nap) overslept(late time.Duration) {
	n.oversleep += (min(late, mostEarly) - n.oversleep) / 16
}
