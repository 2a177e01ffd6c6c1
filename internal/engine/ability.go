package engine

import (
	"context"
	"time"
)

// Doer is a server that can run an event of an experiment while it is under load.
type Doer interface {
	// Do runs the user's statements one after the other, in the database under load, over its own
	// connection. It may be called concurrently with any other method. It returns soon after ctx
	// is done, and cancels what is in progress. The error is worded by the server.
	Do(ctx context.Context, statements string) error
}

// LogFollower is a server on this machine whose log plinth reads. FollowLog calls each with every
// line that the server logs from then on.
type LogFollower interface {
	FollowLog(each func(at time.Time, line string))
}

// Local is a server that may run on this machine.
type Local interface {
	PID() int // PID of its first process; 0 if it runs elsewhere, or is not known
}

// Warmer is a server that can read its dataset into memory on request. A server that keeps its
// whole dataset in memory anyway does not implement it.
type Warmer interface {
	// Warm reads as much of the dataset as fits. The error says what the server lacks.
	Warm(ctx context.Context) error
}

// Volatile is a server that may lose its dataset when it goes down: one without persistence.
type Volatile interface {
	// Lost reports whether a part of the loaded dataset is gone.
	Lost(ctx context.Context) (bool, error)
}

// RelationReader is a server that keeps statistics of each of its tables and indexes.
type RelationReader interface {
	// Relations reads the statistics of the dataset's tables and indexes, as one file: sizes, reads,
	// scans, changed rows since the server began to count. It changes nothing, and costs a few queries.
	Relations(ctx context.Context) (file []byte, err error)
}

// Replicator is a server that plinth started and that can follow another one of its kind.
type Replicator interface {
	Server

	// Follow makes the server a replica of primary, which must be running. It replaces all data
	// that the server holds, and waits until the replica has caught up. progress may be nil.
	Follow(ctx context.Context, primary Server, progress func(Progress)) error

	// Promote makes a replica whose primary is gone accept writes. took is the time until it did.
	Promote(ctx context.Context) (took time.Duration, err error)

	// Lag returns how far the replica is behind its primary: the bytes of the replication stream
	// that it has not applied yet.
	Lag(ctx context.Context) (bytes int64, err error)
}
