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

// Follow makes the server a replica of primary, and waits until it has all keys and
// is fed. It starts the server where it does not run. Promoted before, it is a
// replica again, and what it has taken meanwhile is gone.
//
// Nothing keeps a primary that starts again empty from emptying it: what Redis'
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
	case p.port == 0:
		return hint.Errorf("give its environment a replica", "cannot follow the server of %s: it listens to nobody", p.Environment.Name)
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
		return fmt.Errorf("cannot make a replica of the server of %s: %w", p.Environment.Name, o.because(ctx, err))
	}
	return err
}

// follow tells the server whom to follow. The password is set while the server runs,
// so that no file and no command line has it.
func (o *Own) follow(ctx context.Context, primary *Own) error {
	return o.Use(ctx, func(rdb *goredis.Client) error {
		if err := rdb.ConfigSet(ctx, "masterauth", primary.password).Err(); err != nil {
			return err
		}
		return rdb.Do(ctx, "REPLICAOF", "127.0.0.1", strconv.Itoa(primary.port)).Err()
	})
}

// awaitFed waits until the link is up and all that the primary has written when the
// link came up has arrived.
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
		return fmt.Errorf("it is not fed: %s: %w", o.log.Said().warning, late)
	}
	return failed
}

// syncedSoFar is how far a full synchronisation has come; a primary that sends
// without a file does not know how much there will be.
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

// offset is how many bytes of changes the server has made as a primary.
func (o *Own) offset(ctx context.Context) (int64, error) {
	f, err := o.Info(ctx)
	return f.Number("master_repl_offset"), err
}

// Promote makes a replica a server that takes writes.
func (o *Own) Promote(ctx context.Context) (took time.Duration, err error) {
	began := time.Now()
	err = o.Use(ctx, func(rdb *goredis.Client) error {
		if err := rdb.Do(ctx, "REPLICAOF", "NO", "ONE").Err(); err != nil {
			return err
		}
		return rdb.Unlink(ctx, "plinth-promoted").Err() // a write, which a replica refuses, of what is not there
	})
	if err != nil {
		return 0, fmt.Errorf("cannot promote the replica: %w", o.because(ctx, err))
	}
	took = time.Since(began)
	o.primary = nil
	return took, nil
}

// Lag is how many bytes of changes the primary has made that the replica has not
// applied. The replica is asked first, so that it is never too little.
func (o *Own) Lag(ctx context.Context) (bytes int64, err error) {
	if o.primary == nil {
		return 0, errors.New("cannot read the lag of a server that follows nobody")
	}
	f, err := o.Info(ctx)
	if err == nil && f["master_link_status"] != "up" {
		err = errors.New("it has lost its primary")
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
