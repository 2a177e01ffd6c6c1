package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
)

// Check says whether the server still is the one that was started. It notices
// the end of the postmaster, and the end of a single backend by force: then the
// postmaster throws out everybody and starts all its processes anew, under the
// same number and start time.
func (o *Own) Check(ctx context.Context) error {
	if !o.process.Started() {
		return errors.New("the server is not running")
	}
	started, err := o.startTime(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// One that panics may take a while to end, and until then the others work on.
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
		return fmt.Errorf("the server can't be used: %w", err)
	case !started.Equal(o.started):
		return fmt.Errorf("the server was restarted at %s", started.Format(time.TimeOnly))
	}
	return nil
}

// awaitEnd gives a server that can't be used the time to end, or to say why.
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

// endCause is why the process ended.
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
		return fmt.Errorf("signal %v", status.Signal)
	}
	return fmt.Errorf("exit code %d", status.Code)
}

// startTime is when the postmaster started. It is asked for over a new
// connection: the postmaster has dealt with every process that ended before it
// lets anybody in, while a session that was there may live on for a moment after
// another has crashed the server. That session is then asked, too.
func (d *database) startTime(ctx context.Context) (started time.Time, err error) {
	fresh, err := d.connect(ctx, d.config.Database)
	if err == nil {
		err = fresh.QueryRow(ctx, "SELECT pg_postmaster_start_time()").Scan(&started)
		_ = fresh.Close(ctx)
	}
	if asked := d.exec(ctx, d.current(), "SELECT 1"); err == nil {
		err = asked
	}
	return started, client.Plain(err)
}
