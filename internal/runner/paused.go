package runner

import (
	"context"
	"time"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/host"
)

// pauseLimit is how long a process of the server may be stopped by a signal before the run ends.
// A debugger that takes a core dump stops it for less; the measurement then contains the stall.
const pauseLimit = 3 * time.Second

// untilPaused returns a context that ends once a server on this machine, or one of its processes,
// has been stopped by a signal for pauseLimit; the context's cause says which. The load generator
// does not notice: it would wait for the server until the last transactions have to end.
func untilPaused(ctx context.Context, server engine.Server) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := func() { cancel(nil) }
	activity, err := server.Activity(ctx)
	if err != nil || activity.PID == 0 { // a server that is down fails the load
		return ctx, done
	}
	go func() {
		var since time.Time
		for host.Sleep(ctx, time.Second) == nil {
			switch err := life.Paused(activity.PID); {
			case err == nil:
				since = time.Time{}
			case since.IsZero():
				since = time.Now()
			case time.Since(since) >= pauseLimit:
				cancel(err)
				return
			}
		}
	}()
	return ctx, done
}
