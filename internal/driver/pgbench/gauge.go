package pgbench

import (
	"io"
	"syscall"
	"time"
)

// gauge detects whether a pipe was full when plinth read it. pgbench then had to wait for
// room during the load, and the clients' latencies include a delay that plinth caused.
type gauge struct {
	pipe     syscall.RawConn
	capacity int           // bytes; 0 if unknown
	full     int           // bytes that count as full; 0 if unknown
	read     time.Time     // when the last read returned
	stalled  time.Duration // time between reads during which the pipe filled up
}

// smallestPipe is the minimum capacity of a pipe, in bytes, for a gauge. It excludes the
// pipes that the kernel gives an ordinary user over the pipe limit: one of two pages would
// count as full all the time.
const smallestPipe = 64 << 10

func newGauge(log io.Reader) *gauge {
	g := &gauge{read: time.Now()}
	file, ok := log.(syscall.Conn)
	if !ok {
		return g
	}
	pipe, err := file.SyscallConn()
	if err != nil {
		return g
	}
	if capacity := pipeCapacity(pipe); capacity >= smallestPipe {
		// Odd write sizes of a C library leave up to a quarter of each page empty.
		g.pipe, g.capacity, g.full = pipe, capacity, capacity-capacity/4
	}
	return g
}

// after takes a read of n bytes into a buffer of size. The rest in the pipe is queried only
// where the buffer was filled, so an ordinary read costs nothing.
func (g *gauge) after(n, size int, now time.Time) {
	away := now.Sub(g.read)
	g.read = now
	if g.full > 0 && n == size && n+pipeHolds(g.pipe) >= g.full {
		g.stalled += away
	}
}

// breath is the pause between reads of a thread's log. Each read wakes plinth, on a CPU
// that the load may want: reading whenever pgbench writes, at 20,000 transactions a second,
// woke it 220 times a second, which cost twice as much as decoding.
type breath struct {
	capacity int // of the pipe, bytes; 0 if unknown: then there is no pause
	pieces   int
	length   time.Duration
}

const (
	// longestBreath is the maximum: it delays only the progress shown to people.
	longestBreath = 100 * time.Millisecond

	// openingPieces are read without a pause: their arrival shows when the load began.
	openingPieces = 8
)

// after returns how long to wait after a piece of n bytes: less, the fuller the pipe was.
// An eighth of it is far from the level at which pgbench would have to wait.
func (b *breath) after(n int) time.Duration {
	b.pieces++
	switch {
	case b.capacity == 0 || b.pieces <= openingPieces:
		return 0
	case n > b.capacity/8:
		b.length /= 2
	case b.length == 0:
		b.length = longestBreath / 16
	case n < b.capacity/16:
		b.length = min(2*b.length, longestBreath)
	}
	return b.length
}
