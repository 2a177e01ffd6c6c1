package fault

import (
	"context"
	"errors"

	"plinth/internal/engine"
	"plinth/internal/record"
)

// witnessingConns is the number of connections with numbered writes: enough to have every kind
// of write in progress when the fault hits.
const witnessingConns = 8

// Write begins the numbered writes to a server.
func Write(ctx context.Context, server engine.Server) (engine.Witness, error) {
	witnessed, can := server.(engine.Witnessed)
	if !can {
		return nil, errors.New("the writes to this server cannot be counted")
	}
	return witnessed.Witness(ctx, witnessingConns)
}

// Count stops the writes, and adds up those that were acknowledged and those that a server has. If no
// server recovered, which Broke of the result says, none is found.
func Count(ctx context.Context, witness engine.Witness, in engine.Server, into *record.Injection) error {
	testimonies, err := witness.Count(ctx, in)
	if err != nil && into.Broke == "" {
		return err
	}
	for _, t := range testimonies {
		into.Acknowledged += t.Acknowledged
		if into.Broke == "" {
			into.Found += t.Found
			into.Back = max(into.Back, t.Back.Seconds())
		}
	}
	return nil
}
