package postgres

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// How long an end is waited for: a clean one has to write out everything.
const (
	stopLimit      = 5 * time.Minute
	immediateLimit = 10 * time.Second
)

// Stop stops the server cleanly: it disconnects everybody, writes a checkpoint
// and ends. It is only ended without one when that takes too long.
func (o *Own) Stop(ctx context.Context) error {
	o.close()
	if !o.running() {
		return nil
	}
	if err := o.signal(ctx, syscall.SIGINT, stopLimit); err == nil {
		o.process = nil
		return nil
	}
	if err := o.end(); err != nil {
		return err
	}
	return errors.New("cannot stop PostgreSQL cleanly: it was ended and will have to recover")
}

// end ends the server without writing anything out.
func (o *Own) end() error {
	if !o.running() {
		return nil
	}
	if o.signal(context.Background(), syscall.SIGQUIT, immediateLimit) == nil {
		return nil
	}
	return o.process.Stop()
}

// signal sends a signal and waits for the end.
func (o *Own) signal(ctx context.Context, signal os.Signal, limit time.Duration) error {
	if err := o.process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-o.process.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
