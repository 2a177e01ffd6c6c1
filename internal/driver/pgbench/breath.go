package pgbench

import "time"

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
