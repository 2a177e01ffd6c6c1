package engine

import (
	"context"
	"time"
)

// Doer is a server that can be told to do something while it is driven: an event
// of an experiment.
type Doer interface {
	// Do runs statements of the user's own, one after the other, in the database of
	// the load and in a connection of its own. It may be called while any other
	// method is, and returns soon after ctx is done: what went on is cancelled then.
	// The error is in the server's words.
	Do(ctx context.Context, statements string) error
}

// LogFollower is a server on this machine whose log plinth reads. It calls each with what
// the server says from then on.
type LogFollower interface {
	FollowLog(each func(at time.Time, line string))
}

// Local is a server that may run on this machine.
type Local interface {
	PID() int // of its first process; 0 where it runs elsewhere, or cannot be told
}

// Warmer is a server that can read its dataset into its memory by itself. One that
// holds it all in memory anyway is none.
type Warmer interface {
	// Warm reads as much of the dataset as fits. The error says what the server lacks.
	Warm(ctx context.Context) error
}

// Replicator is a server of plinth's own that can follow another one of its kind.
type Replicator interface {
	Server

	// Follow makes the server a replica of primary, which must be running. It replaces
	// all data that the server holds, and waits until the replica has caught up. progress
	// may be nil.
	Follow(ctx context.Context, primary Server, progress func(Progress)) error

	// Promote makes a replica whose primary is gone a server that takes writes. took
	// is how long it was until it took them.
	Promote(ctx context.Context) (took time.Duration, err error)

	// Lag is how far the replica is behind its primary: bytes of the stream of
	// changes that it has not applied yet.
	Lag(ctx context.Context) (bytes int64, err error)
}
