package engine

import "context"

// Warmer is a server that can read its dataset into its memory by itself. One that
// holds it all in memory anyway is none.
type Warmer interface {
	// Warm reads as much of the dataset as fits. The error says what the server lacks.
	Warm(ctx context.Context) error
}
