package site

import (
	"context"
	"time"

	"plinth/internal/engine/life"
	"plinth/internal/host"
)

// pauseLimit is how long a process of the server may be stopped by a signal before the run ends.
// A debugger that takes a core dump stops it for less; the measurement then contains the stall.
const pauseLimit = 3 * time.Second

// Watch returns an error once the server under load, or one of its processes, has been stopped by a
// signal for pauseLimit. The load generator does not notice: it would wait for the server until the
// last transactions have to end.
func (l *Local) Watch(ctx context.Context) error {
	run := l.session()
	if run == nil {
		return nil
	}
	pid := run.read.Server()
	if pid == 0 { // a server that is down fails the load, and one elsewhere cannot be watched
		<-ctx.Done()
		return nil
	}
	var since time.Time
	for host.Sleep(ctx, time.Second) == nil {
		switch err := life.Paused(pid); {
		case err == nil:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= pauseLimit:
			return err
		}
	}
	return nil
}
