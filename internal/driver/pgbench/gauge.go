package pgbench

import (
	"io"
	"syscall"
	"time"
)

// gauge tells whether a pipe was full when plinth came to read it. pgbench then
// had to wait for room, in the midst of the load, and its clients' latencies say
// of the server what was plinth's doing.
type gauge struct {
	pipe     syscall.RawConn
	capacity int           // bytes; 0 where it can't be known
	full     int           // bytes that count as full; 0 where it can't be known
	read     time.Time     // when the last read returned
	stalled  time.Duration // between reads, wherever the pipe had become full
}

// smallestPipe is what the kernel gives an ordinary user whose pipes hold too
// much already. One of two pages is full at any time.
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
		// A C library that writes odd pieces leaves up to a quarter of each page
		// empty.
		g.pipe, g.capacity, g.full = pipe, capacity, capacity-capacity/4
	}
	return g
}

// after takes a read of n bytes into a buffer of size. What is left is asked for
// only where the buffer was filled, so an ordinary read costs nothing.
func (g *gauge) after(n, size int, now time.Time) {
	away := now.Sub(g.read)
	g.read = now
	if g.full > 0 && n == size && n+pipeHolds(g.pipe) >= g.full {
		g.stalled += away
	}
}

// breath is how long the log of a thread is left to fill before it is read again.
// Each read wakes plinth, on a CPU that the load may want: read whenever pgbench
// writes, at 20,000 transactions a second, logs woke it 220 times a second, which
// cost twice what decoding them does.
type breath struct {
	capacity int // of the pipe, bytes; 0 where it can't be known: then there is no pause
	pieces   int
	length   time.Duration
}

const (
	// longestBreath is as long as it gets: what it delays is for people only.
	longestBreath = 100 * time.Millisecond

	// openingPieces are read at once: from when they arrive it is known when the
	// load began.
	openingPieces = 8
)

// after is how long to wait after a piece of n bytes: less, the more of the pipe that
// came to. An eighth of it is far from the fill at which pgbench would have to wait.
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
