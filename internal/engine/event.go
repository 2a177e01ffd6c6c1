package engine

import "context"

// Doer is a server that can be told to do something while it is driven: an event
// of an experiment.
type Doer interface {
	// Do runs statements of the user's own, one after the other, in the database of
	// the load and in a connection of its own. It may be called while any other
	// method is, and returns soon after ctx is done: what went on is cancelled then.
	// The error is in the server's words.
	Do(ctx context.Context, statements string) error
}
