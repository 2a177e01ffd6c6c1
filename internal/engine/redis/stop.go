package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// stopLimit is how long a clean end is waited for, in which all keys are saved.
const stopLimit = 15 * time.Minute

// Stop stops the server cleanly and keeps its keys: in its append-only file where it
// has one, else in an RDB file, whatever its save points are. It is only killed when
// that fails.
func (o *Own) Stop(ctx context.Context) error {
	if !o.running() {
		o.close()
		return nil
	}
	f, err := o.info(ctx)
	if err == nil {
		how := "SAVE"
		if f["aof_enabled"] == "1" {
			how = "NOSAVE"
		}
		err = o.shutdown(ctx, how)
	}
	o.close()
	if err == nil {
		o.process = nil
		return nil
	}
	words := o.because(ctx, err)
	if killed := o.Kill(context.WithoutCancel(ctx)); killed != nil {
		return killed
	}
	return advise(fmt.Errorf("cannot stop %s cleanly, and it was killed: %w", o.program.Title(), words))
}

// shutdown has the server end. It answers only where it does not.
func (o *Own) shutdown(ctx context.Context, how string) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	err := o.use(ctx, func(client *goredis.Client) error { return client.Do(ctx, "SHUTDOWN", how).Err() })
	if says(err, "") {
		return errors.Join(err, lastWarning(o.log))
	}
	select {
	case <-o.process.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func lastWarning(log *serverLog) error {
	if words := log.warned(); words != "" {
		return errors.New(words)
	}
	return nil
}
