package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/client"
	"plinth/internal/host"
)

// Time limits of the wait for background writes: a rewrite may be many gigabytes; a connected
// server that other clients write to may never be idle.
const (
	backgroundLimit       = 30 * time.Minute
	sharedBackgroundLimit = 2 * time.Minute
)

// awaitIdle waits until the server writes nothing in the background: no save, no rewrite, no
// fsync, and no child process left (INFO reports a child until it is reaped).
func (d *database) awaitIdle(ctx context.Context, limit time.Duration) (f client.Info, err error) {
	words := ""
	late := life.Poll(ctx, limit, func() bool {
		if f, err = d.answer(ctx); err != nil {
			return true
		}
		words = f.Working()
		return words == ""
	})
	switch {
	case ctx.Err() != nil:
		return f, ctx.Err()
	case late != nil && err == nil:
		return f, fmt.Errorf("the server has been busy for %s with %s", limit, words)
	}
	return f, err
}

// answerLimit is how long a server may take to answer INFO: the kernel of one that hangs still acknowledges what it is sent.
const answerLimit = 2 * time.Minute

// answer reads INFO from a server that may hang.
func (d *database) answer(ctx context.Context) (client.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	return d.Info(ctx)
}

// Checkpoint waits until the server has finished its background writes, and flushes the volume's
// dirty pages, so that a run starts with a clean volume. (Redis has no CHECKPOINT: an append-only
// file is at most a second behind on disk, and an RDB file is either complete or absent.)
func (o *Own) Checkpoint(ctx context.Context) error {
	if _, err := o.awaitIdle(ctx, backgroundLimit); err != nil {
		return fmt.Errorf("cannot checkpoint: %w", o.because(ctx, err))
	}
	if err := host.SyncFilesystem(o.dir()); err != nil {
		return fmt.Errorf("cannot checkpoint: %w", err)
	}
	return nil
}

// rewrite has the append-only file rewritten and waits until that is done.
func (o *Own) rewrite(ctx context.Context) error {
	f, err := o.awaitIdle(ctx, backgroundLimit)
	if err != nil || f["aof_enabled"] != "1" {
		return err
	}
	err = o.Use(ctx, func(rdb *goredis.Client) error { return rdb.BgRewriteAOF(ctx).Err() })
	if err != nil {
		return err
	}
	if f, err = o.awaitIdle(ctx, backgroundLimit); err == nil && f["aof_last_bgrewrite_status"] != "ok" {
		err = errors.New("the server could not rewrite its append-only file: " + o.log.Said().warning)
	}
	return err
}
