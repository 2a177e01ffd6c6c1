package engine

import (
	"context"
	"time"
)

// Replicator is a server of plinth's own that can follow another one of its kind.
type Replicator interface {
	Server

	// Follow makes the server a replica of primary, which runs, whatever it held
	// before, and waits until it has all of it and is fed. progress may be nil.
	Follow(ctx context.Context, primary Server, progress func(Progress)) error

	// Promote makes a replica whose primary is gone a server that takes writes. took
	// is how long it was until it took them.
	Promote(ctx context.Context) (took time.Duration, err error)

	// Lag is how far the replica is behind its primary: bytes of the stream of
	// changes that it has not applied yet.
	Lag(ctx context.Context) (bytes int64, err error)
}
