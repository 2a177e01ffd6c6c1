package engine

import (
	"context"
	"time"
)

// Crasher is a server that can be stopped as if by a power cut, to check what it keeps.
type Crasher interface {
	// Kill kills all processes of the server at once, before they can write anything, and removes
	// what they leave in memory. It accesses none of the server's volumes, which may no longer
	// respond. A process that is blocked on a volume exits once the volume fails; Kill waits for
	// it for a few seconds at most, and then returns without an error. Killing a server that is
	// not running is a no-op.
	Kill(ctx context.Context) error

	// Recover starts a killed server whose volumes are available again, and waits until it
	// answers. took is the time from the start of the server to its first answer.
	Recover(ctx context.Context) (took time.Duration, err error)

	Witnessed
}

// Witnessed is a server whose acknowledged transactions can be counted.
type Witnessed interface {
	// Witness starts to commit transactions, one row each, over the given number of connections,
	// until it is stopped or the connections break. That of a server that others start again after a
	// fault is a Lasting one.
	Witness(ctx context.Context, clients int) (Witness, error)
}

// Witness is a writer of numbered rows: it commits small transactions and remembers which of them
// the server acknowledged. Its methods are not safe for concurrent use.
type Witness interface {
	// Stop ends the writing after the transactions in progress have finished or, once ctx is
	// done, without waiting for them. It may be called twice.
	Stop(ctx context.Context)

	// Count stops the writing and looks up the rows in a server: the one they were committed to,
	// which may have crashed and recovered since, or its replica, which was promoted. It returns
	// an error if no row was acknowledged.
	Count(ctx context.Context, in Server) ([]Testimony, error)
}

// Lasting is a Witness that goes on after its server has failed: it connects again, to the same address,
// until it is stopped.
type Lasting interface {
	Witness

	// Resumed waits until the connections that were open at a fault have all failed, and transactions are
	// acknowledged again over others.
	Resumed(ctx context.Context, fault time.Time) error

	// Outage returns the longest time without an acknowledged transaction that ended after that fault,
	// since the start of the writing. It is known once Count has returned.
	Outage() (from, to time.Duration)

	// Since returns a time since the start of the writing as one since the fault.
	Since(at time.Duration) time.Duration
}

// Testimony is the fate of one connection's transactions, which are numbered from 1. The
// transaction whose answer never arrived may have been committed or not, and is not counted
// either way.
type Testimony struct {
	Acknowledged int64 // transactions that the server acknowledged as committed
	Found        int64 // acknowledged transactions that the server still has
	Highest      int64 // highest number found, including the transaction in doubt
	Holes        int64 // numbers below Highest that are missing

	// Back is how far back the loss reaches: the time between the acknowledgement of the first
	// missing transaction and the last acknowledgement on any connection before the server failed. 0 if
	// none is missing.
	Back time.Duration
}
