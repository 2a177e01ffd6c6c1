package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
)

// Check returns an error unless the server is still the one that was started. It detects the end
// of the postmaster, and the violent end of a single backend: the postmaster then disconnects all
// sessions and restarts all its processes, with the same PID and start time.
func (o *Own) Check(ctx context.Context) error {
	if !o.process.Started() {
		return errors.New("the server is not running")
	}
	if err := life.Paused(o.process.PID()); err != nil { // it would not answer
		return err
	}
	started, err := o.startTime(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// After a PANIC the server may take a while to end, and the other processes continue until
	// then.
	if err != nil || o.log.Said().panicked != "" {
		o.awaitEnd(ctx)
	}
	switch t := o.log.Said(); {
	case life.Ended(o.process):
		return fmt.Errorf("the server has ended: %w", o.endCause())
	case t.crash != "":
		return fmt.Errorf("the server went down: %s", t.crash)
	case t.panicked != "":
		return fmt.Errorf("the server is going down: %s", t.panicked)
	case o.lost != nil:
		return fmt.Errorf("the server went down: %w", o.because(ctx, o.lost))
	case err != nil:
		return fmt.Errorf("the server cannot be used: %w", err)
	case !started.Equal(o.started):
		return fmt.Errorf("the server was restarted at %s", started.Format(time.TimeOnly))
	}
	return nil
}

// awaitEnd waits for a server that can't be used to end, or to log why.
func (o *Own) awaitEnd(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, life.LogDelay)
	defer cancel()
	done := o.process.Done()
	go func() {
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		}
	}()
	o.log.Await(ctx, func(t trouble) bool { return t.crash != "" })
}

// endCause returns why the process ended.
func (o *Own) endCause() error {
	status, err := o.process.Wait()
	switch t := o.log.Said(); {
	case t.crash != "":
		return errors.New(t.crash)
	case t.fatal != "":
		return errors.New(t.fatal)
	case err != nil:
		return err
	case status.Signal != nil:
		return fmt.Errorf("it was terminated by a signal (%v)", status.Signal)
	}
	return fmt.Errorf("exit code %d", status.Code)
}

// startTime returns when the postmaster started. It asks over a new connection: the postmaster
// handles every process that has ended before it accepts a connection, while an existing session
// may live on for a moment after another has crashed the server. It then queries the existing
// session, too.
func (d *database) startTime(ctx context.Context) (started time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	fresh, err := d.connect(ctx, d.config.Database)
	if err == nil {
		err = fresh.QueryRow(ctx, "SELECT pg_postmaster_start_time()").Scan(&started)
		_ = fresh.Close(ctx)
	}
	if asked := d.exec(ctx, d.current(), "SELECT 1"); err == nil { // also after a failure: a session that has ended is noticed
		err = asked
	}
	return started, client.Plain(err)
}

// answerLimit is how long a server may take to say that it is well: the kernel of one that hangs still acknowledges what it is sent.
const answerLimit = 2 * time.Minute
