package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/client"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// Follow makes the server a replica of primary, and waits until it has all keys and receives
// changes. It starts the server if it is not running. A server that was promoted becomes a
// replica again, and loses what was written to it meanwhile.
//
// Nothing keeps a primary that restarts empty from emptying its replica: what Redis'
// documentation warns of happens here, too.
// https://redis.io/docs/latest/operate/oss_and_stack/management/replication/
func (o *Own) Follow(ctx context.Context, primary engine.Server, progress func(engine.Progress)) error {
	if progress == nil {
		progress = func(engine.Progress) {}
	}
	p, is := primary.(*Own)
	switch {
	case !is:
		return errors.New("cannot follow a server that is not plinth's own")
	case p.port == nil:
		return hint.Errorf("declare a replica in the environment: its server then listens on a port", "cannot follow the server of %s: it does not listen on a port", p.Environment.Name)
	}
	o.primary = nil
	if err := o.Start(ctx); err != nil {
		return err
	}
	o.primary = p
	err := o.follow(ctx, p)
	if err == nil {
		err = o.awaitFed(ctx, progress)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("cannot create a replica of the server of %s: %w", p.Environment.Name, o.because(ctx, err))
	}
	return err
}

// follow sets the server's primary. The password is set at run time, so that it is in no file and
// on no command line.
func (o *Own) follow(ctx context.Context, primary *Own) error {
	return o.Use(ctx, func(rdb *goredis.Client) error {
		if err := rdb.ConfigSet(ctx, "masterauth", primary.password).Err(); err != nil {
			return err
		}
		return rdb.Do(ctx, "REPLICAOF", primary.port.Addr().String(), strconv.Itoa(int(primary.port.Port()))).Err()
	})
}

// awaitFed waits until the link is up and everything that the primary had written when the link
// came up has arrived.
func (o *Own) awaitFed(ctx context.Context, progress func(engine.Progress)) error {
	var failed error
	began, wanted := time.Now(), int64(-1)
	late := life.Poll(ctx, startLimit, func() bool {
		f, err := o.Info(ctx)
		if err != nil && !client.Says(err, "LOADING") || life.Ended(o.process) {
			failed = errors.Join(err)
			return true
		}
		if f["master_link_status"] != "up" {
			progress(engine.Progress{Step: "full synchronisation" + syncedSoFar(f), Elapsed: time.Since(began)})
			return false
		}
		if wanted < 0 {
			if wanted, failed = o.primary.offset(ctx); failed != nil {
				return true
			}
		}
		return f.Number("slave_repl_offset") >= wanted
	})
	if late != nil {
		if warning := o.log.Said().warning; warning != "" {
			late = fmt.Errorf("%s: %w", warning, late)
		}
		return fmt.Errorf("it did not catch up with its primary: %w", late)
	}
	return failed
}

// syncedSoFar returns the progress of a full synchronisation; a diskless primary does not know
// the total size.
func syncedSoFar(f client.Info) string {
	read, total := f.Number("master_sync_read_bytes"), f.Number("master_sync_total_bytes")
	switch {
	case read <= 0:
		return ""
	case total > 0:
		return fmt.Sprintf(", %d %%", 100*read/total)
	}
	return ", " + unit.Size(read/int64(unit.MiB)*int64(unit.MiB)).String()
}

// offset returns the primary's replication offset: the bytes of changes that it has made.
func (o *Own) offset(ctx context.Context) (int64, error) {
	f, err := o.Info(ctx)
	return f.Number("master_repl_offset"), err
}

// Promote makes a replica accept writes.
func (o *Own) Promote(ctx context.Context) (took time.Duration, err error) {
	began := time.Now()
	err = o.Use(ctx, func(rdb *goredis.Client) error {
		if err := rdb.Do(ctx, "REPLICAOF", "NO", "ONE").Err(); err != nil {
			return err
		}
		return rdb.Unlink(ctx, "plinth-promoted").Err() // a write, which a replica rejects, to a key that does not exist
	})
	if err != nil {
		return 0, fmt.Errorf("cannot promote the replica: %w", o.because(ctx, err))
	}
	took = time.Since(began)
	o.primary = nil
	return took, nil
}

// Lag returns how many bytes of the primary's changes the replica has not applied. It queries the
// replica first, so that the result is never too low.
func (o *Own) Lag(ctx context.Context) (bytes int64, err error) {
	if o.primary == nil {
		return 0, errors.New("cannot read the lag of a server that is not a replica")
	}
	f, err := o.Info(ctx)
	if err == nil && f["master_link_status"] != "up" {
		err = errors.New("the replica has lost the connection to its primary")
	}
	var made int64
	if err == nil {
		made, err = o.primary.offset(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("cannot read the replica's lag: %w", o.because(ctx, err))
	}
	return max(0, made-f.Number("slave_repl_offset")), nil
}
