package engine

import (
	"context"
	"time"
)

// Crasher is a server that can be ended as a power cut would, to see what it
// keeps.
type Crasher interface {
	// Kill ends all processes of the server at once, without letting it write
	// anything, and clears what they leave in memory. It touches none of its
	// volumes, which may answer no more. A process that waits for one of them ends
	// as soon as the volume does; Kill does not wait for that longer than a few
	// seconds, and then it is no error. Killing a server that does not run is none.
	Kill(ctx context.Context) error

	// Recover starts a killed server where its volumes are there again, and waits
	// until it answers. took is how long that was; it includes the start itself.
	Recover(ctx context.Context) (took time.Duration, err error)

	// Witness begins to commit transactions, each a row of its own, over as many
	// connections as given, until it is stopped or they break.
	Witness(ctx context.Context, clients int) (Witness, error)
}

// Witness commits small transactions and remembers which of them the server
// acknowledged. Its methods are for one goroutine.
type Witness interface {
	// Stop ends it, after the transactions that are under way or, when ctx is done,
	// without waiting for them. It may be called twice.
	Stop(ctx context.Context)

	// Count stops it and looks for the transactions in a server: the one that it
	// committed to, which may have gone down and recovered meanwhile, or one that
	// was its replica and took over. It is an error if there were none at all.
	Count(ctx context.Context, in Server) ([]Testimony, error)
}

// Testimony is what became of the transactions of one connection, which were
// numbered from 1. The one whose answer never came may be there or not: it is
// counted neither way.
type Testimony struct {
	Acknowledged int64 // the server had said that they are committed
	Found        int64 // of those, in the server
	Highest      int64 // number found, that of the one in doubt included
	Holes        int64 // numbers below Highest that are not there

	// Back is how long before the last acknowledgement, of any connection, the first of
	// those that are gone was acknowledged: how far back the loss reaches. 0 where none
	// is gone.
	Back time.Duration
}
